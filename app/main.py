"""Entry point of `panel serve app`."""

import panel as pn

from app.page import build
from app.parked import send_parked_messages
from app.session import handle_fault
from app.warm import warm_up

pn.extension(
    "mathjax",
    notifications=True,
    exception_handler=handle_fault,
    disconnect_notification="Connection lost. This page comes back by itself, with its settings, once the server answers.",
)
send_parked_messages()
warm_up()
build(pn.state.session_args).servable(location=False)
