"""Messages that no page sends: foreign values for real models, unknown models, events of no kind, broken frames; all from one seed."""

from __future__ import annotations

import json
import random
from typing import Any

Message = list[str | bytes]
"""The frames of one message."""
Models = dict[str, dict[str, Any]]
"""Properties of every model of a document as it was sent, by the model's id."""

OTHER_EVENTS = (
    "ColumnDataChanged",
    "ColumnsStreamed",
    "ColumnsPatched",
    "RootAdded",
    "RootRemoved",
    "TitleChanged",
    "Nonsense",
)
OTHER_KINDS = ("PULL-DOC-REQ", "PUSH-DOC", "SERVER-INFO-REQ", "ACK", "OK", "ERROR", "PULL-DOC-REPLY", "NO-SUCH", "")
TEXTS = ("", "x", "<script>alert(1)</script>", "../../etc/passwd", "\x00", "é" * 50, "__class__", "nan", "9" * 400)
NUMBERS = (0, -1, 1, 3, 99, 10**9, 10**30, 0.5, -2.5, 1e308, -1e-308, {"type": "number", "value": "nan"})
NAMES = ("values", "view", "data", "active", "value", "text", "object", "entry", "filename", "clicks", "event")
BROKEN: tuple[Message, ...] = (
    ["not json"],
    ["{}", "{}", "{}"],
    ["[" * 5000, "{}", "{}"],
    [b"\x00" * 64],
    [b""],
    ['{"a":' * 3000, "{}", "{}"],
    ['{"msgid": 7, "msgtype": "PATCH-DOC"}', "{}", '{"events": []}'],
    ['{"msgid": null, "msgtype": "PATCH-DOC"}', "{}", '{"events": []}'],
    ['{"msgid": "1", "msgtype": 3}', "{}", "{}"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 2}', "{}", "{}", '{"id": "1"}', "text"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": "x"}', "{}", "{}"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": -1}', "{}", "{}", '{"id": 4}', b"x"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC"}', "[]", "{}"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", '{"events": ['],
    ['{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", '{"events": 3}'],
    ['{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", "null"],
    ['{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", '"' + "y" * 3_000_000 + '"'],
    ['{"msgid": "1", "msgtype": "PUSH-DOC"}', "{}", '{"doc": {"roots": [], "title": "mine", "version": "3.9.2"}}'],
)
"""Each may end its connection."""


def models_of(document: Any) -> Models:
    """What a document has."""
    found: Models = {}
    nodes = [document]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            if "id" in node and isinstance(node.get("attributes"), dict):
                found[node["id"]] = node["attributes"]
            nodes += list(node.values())
        elif isinstance(node, list):
            nodes += node
    return found


def whole_message(rng: random.Random, models: Models) -> Message:
    """A message that can be read as one; most change a property of a real model to what it never is."""
    kind = rng.choice(OTHER_KINDS) if rng.random() < 0.08 else "PATCH-DOC"
    content = {"events": [_event(rng, models) for _ in range(rng.choice([1, 1, 1, 2, 4]))]}
    return [json.dumps({"msgid": str(rng.randrange(1000)), "msgtype": kind}), "{}", json.dumps(content)]


def broken_message(rng: random.Random) -> Message:
    """Frames that are none."""
    return rng.choice(BROKEN)


def _event(rng: random.Random, models: Models) -> dict[str, Any]:
    known = [name for name, properties in models.items() if properties]
    name = rng.choice(known) if rng.random() < 0.9 else rng.choice(["p99999", "", "ümlaut"])
    properties = models.get(name, {})
    attr = rng.choice(list(properties)) if properties and rng.random() < 0.9 else rng.choice(NAMES)
    new = _changed(rng, properties.get(attr), models) if rng.random() < 0.8 else _any(rng, models)
    event: dict[str, Any] = {"kind": "ModelChanged", "model": {"id": name}, "attr": attr, "new": new}
    way = rng.random()
    if way < 0.15:
        event["kind"] = rng.choice(OTHER_EVENTS)
    elif way < 0.35:
        values = [["model", {"id": name}], ["data", _any(rng, models)]]
        event = {
            "kind": "MessageSent",
            "msg_type": rng.choice(["bokeh_event", "bokeh_event", "bokeh_event", "nonsense"]),
            "msg_data": {
                "type": "event",
                "name": rng.choice(
                    ["button_click", "tap", "esm_event", "data_event", "dom_event", "document_ready", "z"]
                ),
                "values": {"type": "map", "entries": values},
            },
        }
    if rng.random() < 0.05:
        event.pop(rng.choice(sorted(event)))
    return event


def _changed(rng: random.Random, value: Any, models: Models, depth: int = 0) -> Any:
    """A value of the same kind, or nearly: what gets furthest."""
    if isinstance(value, bool) or value is None or rng.random() < 0.1 or depth > 4:
        return _any(rng, models)
    if isinstance(value, int | float):
        return rng.choice(NUMBERS)
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, list):
        kept = [_changed(rng, item, models, depth + 1) if rng.random() < 0.4 else item for item in value]
        return kept[: rng.randrange(len(kept) + 1)] if rng.random() < 0.2 else kept
    if isinstance(value, dict):
        keep = ("type", "id", "name")
        return {
            k: v if k in keep or rng.random() < 0.5 else _changed(rng, v, models, depth + 1) for k, v in value.items()
        }
    return value


def _any(rng: random.Random, models: Models, depth: int = 0) -> Any:
    draw = rng.random()
    if draw < 0.3 or depth > 3:
        return rng.choice([None, True, False, *NUMBERS])
    if draw < 0.5:
        return rng.choice(TEXTS)
    if draw < 0.6:
        return {"id": rng.choice([*list(models)[:40], "p1", "nowhere"])}
    if draw < 0.75:
        return [_any(rng, models, depth + 1) for _ in range(rng.randrange(4))]
    names = (
        "play",
        "step",
        "cycle",
        "again",
        "speed",
        "focus",
        "seed",
        "policy",
        "key",
        "value",
        "query",
        "go",
        "data",
        "size",
    )
    entries = [[name, _any(rng, models, depth + 1)] for name in rng.sample(names, rng.randrange(4))]
    return {"type": rng.choice(["map", "map", "map", "ndarray", "object", "set", "bytes", "zzz"]), "entries": entries}
