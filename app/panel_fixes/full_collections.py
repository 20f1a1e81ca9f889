"""A repair of Panel 1.9: closing a page does not hold up all others.

Panel asks for a full garbage collection whenever a page closes. With all libraries, compiled kernels and tables of the server
to be searched it took 0.15 s, in which no page was served.
"""

from __future__ import annotations

import gc


def spare_what_stays() -> None:
    """What lives as long as the server need not be searched for garbage again; called once it is all there."""
    gc.collect()
    gc.freeze()
