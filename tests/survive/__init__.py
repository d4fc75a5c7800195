"""Matches that survive: lines cut at every message, programs killed at every write."""
