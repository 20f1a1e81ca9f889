"""How scenario files are read: plain YAML 1.2 scalars, no aliases, no key twice."""

from __future__ import annotations

import re
from typing import Any

import yaml

_INT = r"[-+]?[0-9]+"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"

MOST_DIGITS = 400
"""More digits than any float has: Python refuses to read whole numbers of thousands of digits."""


class PlainLoader(yaml.SafeLoader):
    """YAML whose numbers mean what they look like.

    PyYAML follows YAML 1.1, where `0120` is octal 80, `2:40` is base-60 160 and `2e-1` is a text. Here, as in YAML
    1.2, a whole number is decimal, an exponent makes a float, and everything else is a text, which a number field
    refuses. Aliases are refused, since they could blow a small file up to any size, and so is a key given twice.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed in a scenario")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) < len(node.value):
            raise yaml.YAMLError(f"a key is given twice in one mapping{node.start_mark}")
        return mapping

    def decimal_int(self, node: Any) -> int | float:
        text = str(self.construct_scalar(node))
        return int(text) if len(text) < MOST_DIGITS else float(text)  # infinite, which every field refuses

    def decimal_float(self, node: Any) -> float:
        return float(str(self.construct_scalar(node)).lower().replace(".inf", "inf").replace(".nan", "nan"))


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag.rpartition(":")[2] in ("bool", "null")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(rf"^(?:{_INT})$"), list("-+0123456789"))
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(rf"^(?:{_FLOAT})$"), list("-+.0123456789"))
PlainLoader.add_constructor("tag:yaml.org,2002:int", PlainLoader.decimal_int)
PlainLoader.add_constructor("tag:yaml.org,2002:float", PlainLoader.decimal_float)
