"""An arena on many machines: its matches are tasks of a Dask cluster, which the extra brings.

The arena's own machine (``crew.py``, the only one that knows Dask) gives out portions of games. On
a worker's machine a portion is played by a process apart (``bench.py`` starts and keeps those,
``foreman.py`` is what they run), as bots may hang, or end their process, and must not take the
worker with them.
"""
