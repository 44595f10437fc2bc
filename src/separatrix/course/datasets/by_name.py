"""Makers by the name and the options that the command line has for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from separatrix.course.datasets.points import make_noisy, make_separable
from separatrix.course.datasets.stories import make_credit, make_graduation
from separatrix.course.datasets.table import MadeTable, points_table
from separatrix.data import InputError

# option -> parameter, for each maker
_POINTS = {"rows": "n", "columns": "d", "margin": "margin", "seed": "seed"}
_PEOPLE = {"rows": "n", "flip": "flip", "missing": "missing", "seed": "seed"}
_MAKERS: dict[str, tuple[Callable[..., MadeTable], dict[str, str]]] = {
    "separable": (lambda **how: points_table(*make_separable(**how)), _POINTS),
    "noisy": (lambda **how: points_table(*make_noisy(**how)), {**_POINTS, "flip": "flip"}),
    "credit": (make_credit, _PEOPLE),
    "graduation": (make_graduation, _PEOPLE),
}


def made_by_name(name: str, options: Mapping[str, Any]) -> MadeTable:
    """Return what the maker called `name` makes with these options (without dashes)."""
    maker, known = _MAKERS[name]
    for option in options:
        if option not in known:
            raise InputError(
                f"`make {name}` has no --{option}; it has {', '.join(f'--{o}' for o in known)}."
            )
    return maker(**{known[option]: value for option, value in options.items()})
