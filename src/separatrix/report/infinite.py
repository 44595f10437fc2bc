"""Which coefficients of logistic regression are infinite, and how many rows have their level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.report.question import infinite_signs
from separatrix.report.wording import Section, plain
from separatrix.tables import CategoryEncoding
from separatrix.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Infinite:
    """A coefficient without a finite value."""

    name: str  # of the feature, or "(intercept)"
    sign: str  # "+inf", "-inf", "±inf", or "inf" where the direction is not known
    column: str | None  # the column whose level it is; None for other features
    rows: int
    yes: int


def infinite_of(verdict: Verdict) -> list[Infinite]:
    """Return every infinite coefficient, the intercept first."""
    columns = {
        feature: how.name
        for how in verdict.encoding.columns
        if isinstance(how, CategoryEncoding)
        for feature in how.feature_names
    }
    names = ("(intercept)", *verdict.features)
    X, of_yes = verdict.question.points, verdict.question.sample.y > 0
    found = []
    for j, sign in infinite_signs(verdict).items():
        column = columns.get(names[j]) if j else None
        rows = yes = 0
        if j:
            values = X[:, j - 1] if isinstance(X, np.ndarray) else X[:, [j - 1]].toarray().ravel()
            has = values != 0.0
        is_level = j > 0 and (column is not None or bool(np.all(values[has] == 1.0)))
        if is_level and verdict.table.n_rows == of_yes.size:  # else these are some rows only
            rows, yes = int(has.sum()), int((has & of_yes).sum())
        found.append(Infinite(names[j], sign, column, rows, yes))
    return found


def infinite_section(verdict: Verdict) -> Section | None:
    """Return all infinite coefficients; None where there are none, or where all are infinite."""
    found = infinite_of(verdict)
    if not found or len(found) == len(verdict.features) + 1:
        return None
    yes = plain(verdict.table.yes, 20)
    rows = tuple(
        (
            c.sign,
            f"{c.rows:,}" if c.column else "-",
            f"{c.yes:,}" if c.column else "-",
            plain(c.name),
        )
        for c in found
    )
    return Section(
        "Infinite coefficients",
        (
            "The likelihood of logistic regression keeps rising as these coefficients grow. Of a "
            "level: how many rows have it, and how many of them have the label asked about.",
        ),
        ("estimate", "rows", f"of them {yes}", "coefficient"),
        rows,
    )
