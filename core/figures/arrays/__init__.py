"""What a figure shows, as plain arrays: the page and the paper draw the same ones."""
