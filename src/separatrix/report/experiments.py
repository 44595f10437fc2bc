"""What an experiment found, as a section of text and as JSON."""

from __future__ import annotations

import json
from typing import Any

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.course.experiments import Experiment
from separatrix.report.wording import Section

FORMAT, FORMAT_VERSION = "separatrix experiment", 1


def experiment_section(found: Experiment) -> Section:
    """Return the figures of an experiment as a table with words around it."""
    settings = ", ".join(f"{name} {_shown(value)}" for name, value in found.settings.items())
    return Section(
        f"Experiment: {found.name}",
        found.about,
        tuple(column.name for column in found.columns),
        tuple(tuple(_cell(value) for value in row) for row in found.rows),
        (*found.found, *(f"{c.name}: {c.about}." for c in found.columns), f"Settings: {settings}."),
    )


def experiment_json(found: Experiment) -> str:
    """Return an experiment as one JSON object, ending in a newline; every figure in full."""
    kept = [k for k, column in enumerate(found.columns) if not column.timed]
    timed = [k for k, column in enumerate(found.columns) if column.timed]
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "separatrix": __version__,
        "experiment": found.name,
        "about": list(found.about),
        "settings": dict(found.settings),
        "columns": [{"name": found.columns[k].name, "about": found.columns[k].about} for k in kept],
        "rows": [[row[k] for k in kept] for row in found.rows],
        "found": list(found.found),
    }
    if timed:
        data["timed"] = {found.columns[k].name: [row[k] for row in found.rows] for k in timed}
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _shown(value: Untyped) -> str:
    if isinstance(value, list):
        return " ".join(_shown(one) for one in value)
    return str(value) if isinstance(value, int) else f"{value:g}"
