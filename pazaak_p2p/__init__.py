"""Pazaak for two peers who need not trust each other."""

__version__ = "0.1.0"
