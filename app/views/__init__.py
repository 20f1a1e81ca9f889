"""One view per tab."""
