"""A reach into Panel 1.9: changes from the browser are taken at once.

Panel lets every change of a component wait 50 ms for more, by a private class attribute. The script of the controls already
sends no more often than the eye can follow, so the wait would only be felt.
"""

AT_ONCE_MS = 1
"""For `_debounce` of a component whose own script limits how often it sends [ms]."""
