"""JSON Schema of scenario files, made from the fields' metadata: an editor then completes, explains and checks them."""

from __future__ import annotations

from typing import Any

from core.scenario.quantity import Quantity
from core.scenario.scenario import Scenario, field_names, group_titles, quantity_of

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest that editors' YAML modes know in full."""
Schema = dict[str, Any]


def scenario_schema() -> Schema:
    """What `Scenario.from_yaml` reads, as far as one field at a time can say it; conditions between fields are not in it."""
    return {
        "$schema": DIALECT,
        "title": "SAFE Explorer scenario",
        **scenario_mapping(),
        "definitions": field_definitions(),
    }


def scenario_mapping() -> Schema:
    """The mapping of groups, or nothing: an empty file is the default scenario. Dotted names are another spelling."""
    inside: dict[str, dict[str, Schema]] = {group: {} for group in group_titles()}
    for group, dot, leaf in (name.partition(".") for name in field_names()):
        if dot:
            inside[group][leaf] = field(f"{group}.{leaf}")
    groups = {
        group: {"title": title, "description": text, **_mapping(inside[group])}
        for group, (title, text) in group_titles().items()
    }
    return {**_mapping({**groups, **{name: field(name) for name in field_names()}}), "type": ["object", "null"]}


def field(name: str) -> Schema:
    """A field by its dotted name, where `field_definitions` are part of the schema."""
    return {"$ref": f"#/definitions/{name}"}


def field_definitions() -> dict[str, Schema]:
    """Every field by its dotted name: what it means, type, bounds, choices and default."""
    return {
        name: {
            "title": name,
            "description": _explained(quantity_of(name)),
            **_values(quantity_of(name), Scenario().value(name)),
            "default": _listed(Scenario().value(name)),
        }
        for name in field_names()
    }


def _explained(quantity: Quantity) -> str:
    """Meaning, symbol, unit and origin of a field in one line."""
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    return f"{quantity.doc} {quantity.symbol}{unit}, {quantity.ref}"


def _values(quantity: Quantity, default: Any) -> Schema:
    if quantity.own is not None:
        return {
            "type": ["string", "array"]
        }  # a file's name, or buildings as rows of numbers (D27): the loader tells the rest
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, str):
        return {"enum": list(quantity.choices)} if quantity.choices else {"type": "string"}
    if isinstance(default, tuple):
        most = {"maxItems": quantity.most} if quantity.most is not None else {}
        items = _values(quantity, default[0]) if default else {}
        return {"type": "array", "items": items, "minItems": 1, **most, "uniqueItems": True}
    bounds = {"minimum": quantity.lo, "maximum": quantity.hi}
    return {
        "type": "integer" if isinstance(default, int) else "number",
        **{word: _plain(bound) for word, bound in bounds.items() if bound is not None},
    }


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plain(bound: float) -> int | float:
    return int(bound) if bound == int(bound) else bound


def _mapping(properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}
