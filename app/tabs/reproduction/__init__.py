"""Tab 7, the reproduction of the paper."""
