"""Scenario files: round trips, hostile files, size limits."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Scenario
from core.errors import ScenarioError
from core.scenario import PRESETS, field_names, preset, quantity_of
from core.scenario.scenario import MAX_YAML_BYTES


def refusal(text):
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_yaml(text)
    return str(caught.value)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("only_changes", [True, False])
def test_presets_survive_the_round_trip(name, only_changes, tmp_path):
    s, path = preset(name), tmp_path / "s.yaml"
    text = s.to_yaml(path, only_changes=only_changes)
    assert path.read_text(encoding="utf-8") == text
    assert Scenario.from_yaml(path) == Scenario.from_yaml(str(path)) == s
    assert Scenario.from_yaml(text) == s


def test_only_changes_are_written():
    s = Scenario().replace(**{"network.slots": 120, "network.blocklengths": (600, 750), "formulation": "paper"})
    text = s.to_yaml(only_changes=True)
    assert Scenario.from_yaml(text) == s
    assert len(text.splitlines()) < 10
    assert Scenario().to_yaml(only_changes=True).strip() == "{}"


@given(st.data())
def test_any_scenario_survives_the_round_trip(data):
    """Values that move no other field's condition, to the last bit."""
    names = data.draw(st.lists(st.sampled_from(["control.eta", "network.tx_power_dbm", "twin.beta", "twin.H_T"])))
    changes = {}
    for name in names:
        q = quantity_of(name)
        whole = isinstance(Scenario().value(name), int)
        changes[name] = data.draw(st.integers(int(q.lo), int(q.hi)) if whole else st.floats(q.lo, q.hi))
    s = Scenario().replace(**changes)
    assert Scenario.from_yaml(s.to_yaml()) == s
    assert Scenario.from_yaml(s.to_yaml()).digest() == s.digest()


def test_file_holds_every_field():
    text = Scenario().to_yaml()
    for name in field_names():
        assert (f"{name.rpartition('.')[2]}:" in text) == (
            quantity_of(name).own is None
        )  # own files: where there are any


def test_what_is_not_given_keeps_its_default():
    assert Scenario.from_yaml("network: {slots: 120}").differences() == {"network.slots": 120}
    assert Scenario.from_yaml("# nothing\n\n") == Scenario()


def test_dotted_names_are_read_and_never_ignored():
    assert Scenario.from_dict({"network.slots": 120}).network.slots == 120
    assert "network.slots" in refusal("network.slot: 120\n")


@pytest.mark.parametrize(
    ("written", "slots"),
    [("0120", 120), ("+120", 120), ("120.0", 120), ("1.2e2", 120), ("1e2", 100), ("12E1", 120), ("!!int 0120", 120)],
)
def test_numbers_are_decimal(written, slots):
    """As in YAML 1.2: PyYAML alone reads 0120 as octal 80 and 1e2 as a text."""
    assert Scenario.from_yaml(f"network: {{slots: {written}}}").network.slots == slots


@pytest.mark.parametrize("written", ["2e-1", "2.0e-1", "+.2", "0.2", "20E-2"])
def test_exponents_are_numbers(written):
    assert Scenario.from_yaml(f"control: {{R: {written}}}").control.R == 0.2


@pytest.mark.parametrize("written", ["2:40", "0x78", "0o170", "0b11", "1_20", "'120'", "2020-01-01", "1e", "--1"])
def test_other_spellings_are_texts_and_refused(written):
    """Base 60, hexadecimal and the like: refused rather than turned into another number."""
    message = refusal(f"network: {{slots: {written}}}")
    assert "must be a number between 0 and 450 slots" in message
    assert written.strip("'") in message


@pytest.mark.parametrize("written", ["!!int 2:40", "!!float 2:40", "!!int 0x78"])
def test_tags_do_not_bring_them_back(written):
    assert "not valid YAML" in refusal(f"network: {{slots: {written}}}")


@pytest.mark.parametrize(
    "written", ["network: {slots: 120}\nnetwork.slots: 130", "network.slots: 130\nnetwork: {slots: 120}"]
)
def test_a_name_given_in_both_spellings_is_refused(written):
    message = refusal(written)
    for part in ("network.slots", "twice", "120", "130", "leave one out"):
        assert part in message


