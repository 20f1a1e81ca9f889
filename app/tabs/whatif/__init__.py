"""Tab 6, what-if studies."""
