"""Entry point of `panel serve app`."""

import panel as pn

from app.page import build
from app.panel_fixes.bad_messages import refuse_bad_messages
from app.panel_fixes.busy_counter import stop_counting
from app.panel_fixes.early_changes import keep_early_changes
from app.panel_fixes.known_models import ask_for_known_models
from app.panel_fixes.light_containers import lighten_containers
from app.panel_fixes.lone_changes import work_out_changes_alone
from app.panel_fixes.page_text import write_pages_once
from app.panel_fixes.plain_values import pass_over_plain_values
from app.panel_fixes.repeated_lines import count_repeated_lines
from app.panel_fixes.spent_callbacks import free_spent_callbacks
from app.panel_fixes.unsent_messages import send_unsent_messages
from app.session import handle_fault
from app.warm import warm_up

pn.extension(
    "mathjax",
    notifications=True,
    exception_handler=handle_fault,
    disconnect_notification="Connection lost. This page comes back by itself, with its settings, once the server answers.",
)
lighten_containers()
count_repeated_lines()
refuse_bad_messages()
send_unsent_messages()
keep_early_changes()
free_spent_callbacks()
stop_counting()
ask_for_known_models()
work_out_changes_alone()
pass_over_plain_values()
write_pages_once()
warm_up()
build(pn.state.session_args).servable(location=False)
