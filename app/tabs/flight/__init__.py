"""Tab 4, the closed loop in flight."""
