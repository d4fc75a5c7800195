"""What makes ``protocol/messages.schema.json`` and ``protocol/vectors/``, and what reads them.

Run ``python -m tests.vectors_tools`` after a change of the protocol; the tests fail while the
committed files are not what it gives.
"""
