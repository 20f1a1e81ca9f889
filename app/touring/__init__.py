"""Tours: what a story is, how its file is read, and the numbers that its sentences may name. Knows nothing of panel."""
