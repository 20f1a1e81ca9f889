"""`python -m core schema`: the JSON Schema of scenario or study files, for editors."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from core.cli.target import writable_file
from core.folders import DATA, write_atomically
from core.scenario.schema import Schema, scenario_schema
from core.studies.schema import study_schema

SCHEMAS: dict[str, Callable[[], Schema]] = {"scenario": scenario_schema, "study": study_schema}
EXAMPLE = f"""examples:
  python -m core schema scenario
  python -m core schema study --out study.json

Shipped copies lie in {DATA / "schemas"}. An editor with a YAML mode takes one by a first line such as
  # yaml-language-server: $schema=study.json"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "schema",
        help="JSON Schema of scenario or study files, for editors",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("of", choices=SCHEMAS, help="kind of file")
    parser.add_argument("--out", type=Path, help="file to write (default: print it)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the schema, or write it."""
    text = schema_text(args.of)
    if args.out is None:
        print(text, end="")
    else:
        write_atomically(writable_file(args.out), text.encode())
    return 0


def schema_text(kind: str) -> str:
    """A schema as it is written to a file."""
    return json.dumps(SCHEMAS[kind](), indent=2, ensure_ascii=False) + "\n"
