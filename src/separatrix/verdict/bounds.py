"""What theory says about the error outside the rows: bounds, with what each takes for granted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.learners._stopping import Stopped
from separatrix.said import Said
from separatrix.tables import Table
from separatrix.theory import compression_bound, leave_one_out_bound, vc_bound, vc_dimension
from separatrix.verdict.candidates import LearnerResult

DELTA = 0.05
SURE = f"{100 * (1 - DELTA):.0f} %"
COLUMN_BITS = 64 + 64 + 16  # a mean, a standard deviation and an exponent for each column

DRAWN = (
    "the rows are independent draws from the distribution that future rows come from, and the "
    "columns were chosen without looking at them"
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the error of one line outside the rows."""

    name: str  # of the theorem
    value: float  # a share of mistakes
    assumptions: str  # what it takes for granted, and with which probability it holds, a sentence
    vacuous: bool  # whether it says nothing, being 1 or more
    about: str  # name of the learner


def why_no_bounds(table: Table) -> str:
    """Return why no bound holds for the rows of a table; "" where some do."""
    if table.weight is not None:
        return "rows of different weight are no draws from one distribution"
    if table.group is not None:
        return "rows of one group are no independent draws"
    return ""


def bounds_of(
    table: Table, d: int, results: Sequence[LearnerResult], selected: LearnerResult
) -> tuple[Bound, ...]:
    """Return the bounds on the selected line, and on PLA's where it is known what it updated on."""
    if why_no_bounds(table):
        return ()
    pla = next((r for r in results if r.name == "PLA"), None)
    omega = vc_bound(table.n_rows, d, DELTA)
    said = Said(
        "E_in + Omega, Omega = {omega:.4g}, for all lines in these columns at once (d_vc = {d:,}), "
        "with probability {sure}, if {drawn}.",
        omega=omega, d=vc_dimension(d), sure=SURE, drawn=Said(DRAWN),
    )  # fmt: skip
    found = [_bound("VC bound", selected.e_in + omega, said, selected.name)]
    # its rows alone make the line again only where a pass over all of them was clean
    clean = pla is not None and pla.stopped == str(Stopped.CLEAN_PASS) and pla.e_in == 0.0
    if pla is None or not clean or not hasattr(pla.learner, "counts_"):
        return tuple(found)
    updated, bits = np.asarray(pla.learner.counts_) > 0, COLUMN_BITS * d
    n, k = updated.size, int(updated.sum())
    said = Said(
        "the line is what PLA makes of the {k:,} of {n:,} rows on which it made its {t:,} updates "
        "and of {bits:,} bits that say how the columns were standardised; with probability {sure}, "
        "if {drawn}.",
        k=k, n=n, t=pla.n_updates, bits=bits, sure=SURE, drawn=Said(DRAWN),
    )  # fmt: skip
    value = compression_bound(n, k, 0, DELTA, bits=bits)
    found.append(_bound("compression bound", value, said, pla.name))
    said = Said(
        "with each row left out in turn PLA is wrong about it at most {k:,} times in {n:,}, the "
        "number of rows on which it made its updates, if the columns stay standardised as they are "
        "here. A bound on the mean of E_out over draws of the rows were that scaling fixed "
        "beforehand; for these very rows it promises nothing.",
        k=k, n=n,
    )  # fmt: skip
    found.append(_bound("leave-one-out bound", leave_one_out_bound(n, k), said, pla.name))
    return tuple(found)


def _bound(name: str, value: float, assumptions: str, about: str) -> Bound:
    return Bound(name, value, assumptions, value >= 1.0, about)
