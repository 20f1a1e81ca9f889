"""JSON Schema of study files, made from the fields' metadata and from what is registered."""

from __future__ import annotations

from core.scenario import PRESETS, Scenario, field_names
from core.scenario.schema import DIALECT, Schema, field, field_definitions, scenario_mapping
from core.simulation import POLICIES
from core.studies.axis import MAX_VALUES
from core.studies.samples import SAMPLES
from core.studies.seeds import EVALUATION_SEED, MOST_SEED, MOST_TRIALS

SCALAR = {"type": ["number", "string", "boolean"]}
TEXTS = {"type": "array", "items": {"type": "string"}}


def study_schema() -> Schema:
    """What `Study.from_yaml` reads; the entries' meaning is in docs/STUDIES.md."""
    fields = list(field_names())
    entries = {
        "vary": {
            "description": "Fields and their values: a list, or a text such as 100:200:10 (both ends belong to it) or 1,2,5.",
            "anyOf": [
                {
                    "type": "object",
                    "properties": {name: _axis(name) for name in fields if _single(name)},
                    "additionalProperties": False,
                },
                {**TEXTS, "examples": [["network.slots=100:200:10"]]},
                {"type": "null"},
            ],
        },
        "settings": {
            "description": "Names for several fields that change together; each is combined with every value varied.",
            "type": ["object", "null"],
            "additionalProperties": {
                "type": ["object", "null"],
                "properties": {name: field(name) for name in fields},
                "additionalProperties": False,
            },
        },
        "policies": {
            "description": "Who flies; other constants in brackets, such as Fixed-Service(usable=0.5).",
            **_names(list(POLICIES), more=True),
            "default": ["SAFE"],
        },
        "trials": {"description": "Seeds per cell and policy.", **_whole(1, MOST_TRIALS), "default": 1},
        "seed_start": {
            "description": "First seed; below 1000 for calibration and tuning.",
            **_whole(0, MOST_SEED),
            "default": EVALUATION_SEED,
        },
        "seeds": {
            "description": "The seeds one by one, in place of trials and seed_start.",
            "anyOf": [_whole(0, MOST_SEED), {"type": "array", "items": _whole(0, MOST_SEED), "minItems": 1}],
        },
        "scenario": {
            "description": "Everything that is not varied: a preset, a YAML file beside this one, or the fields themselves.",
            "anyOf": [{"enum": list(PRESETS)}, {"type": "string"}, {"$ref": "#/definitions/scenario"}],
        },
        "points": {
            "description": "Values per cell in the order of the varied fields, in place of all their combinations.",
            "type": ["array", "null"],
            "items": {"type": "array", "items": SCALAR},
            "minItems": 1,
        },
        "samples": {
            "description": "Distributions that every run keeps beside its record.",
            "anyOf": [*_names(list(SAMPLES), more=False)["anyOf"], {"type": "null"}],
        },
    }
    return {
        "$schema": DIALECT,
        "title": "SAFE Explorer study",
        "type": ["object", "null"],
        "properties": entries,
        "additionalProperties": False,
        "dependencies": {"seeds": {"not": {"anyOf": [{"required": [other]} for other in ("trials", "seed_start")]}}},
        "definitions": {**field_definitions(), "scenario": scenario_mapping()},
    }


def _single(name: str) -> bool:
    return not isinstance(Scenario().value(name), tuple)


def _axis(name: str) -> Schema:
    """A value, a text with several, or a list of both."""
    one = [field(name), {"type": "string"}]
    return {"anyOf": [*one, {"type": "array", "items": {"anyOf": one}, "minItems": 1, "maxItems": MAX_VALUES}]}


def _names(known: list[str], *, more: bool) -> Schema:
    """A list of names, or a text with commas; `more` = others than those known here may exist."""
    one = {"anyOf": [{"enum": known}, {"type": "string"}]} if more else {"enum": known}
    return {"anyOf": [{"type": "string"}, {"type": "array", "items": one, **({"minItems": 1} if more else {})}]}


def _whole(low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}
