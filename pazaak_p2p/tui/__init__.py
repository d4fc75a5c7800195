"""The person's side of the game.

Pure: ``outlook`` (what an action leads to), ``choices`` (what a key means), ``dialog`` (what has
been typed so far), ``table`` and ``story`` (what is shown), made of ``lines``, ``glyphs`` and
``style``. Then the two faces, ``screen`` and ``plain``, and the ``bridge`` on which the first one
runs. ``person`` makes a player of them.
"""
