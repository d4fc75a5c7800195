"""The shortest bot: a Python class that runs inside of pazaak.

pazaak play --bot protocol/examples/stand17.py:Stand17
"""

from pazaak_p2p.rules import End, Pass, Phase, Stand


class Stand17:
    """Plays no card, and stands at 17."""

    def choose(self, view):
        if view.state.phase is Phase.TIE:
            return Pass()
        return Stand() if 17 <= view.total <= 20 else End()
