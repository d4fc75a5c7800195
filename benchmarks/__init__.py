"""What is measured, each beside its limit."""
