"""Coefficients per standard deviation, or per K units, of their columns; tests stay as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from separatrix.data import Floats, InputError, in_full
from separatrix.inference.inputs import INTERCEPT, Asked
from separatrix.inference.table import CoefficientRow, CoefficientTable, Unit, exp_of
from separatrix.scale import Block, Rows
from separatrix.tables.wording import shown
from separatrix.tiles import stack_of_tiles

Per = str | float | Mapping[str, str | float]

SCALED = "estimate", "standard_error", "wald_lower", "wald_upper", "lower", "upper"
AWAY = [
    [np.inf, -np.inf],
    [-np.inf, np.inf],
]  # where rounding leaves brackets too wide, never small


def in_units(
    table: CoefficientTable, per: Per | None, asked: Asked, rows: Rows
) -> CoefficientTable:
    """Return the table with coefficients per units of the columns of rows (N, d)."""
    if per is None:
        return table
    units, brackets = _units(per, asked, rows), dict(table.brackets)
    scaled = {row.name: _scaled(row, units[row.name]) for row in table.rows if row.name in units}
    for name in brackets.keys() & scaled.keys():
        ends = np.array(brackets[name]) * units[name].size
        (a, b), (c, d) = np.where(np.isinf(ends), ends, np.nextafter(ends, AWAY)).tolist()
        brackets[name] = (a, b), (c, d)
        inside = {"lower": a, "upper": c}
        known = {side: end for side, end in inside.items() if not math.isnan(end)}
        scaled[name] = scaled[name]._replace(**known)
    return replace(
        table,
        rows=tuple(scaled.get(row.name, row) for row in table.rows),
        brackets=brackets,
        units={name: units[name] for name in scaled},
    )


def _units(per: Per, asked: Asked, rows: Rows) -> dict[str, Unit]:
    """Return the unit of each column; one of zeros and ones has none: levels are compared."""
    if isinstance(per, Mapping):
        wanted = {j: _size(size) for name, size in per.items() for j in asked.columns(name)}
    else:
        wanted = dict.fromkeys(range(1, len(asked.names) + 1), _size(per))
    names, deviations, units = (INTERCEPT, *asked.names), _deviations(rows), {}
    for j, size in wanted.items():
        deviation = float(deviations[j - 1]) if j else 0.0
        if deviation > 0.0:
            units[names[j]] = Unit(size or deviation, is_deviation=not size)
        elif isinstance(per, Mapping):
            raise InputError(
                f"per: {shown(names[j])} has no units; columns of numbers have that hold more than "
                "0 and 1. Leave it out."
            )
    return units


def _size(size: str | float) -> float:
    """Return how many units a coefficient is per; 0 for a standard deviation."""
    if size == "sd":
        return 0.0
    try:
        number = 0.0 if isinstance(size, bool) else float(size)
    except (TypeError, ValueError):
        number = 0.0
    if not 0.0 < number < math.inf:
        raise InputError(f"per holds {size!r}: give sd or a positive number, such as 10.")
    return number


def _scaled(row: CoefficientRow, unit: Unit) -> CoefficientRow:
    found = {name: getattr(row, name) * unit.size for name in SCALED}
    if any(math.isinf(v) > math.isinf(getattr(row, name)) for name, v in found.items()):
        raise InputError(f"per: {shown(row.name)} per {unit} is too large for doubles.")
    odds = row.odds_ratio if math.isnan(row.odds_ratio) else exp_of(found["estimate"])
    return row._replace(**found, odds_ratio=odds)


def _deviations(rows: Rows) -> Floats:
    """Return the standard deviation (d,), over N - 1, of columns; 0 of those of zeros and ones."""
    n, total, _, others = rows.sum(_sums, np.zeros(rows.d))
    with np.errstate(all="ignore"):
        found = np.sqrt(rows.sum(_sums, total / n)[2] / (n - 1.0))
    return np.where((others > 0.0) & np.isfinite(found), found, 0.0)


def _sums(block: Block, centre: Floats) -> Floats:
    """Return sums over tiles (tiles, 4, d): weights, x, (x - centre)^2, and x not 0 or 1."""
    of = block.sample

    def part(tile: slice) -> Floats:
        X, weight = in_full(of.X[tile]).astype(np.float64), of.weight[tile]
        with np.errstate(over="ignore"):
            squares = weight @ (X - centre) ** 2
        others = weight @ ((X != 0.0) & (X != 1.0))
        return np.array([np.full(X.shape[1], weight.sum()), weight @ X, squares, others])

    return stack_of_tiles(block.n, part)
