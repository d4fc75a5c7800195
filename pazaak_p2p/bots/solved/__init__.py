"""What the strong bots know by heart: values and habits computed beforehand, and their use."""
