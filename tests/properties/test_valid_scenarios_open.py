"""Whatever scenario is valid opens on the page, by link and by file, to its last digit, and comes back out the same."""

import itertools
from urllib.parse import urlencode

import pytest
from fuzzing import budget
from valid_scenarios import valid_scenarios

from app.course import settings_from
from app.picture import Inputs
from app.share_links import parse_query, pin_of, pinned_state, query_of, read_query, scenario_from_upload
from app.state import FIELDS, State
from core.control import ControlModel
from core.instant import takeoff
from core.scenario import Scenario

TRIED = budget(60)
SEED = 1


def texts(scenario: Scenario) -> str:
    """A link to the scenario, written by somebody else than the page: every digit as Python has it."""
    leaf = {name: leaf for leaf, name in FIELDS.items()}
    named = scenario.differences().items()
    return "?" + urlencode({leaf[n]: ",".join(map(str, v)) if isinstance(v, tuple) else str(v) for n, v in named})


def whole(state: State) -> tuple[object, ...]:
    return state.values(), state.takeoff, state.changes, state.action, state.tab


def opened(query: str) -> State:
    state = State()
    assert read_query(state, parse_query(query)) == [], query
    return state


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return list(itertools.islice(valid_scenarios(SEED), TRIED))


def test_a_link_opens_and_comes_back(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        state = opened(texts(scenario))
        assert state.scenario == scenario
        ControlModel.of(takeoff(scenario))  # and there is a flight behind it
        assert Inputs.of(state).scenario == scenario
        assert whole(opened(query_of(state))) == whole(state)
        state.fly_as_set()
        assert takeoff(scenario, state.takeoff) == scenario
        assert whole(opened(query_of(state))) == whole(state)


def test_a_file_opens_and_comes_back(scenarios: list[Scenario]) -> None:
    state = State()  # one for all: each file is loaded over the one before
    for scenario in scenarios:
        state.load(scenario_from_upload(scenario.to_yaml().encode()))
        assert state.scenario == scenario
        assert takeoff(state.scenario, state.takeoff) == scenario
        assert scenario_from_upload(state.scenario.to_yaml().encode()) == scenario
        assert scenario_from_upload(state.scenario.to_yaml(only_changes=True).encode()) == scenario
        assert whole(opened(query_of(state))) == whole(state)


def test_pins_undo_and_changes_in_flight_keep_every_digit(scenarios: list[Scenario]) -> None:
    for before, after in itertools.pairwise(scenarios):
        here, there = State(), State()
        here.load(before)
        there.load(after)
        assert pinned_state(pin_of(here)).scenario == before
        here.take(there)  # what Back and Forward do
        assert (whole(here), here.scenario) == (whole(there), after)
        moved = after.replace(**{"network.snr_offset_db": 1.0 / 3.0, "twin.beta": 0.1 + 0.2})
        there.fly(there.takeoff, ((0, settings_from(after, moved)),))
        assert opened(query_of(there)).in_force(0) == moved


def test_a_move_steps_from_there_onto_the_grid_and_leaves_the_rest(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        state = State()
        state.load(scenario)
        state.move({"snr_offset_db": 3.2999})
        assert state.scenario == scenario.replace(**{"network.snr_offset_db": 3.5})
