"""Tab 3, the allocation."""
