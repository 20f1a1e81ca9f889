"""Tab 5, the paper's claims audited."""