@pytest.mark.parametrize("written", ["{600: 1}", "!!set {600, 900}", "600"])
def test_list_fields_take_only_lists(written):
    assert "must be a list" in refusal(f"network: {{blocklengths: {written}}}")


def test_braces_are_text_and_nothing_is_not():
    assert Scenario.from_yaml("{}") == Scenario()
    assert Scenario.from_yaml("{network.slots: 120}").network.slots == 120
    for nothing in ("", "  "):
        message = refusal(nothing)
        for part in ("empty", "path of a scenario file", "network: {slots: 120}"):
            assert part in message
    message = refusal("no-such-file")
    for part in ("'no-such-file'", "path of a file", "network: {slots: 120}"):
        assert part in message


@pytest.mark.parametrize(
    "text", ["z" * 3000, "network: {slots: " + "z" * 3000 + "}", "a: !" + "z" * 3000 + " 1", "? " + "z" * 900 + "\n: 1"]
)
def test_long_texts_are_not_echoed_whole(text):
    assert len(refusal(text)) < 400


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("netwrk: {slots: 120}\n", "Did you mean 'network'"),
        ("network: {slotz: 120}\n", "Did you mean 'network.slots'"),
        ("network: 120\n", "mapping"),
        ("- network\n", "mapping"),
        ("just words\nand more\n", "mapping"),
        ("network: {slots: 999}\n", "between 0 and 450"),
        ("network: {slots: twelve}\n", "must be a number"),
        ("network: {slots: 2020-01-01}\n", "must be a number"),
        ("network: {slots: .nan}\n", "finite"),
        ("network: {slots: .inf}\n", "finite"),
        ("network: {slots: .NaN}\n", "finite"),
        (f"network: {{slots: 1{'0' * 400}}}\n", "finite"),
        (f"network: {{slots: {'9' * 5000}}}\n", "finite"),
        ("network: {<<: {slots: 120}}\n", "Unknown scenario field"),
        ("network: {slots: 120\n", "not valid YAML"),
        ("network: {slots: 120}\nnetwork: {bits_ul: 800}\n", "twice"),
        ("network: {slots: 120, slots: 130}\n", "twice"),
        ("1: 2\n", "Unknown scenario field '1'"),
        ("network: {1: 2}\n", "Unknown scenario field"),
        ("? [a, b]\n: c\n", "not valid YAML"),
        ("network: {slots: 99}\x00\n", "not valid YAML"),
    ],
)
def test_broken_files_are_refused_with_the_reason(text, part):
    assert part in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nnetwork: {blocklengths: *c}\n",  # a bomb
        "a: &a {slots: 120}\nnetwork: {<<: *a}\n",
        "network: &n {gcs_x_m: *n}\n",  # a loop
    ],
)
def test_aliases_are_refused(text):
    assert "aliases" in refusal(text)


@pytest.mark.parametrize(
    "text", ["network: !!python/object/apply:os.getcwd []\n", "!!python/name:builtins.eval\n: 1\n", "a: !thing 1\n"]
)
def test_tags_are_refused(text):
    assert "not valid YAML" in refusal(text)


@pytest.mark.parametrize("bracket", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(bracket):
    depth = 60_000 // len(bracket)
    assert "not valid YAML" in refusal(bracket * depth + "\n")


def test_long_texts_and_files_are_refused(tmp_path):
    text = "# " + "x" * MAX_YAML_BYTES + "\n"
    assert str(MAX_YAML_BYTES) in refusal(text)
    path = tmp_path / "big.yaml"
    path.write_text(text)
    assert str(MAX_YAML_BYTES) in refusal(path)


def test_files_that_cannot_be_read(tmp_path):
    assert "No scenario file" in refusal(tmp_path / "none.yaml")
    assert "No scenario file" in refusal(str(tmp_path))
    assert "cannot be read" in refusal("a" * 5000)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"network: {slots: \xff}\n")
    assert "UTF-8" in refusal(Path(binary))
