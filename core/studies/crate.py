"""What a study folder holds, as a machine reads it: metadata after RO-Crate 1.1, without a date, so that a rerun gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import core
from core.studies.definition import Study

CRATE = "ro-crate-metadata.json"
KNOWN = {
    "study.yaml": ("application/yaml", "Definition of the study and fingerprints of all that shapes a record."),
    "summary.csv": ("text/csv", "Statistics per cell, policy and metric."),
    "differences.csv": ("text/csv", "Every pair of policies on matched seeds, per cell and metric."),
    "sensitivity.csv": ("text/csv", "Sensitivity indices."),
}
FOLDERS = {
    "records/": "One Parquet file per run, records/<policy>/<cell>-<seed>.parquet; pandas.read_parquet reads them all.",
    "samples/": "Whole distributions of the runs.",
}


def crate_json(folder: Path, header: Mapping[str, Any]) -> bytes:
    """The metadata of a study folder.

    Args:
        folder: where it lives; only what is there is listed.
        header: its study.yaml.
    """
    study = Study.from_dict(header["study"])
    files = [name for name in KNOWN if (folder / name).is_file()]
    folders = [name for name in FOLDERS if (folder / name).is_dir()]
    facts = {
        "scenarioDigest": study.scenario.digest(),
        "calibrationDigest": list(header.get("calibration") or ()),
        "codeFingerprint": str(header.get("code", "")),
    }
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"What-if study over {', '.join(study.names) or 'nothing'}",
            "description": f"{study.size} runs: policies {', '.join(study.policies)}; {len(study.seeds)} seeds from {min(study.seeds)} "
            f"to {max(study.seeds)}; varied: {', '.join(study.names) or 'nothing'}.",
            "hasPart": [{"@id": name} for name in (*files, *folders)],
            "variableMeasured": sorted(header.get("metrics") or {}),
        },
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": "python -m core study",
            "instrument": {"@id": "#safe-explorer"},
            "result": {"@id": "./"},
            "object": [{"@type": "PropertyValue", "name": name, "value": value} for name, value in facts.items()],
        },
        {"@id": "#safe-explorer", "@type": "SoftwareApplication", "name": "SAFE Explorer", "version": core.__version__},
        *(
            {"@id": name, "@type": "File", "encodingFormat": KNOWN[name][0], "description": KNOWN[name][1]}
            for name in files
        ),
        *({"@id": name, "@type": "Dataset", "description": FOLDERS[name]} for name in folders),
    ]
    text = json.dumps(
        {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}, indent=1, ensure_ascii=False
    )
    return (text + "\n").encode()
