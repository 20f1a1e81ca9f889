"""Tab 2, the certified frontier."""
