"""The bar at the top: preset, formulation, and menus to share and to read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui

from app.as_python import python_of
from app.components.menus import Menus
from app.panel_fixes.click_scripts import forget_click_scripts
from app.session import Session
from app.share_links import query_of, scenario_from_upload
from app.state import FIELDS
from core.errors import SafeExplorerError, ScenarioError
from core.scenario import FORMULATIONS, PRESETS, Scenario, preset
from core.scenario.scenario import MAX_YAML_BYTES

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

CODE = {"& textarea": {"fontFamily": "monospace", "fontSize": "14px"}}

CUSTOM = "custom"
"""What the preset box shows when the controls are those of no preset."""

SHARE = {
    "label": "Share",
    "says": "Take what is shown with you, or load what somebody gave you",
    "items": [
        {
            "key": "link",
            "label": "Share link",
            "says": "Copy the address, which reproduces every control",
            "kind": "copy",
        },
        {"key": "python", "label": "Copy as Python", "says": "The same cycle, UAV and sentence in a notebook"},
        {"key": "save", "label": "Save scenario", "says": "Download the scenario as YAML"},
        {
            "key": "load",
            "label": "Load scenario",
            "says": "Fly a scenario from a YAML file",
            "kind": "file",
            "accept": ".yaml,.yml",
            "most": MAX_YAML_BYTES,
        },
    ],
}
"""The menu of what goes out and comes in."""

COPY_JS = "navigator.clipboard && navigator.clipboard.writeText({}).catch(() => {{}})"


@functools.cache
def _presets() -> dict[Scenario, str]:
    return {preset(name): name for name in PRESETS}


def preset_of(scenario: Scenario) -> str:
    """Name of the preset that this scenario is, or CUSTOM."""
    return _presets().get(scenario, CUSTOM)


class Header:
    """Widgets of the top bar, bound to the session's state."""

    def __init__(
        self,
        session: Session,
        buttons: tuple[dict[str, Any], ...] = (),
        picked: Callable[[str, Any], bool] = lambda key, value: False,
    ) -> None:
        """Make the bar.

        Args:
            session: whose.
            buttons: more buttons and menus at its end.
            picked: told of every entry that is picked; whether it has dealt with it.
        """
        self.session, state = session, session.state
        self.preset = pmui.Select(
            options=[CUSTOM, *PRESETS],
            value=preset_of(state.scenario),
            size="small",
            width=130,
            margin=(10, 4, 10, 16),
            sx=ON_BLUE,
        )
        self.preset.param.watch(self._load_preset, "value")
        self.formulation = pmui.RadioButtonGroup(
            options=list(FORMULATIONS), value=state.formulation, size="small", margin=(10, 4), sx=ON_BLUE
        )
        self.formulation.param.watch(lambda e: state.apply({"formulation": e.new}), "value")
        state.param.watch(self._follow, list(FIELDS))
        self._asked = picked
        self.menus = Menus(self._picked, menus=[SHARE, *buttons], margin=(10, 4))
        self.place = pn.Row(margin=0)
        self.dialog: pmui.Dialog | None = None

    @property
    def items(self) -> list[Any]:
        """What the page puts into its header."""
        return [
            self.preset,
            self.formulation,
            pn.HSpacer(),
            self.menus,
        ]

    def _show_python(self) -> None:
        """Open the dialog with the lines; it is made on the first click, in `place`, not on the coloured bar."""
        if self.dialog is None:
            code = pmui.TextAreaInput(
                label="Python", rows=16, max_rows=24, sizing_mode="stretch_width", margin=(10, 10), sx=CODE
            )
            copy = pmui.Button(label="Copy", size="small")
            copy.js_on_click(args={"area": code}, code=COPY_JS.format("area.data ? area.data.value : area.value"))
            self.session.when_closing(lambda: forget_click_scripts(copy))
            self.code, self.copy = code, copy
            self.dialog = pmui.Dialog(
                code, copy, title="This view in a notebook", open=False, close_on_click=True, width_option="md"
            )
            self.place.append(self.dialog)
        self.code.value = python_of(self.session.state)
        self.dialog.open = True

    def _load_preset(self, event: Any) -> None:
        if event.new not in (CUSTOM, preset_of(self.session.state.scenario)):
            self.session.state.load(preset(event.new))

    def _follow(self, *_: Any) -> None:
        scenario = self.session.state.scenario
        self.formulation.value, self.preset.value = scenario.formulation, preset_of(scenario)

    def _picked(self, key: str, value: Any) -> None:
        state = self.session.state
        if key == "link":
            words = query_of(state) or "(all at their default)"
            self.session.tell(f"Link copied; it reproduces every control: {words}")
        elif key == "python":
            self._show_python()
        elif key == "save":
            self.menus.save("scenario.yaml", state.scenario.to_yaml())
        elif key == "load":
            self._load_file(value)
        else:
            self._asked(key, value)

    def _load_file(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        try:
            if "data" not in value:
                size = value.get("size", 0)
                raise ScenarioError(f"It has {size} bytes; a scenario has at most {MAX_YAML_BYTES}.")
            self.session.state.load(scenario_from_upload(value["data"]))
        except SafeExplorerError as error:
            self.session.complain(f"The file was not loaded. {error}")
        else:
            self.session.tell("Scenario loaded, every value with all its digits.")
