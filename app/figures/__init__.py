"""What the figures of several tabs are made of; data in, Bokeh out, no Panel."""
