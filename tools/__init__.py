"""What makes the documents: `python -m tools.controls_page`, `python -m tools.screenshots`, `python -m tools.tour_names`."""
