"""The bar at the top: preset, formulation, share link, copy as Python, download, upload."""

from __future__ import annotations

import functools
import io
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.links import Callback

from app.session import Session
from app.share_links import python_of, query_of, scenario_from_upload
from app.state import FIELDS
from core.errors import ScenarioError
from core.scenario import FORMULATIONS, PRESETS, Scenario, preset

ON_BLUE = {
    "color": "white",
    "& .MuiInputBase-root, & .MuiInputLabel-root, & .MuiSelect-icon, & .MuiToggleButton-root": {"color": "white"},
    "& .MuiOutlinedInput-notchedOutline": {"borderColor": "rgba(255,255,255,.6)"},
    "& .MuiToggleButton-root": {
        "color": "white",
        "borderColor": "rgba(255,255,255,.6)",
        "paddingTop": "4px",
        "paddingBottom": "4px",
    },
    "& .MuiToggleButton-root.Mui-selected": {"color": "#0072B2", "backgroundColor": "white"},
    "& .MuiToggleButton-root.Mui-selected:hover": {"backgroundColor": "#e8f2f8"},
}
"""Widgets on the coloured bar: white, readable in both themes."""

CUSTOM = "custom"
"""What the preset box shows when the controls are those of no preset."""

COPY_JS = "navigator.clipboard && navigator.clipboard.writeText({}).catch(() => {{}})"


@functools.cache
def _presets() -> dict[Scenario, str]:
    return {preset(name): name for name in PRESETS}


def preset_of(scenario: Scenario) -> str:
    """Name of the preset that this scenario is, or CUSTOM."""
    return _presets().get(scenario, CUSTOM)


class Header:
    """Widgets of the top bar, bound to the session's state."""

    def __init__(self, session: Session) -> None:
        self.session, state = session, session.state
        self.preset = pmui.Select(
            options=[CUSTOM, *PRESETS],
            value=preset_of(state.scenario),
            size="small",
            width=150,
            margin=(10, 6),
            sx=ON_BLUE,
        )
        self.preset.param.watch(self._load_preset, "value")
        self.formulation = pmui.RadioButtonGroup(
            options=list(FORMULATIONS), value=state.formulation, size="small", margin=(10, 6), sx=ON_BLUE
        )
        self.formulation.param.watch(lambda e: state.apply({"formulation": e.new}), "value")
        state.param.watch(self._follow, list(FIELDS))
        self.share = pmui.Button(label="Share link", size="small", variant="outlined", color="light", margin=(10, 4))
        self.share.js_on_click(code=COPY_JS.format("window.location.href"))
        self.share.on_click(
            lambda _: session.tell(
                f"Link copied; it reproduces every control: {query_of(state) or '(all at their default)'}"
            )
        )
        self.python = pmui.Button(
            label="Copy as Python", size="small", variant="outlined", color="light", margin=(10, 4)
        )
        self.python.on_click(self._open_code)
        self.code = pmui.TextAreaInput(label="Python", value="", rows=16, max_rows=24, sizing_mode="stretch_width")
        self.copy = pmui.Button(label="Copy", size="small")
        self.copy.js_on_click(args={"area": self.code}, code=COPY_JS.format("area.data ? area.data.value : area.value"))
        self.dialog = pmui.Dialog(
            self.code, self.copy, title="This view in a notebook", open=False, close_on_click=True, width_option="md"
        )
        self.download = pmui.FileDownload(
            callback=self._yaml,
            filename="scenario.yaml",
            label="Scenario",
            size="small",
            variant="outlined",
            color="light",
            margin=(10, 4),
        )
        self.upload = pmui.FileInput(
            accept=".yaml,.yml", label="Load", size="small", variant="outlined", color="light", margin=(10, 4), width=90
        )
        self.upload.param.watch(self._load_file, "value")
        session.when_closing(self._forget)

    @property
    def items(self) -> list[Any]:
        """What the page puts into its header."""
        return [
            self.preset,
            self.formulation,
            pn.HSpacer(),
            self.share,
            self.python,
            self.download,
            self.upload,
            self.dialog,
        ]

    def _forget(self) -> None:
        """Panel keeps what runs in the browser on a click in a global table that would hold the page for ever."""
        for button in (self.share, self.copy):
            Callback.registry.pop(button, None)

    def _load_preset(self, event: Any) -> None:
        if event.new not in (CUSTOM, preset_of(self.session.state.scenario)):
            self.session.state.load(preset(event.new))

    def _follow(self, *_: Any) -> None:
        scenario = self.session.state.scenario
        self.formulation.value, self.preset.value = scenario.formulation, preset_of(scenario)

    def _open_code(self, _: Any) -> None:
        self.code.value = python_of(self.session.state)
        self.dialog.open = True

    def _yaml(self) -> io.BytesIO:
        return io.BytesIO(self.session.state.scenario.to_yaml().encode())

    def _load_file(self, event: Any) -> None:
        data = event.new
        if not data:
            return
        try:
            scenario = scenario_from_upload(bytes(data) if not isinstance(data, (list, tuple)) else bytes(data[0]))
            self.session.state.load(scenario)
        except ScenarioError as error:
            self.session.complain(f"The file was not loaded. {error}")
        else:
            self.session.tell("Scenario loaded; values are rounded to the step of their slider.")
