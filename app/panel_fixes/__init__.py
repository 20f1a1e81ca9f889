"""What repairs Panel and Bokeh, or reaches into them: one file per repair, each with a canary test that says when it can go."""
