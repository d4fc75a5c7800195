"""A network that does what networks do: faults by plan, and strangers by the hundred."""
