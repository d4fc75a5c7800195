"""Tests of the seeded matches in ``seeds/`` and of the command that plays them."""
