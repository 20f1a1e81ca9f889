"""Files that users bring: missions, buildings, recorded links (D27). Plain readers that know nothing of a scenario."""
