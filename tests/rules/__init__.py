"""The rules, by number."""
