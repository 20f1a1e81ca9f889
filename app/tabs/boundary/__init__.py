"""Tab 1, the safety boundary."""
