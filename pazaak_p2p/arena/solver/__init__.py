"""Backward induction over sets and matches: makes the tables that the strong bots ship with.

::

    python -m pazaak_p2p.arena.solver --out pazaak_p2p/bots/solved/tables.zip

What is solved: the match by standard rules, from the side of a player who knows its own hand
exactly and of the opponent's only how many cards it holds. Green cards come from an endless deck.
The opponent is modelled by habits: from a position, how often does it end, stand or use a card,
averaged over the hands that it may hold. The habits are those of the solution itself, seen from
the other side; both are computed in turn until they fit (sweep.py).
"""
