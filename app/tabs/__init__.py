"""One folder per tab; no tab knows another."""
