"""Solve for: curves over one quantity, with the values at which something changes."""
