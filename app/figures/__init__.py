"""Pure figures: data in, Bokeh or HoloViews out; the dashboard and the notebooks share them."""
