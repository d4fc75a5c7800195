"""A second rules engine that shares no code with the package, and the matches between the two."""
