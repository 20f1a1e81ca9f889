"""What the Help menu shows: the documents of the project, the glossary, the keys, and what this is. Knows nothing of panel."""
