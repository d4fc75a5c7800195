"""Fuzzing: whatever comes, from the network or a file, only documented errors come out of it.

A *target* (``targets.py``) is a plain function of bytes that raises on a fault; every driver uses
the same ones: atheris (``python -m tests.fuzz``), the long run (``python -m tests.fuzz.million``)
and the short one among the tests.
"""
