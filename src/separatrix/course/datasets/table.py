"""A made table: mixed columns, labels, the line that answered them, and the files made of it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats
from separatrix.notebook import places

Cell = int | float | str | None
MOST_ROWS_NAMED = 20


@dataclass(frozen=True, eq=False)
class MadeTable:
    """Columns as a file would have them, and the target on the features that `read_table` makes."""

    columns: dict[str, list[Cell]]  # numbers or text; None where a value is missing
    label: str  # name of the label column
    labels: list[str]
    intercept: float  # w_0 of the target: minus its threshold
    # "column" for numbers, "column=level" for categories, the first level in sorted order being the
    # baseline; 0 for features that the target does not use
    weights: dict[str, float]
    flipped: NDArray[np.bool_]  # (N,) which rows' labels are not the target's

    @property
    def target(self) -> str:
        """The target in words: "approved is yes if annual_salary - 2 current_debt > 100"."""
        terms = [(name, w) for name, w in self.weights.items() if w]
        total = " ".join(_term(name, w, first=k == 0) for k, (name, w) in enumerate(terms))
        return f"{self.label} is yes if {total} > {_plain(-self.intercept)}, else no"

    @property
    def about(self) -> str:
        """The target, what it does not use, and which labels were flipped: sentences."""
        sentences = [f"The known target: {self.target}."]
        unused = [name for name, w in self.weights.items() if not w]
        if unused:
            sentences.append(f"It does not look at {', '.join(unused)}.")
        if self.flipped.any():
            rows = (np.flatnonzero(self.flipped) + 1).tolist()
            named = places(rows, MOST_ROWS_NAMED)
            what = "label was" if len(rows) == 1 else "labels were"
            sentences.append(f"{len(rows):,} {what} turned round, in row {named}.")
        return " ".join(sentences)

    def to_csv(self) -> str:
        """Return the table as CSV text; numbers read back to the same doubles."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, self.label])
        writer.writerows(zip(*self.columns.values(), self.labels, strict=True))
        return text.getvalue()

    def to_parquet(self) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = io.BytesIO()
        pq.write_table(pa.table({**self.columns, self.label: self.labels}), file)
        return file.getvalue()


def points_table(
    X: Floats, y: NDArray[np.int64], target: Floats, flipped: NDArray[np.bool_] | None = None
) -> MadeTable:
    """Return points (N, d) with labels (N,) and their target (1+d,) as a table of x1, x2, ..."""
    names = [f"x{j}" for j in range(1, X.shape[1] + 1)]
    return MadeTable(
        columns={name: X[:, j].tolist() for j, name in enumerate(names)},
        label="label",
        labels=np.where(y > 0, "yes", "no").tolist(),
        intercept=float(target[0]),
        weights=dict(zip(names, target[1:].tolist(), strict=True)),
        flipped=np.zeros(len(y), dtype=bool) if flipped is None else flipped,
    )


def _term(name: str, weight: float, *, first: bool) -> str:
    """Return "+ 2 name"; categories as "+ 2 [column=level]"."""
    sign = ("-" if first else "- ") if weight < 0 else ("" if first else "+ ")
    factor = "" if abs(weight) == 1 else f"{_plain(abs(weight))} "
    return f"{sign}{factor}{f'[{name}]' if '=' in name else name}"


def _plain(number: float) -> str:
    """Return the shortest text that reads back to the same double, whole numbers without .0."""
    return repr(number + 0.0).removesuffix(".0")
