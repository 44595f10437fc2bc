"""Is a table linearly separable? Float solvers propose, exact arithmetic decides.

`decide` asks few rows, then a working cone of rows, of it levels first and then all pivots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.cached import cached_property
from separatrix.certificates.divergence import Divergence, Weights
from separatrix.certificates.multipliers import Margin, Multipliers, Street, multipliers_of
from separatrix.certificates.separability import SeparabilityClaim, Witness
from separatrix.certificates.statement import Claim
from separatrix.data import InputError, Sample, dense
from separatrix.exact.cancelling import refusal_on
from separatrix.exact.cone import cone_of_data
from separatrix.exact.integers import (
    Floats,
    Indices,
    fractions_of,
    independent_rows,
    nearest_double,
    root_above,
    root_below,
)
from separatrix.exact.level_elimination import NullSpace, null_space
from separatrix.exact.signed_block import FEWEST_COLUMNS
from separatrix.exact.signed_rows import SignedRows
from separatrix.notebook import Summarised, Summary, data_frame, figure, places
from separatrix.scale import Rows, with_constant
from separatrix.scale.opening import checked_table
from separatrix.separation.constraint_generation import (
    NONE,
    WorkingSet,
    first_rows,
    interpolating_line,
)
from separatrix.separation.divergence import (
    LevelCone,
    RecessionCone,
    divergence_of_separable,
)
from separatrix.separation.exact_simplex import Alternative, Refusal, separate
from separatrix.separation.level_pairs import Levels, pairs_that_cancel
from separatrix.separation.levels import decided_by_levels
from separatrix.separation.max_margin import hull_distance, maximum_margin
from separatrix.separation.rounding import as_doubles, normalised, simplest
from separatrix.separation.working_rows import (
    MOST_NEAR,
    Support,
    contradictions,
    line_or_support,
    refined,
)
from separatrix.tiles import one_blas_thread

HEADINGS = {
    "separable": "linearly separable, proven",
    "touching": "not separable, proven; some line has rows on it and none on its wrong side",
    "overlapping": "not separable, proven",
}
FEW = 1 << 20  # numbers of a table in which equal rows are looked for, or levels, at once
MOST_DENSE = 1 << 22  # numbers in the first rows of a sparse table, which are made dense
FEW_MORE = 0.9  # of the rank: what lacks less is completed by fewer rows, one after another
MANY = 1 << 23  # the same for a table that few rows do not decide
CONE_ROUNDS = 100
MOST_JOINING = 64  # rows that join at once

Shown = tuple[Multipliers, Multipliers | None]  # rows that cancel: of the witness, and few of them


@dataclass(frozen=True, eq=False, repr=False)
class Separability(Summarised, SeparabilityClaim):
    """Whether a line separates, with proof; and the margin, the street and diverging coefficients.

    Those are claims of their own, found when first needed. Their figures are computed from the
    table in exact arithmetic, by what `verify` of each computes them with.

    Parameters
    ----------
    verdict, separable, line, witness, refusal, rank, aliased, divergent, radius, radius_squared,
    reason, x0 : see `SeparabilityClaim`
    table : X and y, which should not change before the last question
    recession : the lines with Zw >= 0 of a touching table
    """

    table: SignedRows | None = field(default=None, repr=False)
    recession: RecessionCone | LevelCone | WorkingCone | None = field(default=None, repr=False)

    def _summary(self) -> Summary:
        """Say what was decided and which rows show it; nothing is computed for that."""
        if self.separable is None:
            return Summary(f"undecided: {self.reason}", [("rank", figure(self.rank))])
        facts = []
        if self.refusal is not None:
            facts.append(("rows that contradict each other", places(self.refusal.rows)))
        facts.append(("rank", figure(self.rank)))
        if self.divergent:
            facts.append(("infinite coefficients", places(self.divergent)))
        if self.aliased:
            facts.append(("not determined one by one", places(self.aliased)))
        return Summary(HEADINGS[self.verdict], facts)

    def to_frame(self) -> Untyped:
        """Return the contradicting rows as a data frame: row, multiplier; empty where none do."""
        found = self.refusal
        return data_frame({
            "row": [] if found is None else [int(n) for n in found.rows],
            "multiplier": [] if found is None else list(found.multipliers),
        })  # fmt: skip

    @cached_property
    def maximum_margin(self) -> Margin | None:
        """A line of largest margin, multipliers that bound it to 1e-6; None unless separable."""
        if self.verdict != "separable" or self.line is None:
            return None
        table = self._same_table()
        with one_blas_thread():
            return maximum_margin(table, table.columns_of(self.line))

    @property
    def exact_weights(self) -> tuple[Fraction, ...] | None:
        """(1+d,) weights, w_0 first: of `maximum_margin` or, when touching, of `line`."""
        if self.maximum_margin is None:
            return self.line
        return (*([] if self.x0 else [Fraction(0)]), *self.maximum_margin.weights)

    def claim(self, sample: Sample | Rows) -> list[Claim]:
        """Return what a proof file says of it, the largest margin included."""
        margin = self.maximum_margin
        return [*super().claim(sample), *([] if margin is None else [margin.claim()])]

    @property
    def weights(self) -> Floats | None:
        """`exact_weights` rounded to doubles, which may put rows just off the line."""
        exact = self.exact_weights
        return None if exact is None else np.array([nearest_double(w) for w in exact])

    @property
    def rho_squared(self) -> Fraction | None:
        """The squared margin of that line, exactly; None unless separable."""
        return None if self.maximum_margin is None else self.maximum_margin.rho_squared

    @property
    def margin_proof(self) -> Multipliers | None:
        """Multipliers that bound every margin; None unless separable."""
        return None if self.maximum_margin is None else self.maximum_margin.proof

    @property
    def margin(self) -> tuple[float, float]:
        """Bounds of the largest margin, rounded outward; (0, 0) for no line, (0, R) undecided."""
        if self.maximum_margin is None:
            return (0.0, 0.0 if self.separable is False else self.radius)
        squared = min(self.maximum_margin.bound, self.radius_squared)
        return root_below(self.maximum_margin.rho_squared), root_above(squared)

    @cached_property
    def street(self) -> Street | None:
        """The widest empty street between the classes in x-space; None unless separable."""
        if self.verdict != "separable" or self.line is None:
            return None
        if not self.x0 and (found := self.maximum_margin) is not None:  # twice the margin
            return Street(found.weights, 4 * found.rho_squared, 4 * found.bound, found.proof)
        table = self._same_table()
        if not self.measures_street:
            raise InputError(
                "the street is measured on tables in memory only; `margin` holds of tables in "
                "blocks. Give more memory, or some of the rows."
            )
        with one_blas_thread():
            return hull_distance(table.table.as_arrays(), self.line)

    @property
    def measures_street(self) -> bool:
        """Whether the street is measured, if there is one: of all but large tables in blocks."""
        table = self.table
        if table is None or table.table.in_memory is not None or not self.separable:
            return True
        return table.n * table.width <= MANY

    @property
    def street_width(self) -> tuple[float, float]:
        """Bounds of the street's width in x-space, rounded outward; (0.0, 0.0) unless separable."""
        if self.street is None:
            return (0.0, 0.0)
        return root_below(self.street.width_squared), root_above(self.street.bound)

    @property
    def mistake_bound(self) -> int | None:
        """floor(R^2 / rho^2) with the best margin known; None unless separable."""
        if self.rho_squared is None:
            return None
        return math.floor(self.radius_squared / self.rho_squared)

    @property
    def diverging(self) -> dict[int, int]:
        """Coefficients without a finite optimum: {index in (1+d): +1, -1 or 0 (undetermined)}."""
        return {} if self.divergence is None else self.divergence.directions

    @cached_property
    def divergence(self) -> Divergence | None:
        """Lines and multipliers that show `diverging`, checked; None when nothing diverges."""
        if self.line is None or self.verdict not in ("separable", "touching"):
            return None
        table = self._same_table()
        with one_blas_thread():
            if self.recession is None:
                return divergence_of_separable(self.line, self.divergent, table)
            support = tuple(self.witness.rows.tolist())
            cancelling = Multipliers(support, self.witness.multipliers, self.x0)
            return self.recession.divergence(cancelling, table)

    @property
    def directionless(self) -> tuple[int, ...]:
        """Those of `diverging` for which a limit left open whether they go one way or either."""
        return () if self.divergence is None else self.divergence.open

    def _same_table(self) -> SignedRows:
        """Return the table, on which the witness must still hold: it may have been written to."""
        table = None if self.table is None else self.table.again()
        if table is None or table.longest != self.radius_squared or not self.witness_holds(table):
            raise InputError(
                "the table has changed since it was judged, so nothing more can be said of it. Ask "
                "for margin and diverging before writing to X or y."
            )
        return table

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the answers to later questions rather than the data they would be found from."""
        later = ["divergence", "maximum_margin", *(["street"] if self.measures_street else [])]
        answers = {name: getattr(self, name) for name in later}
        return {**self.__dict__, "recession": None, "table": None, **answers}


def separability(X: ArrayLike, y: ArrayLike = None, fit_intercept: bool = True) -> Separability:
    """Decide whether a line separates the yes rows from the no rows, with a proof either way.

    Parameters
    ----------
    X : table (N, d): an array, a sparse array or a data frame, whose categories become 0/1
        features; or a `Table` (from `read_table` or `read_frame`), which brings its labels; or a
        table in blocks (`scale.Rows`), which brings them as well, or the path of an `.npy`
        file. Of those that do not fit into memory all rows are read a number of times.
    y : N labels of two kinds, or the path of an `.npy` file of them
    fit_intercept : whether the line has an intercept w_0

    Raises
    ------
    InputError
        When X, y are no usable sample.

    Examples
    --------
    >>> found = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.verdict, found.witness.rows.tolist(), found.witness.multipliers
    ('overlapping', [0, 1, 2, 3], (1, 1, 1, 1))
    """
    return separability_of(with_constant(checked_table(X, y), 1.0 if fit_intercept else 0.0))


def separability_of(sample: Sample | Rows) -> Separability:
    """Decide a checked sample, or a table in blocks, as `separability` does."""
    with one_blas_thread():
        table = SignedRows(sample)
        with table.table.journal.part(f"separability(fit_intercept={bool(table.x0)})"):
            return decide(table)


def decide(table: SignedRows) -> Separability:
    """Return the verdict on a table: from few rows where they decide, else from a working cone."""
    table.longest  # noqa: B018  # one read of all rows refuses those that cannot be used
    few: list[Fraction] | Shown | None = None
    rows, levels = first_rows(table), None
    if FEWEST_COLUMNS < table.width < table.n:
        levels = Levels.of(table)
    if levels is not None:
        few, rows = pairs_that_cancel(table, levels), levels.rows
    if few is None and _asks_levels_first(table, rows):
        rows = np.arange(table.n)
    elif few is None:
        few = interpolating_line(table)
        working = WorkingSet.of(table, rows)
        if few is None:
            few = decided_by_few_rows(table, working)
        rows = working.rows
    if isinstance(few, list):
        return _answer(table, "separable", line=few)
    if few is not None:  # it was seen to cancel exactly
        return _answer(table, "overlapping", shown=(few[0], _duplicates(table, FEW) or few[1]))
    cone = settled(table, rows)
    if cone is None:
        return _answer(table, "undecided", reason="exact constraint generation met its limit")
    return _answer_of_part(table, cone)


@dataclass(frozen=True)
class WorkingCone:
    """The lines with Zw >= 0 of a table, by those of some of its rows."""

    rows: Indices  # ascending indices of rows on which the verdict is that on all rows
    part: Untyped  # `Separability`, that verdict; its rows are places among those

    @property
    def indices(self) -> tuple[int, ...]:
        """The coefficients that diverge."""
        return tuple(self.part.divergent)

    @property
    def dimension(self) -> int:
        """The dimension of the space that the cone fills, aliased directions aside."""
        return int(self.part.recession.dimension)

    def named(self, places: Indices | tuple[int, ...]) -> list[int]:
        """Return rows of the table by their places among those here."""
        found: list[int] = self.rows[list(places)].tolist()
        return found

    def basis(self, table: SignedRows) -> list[Weights]:  # noqa: ARG002
        """Return a basis (D,) of the space that the cone fills, aliased directions aside."""
        found: list[Weights] = self.part.recession.basis(self.part.table)
        return found

    def divergence(self, support: Multipliers, table: SignedRows) -> Divergence | None:
        """Return which way coefficients of a touching table go; None at a limit."""
        if self.rows.size == table.n:
            return self.part.divergence  # type: ignore[no-any-return]
        known: WorkingCone | None = self
        for _ in range(CONE_ROUNDS):
            if known is None:
                return None
            shown = known.part.divergence
            bounds = {
                j: replace(bound, rows=known.named(tuple(bound.rows)))
                for j, bound in shown.bounds.items()
            }
            # of all rows' interior lines one is known; those of the working rows are others
            lines = [list(known.part.line), *shown.lines]
            claimed = Divergence(self.indices, lines, bounds, table.x0, support)
            holds = claimed.that_holds(table)
            wrong = [line for line in lines if line not in holds.lines]
            if not wrong:
                return holds
            near = [table.least(table.columns_of(line))[1] for line in wrong]
            near = [rows[~np.isin(rows, known.rows)][:MOST_NEAR] for rows in near]
            known = settled(table, np.concatenate([known.rows, *near]))
        return None


def settled(table: SignedRows, rows: Indices) -> WorkingCone | None:
    """Return rows whose verdict is that of all rows; None where a limit was met."""
    working = np.unique(rows)
    for _ in range(CONE_ROUNDS):
        part = table.some(working)
        found = _decided_whole(part)
        if found.verdict == "undecided":
            return None
        if working.size == table.n:
            return WorkingCone(working, found)
        missing = _missing(table, working, found)
        if missing.size == 0:
            return WorkingCone(working, found)
        new = np.setdiff1d(missing, working)
        if new.size == 0:
            return None
        working = np.union1d(working, new)
    return None


def _missing(table: SignedRows, working: Indices, found: Untyped) -> Indices:
    """Return rows that refute what the working rows show, exactly; none where it holds of all."""
    if found.rank == table.width:
        table.take_span(NullSpace({}, list(range(table.width))))
    if found.rank < table.rank:
        basis = table.equalities(working)
        return np.array(table.not_vanishing(basis, 2 * table.width), np.int64)
    if found.verdict == "overlapping":
        return NONE
    line = list(table.columns_of(found.line))
    if found.verdict == "separable":
        least, near = table.least(line)
        if least > 0:
            return NONE
        # floats leave working rows in doubt, too: they come first where they are many
        new = near[~np.isin(near, working)]
        return new[:MOST_NEAR] if new.size else near[:1]
    basis = table.equalities(working[found.witness.rows])
    against = table.against(line, basis, MOST_JOINING)
    return np.array(against.rows, dtype=np.int64)


def _asks_levels_first(table: SignedRows, rows: Indices) -> bool:
    """Whether levels, if there are any, decide all rows sooner than few rows made dense do."""
    if rows.size * table.width > max(MOST_DENSE, 2 * table.n_numbers):
        return True
    few = table.width > FEWEST_COLUMNS and table.n_numbers <= FEW
    return few and table.some(np.arange(table.n)).is_mostly_zeros


def _decided_whole(table: SignedRows) -> Separability:
    """Return the verdict on rows of which few have not decided: from all of them."""
    answer = answer_by_levels(table) if table.is_mostly_zeros else None
    if answer is not None:
        return answer
    found = decided_by_all_rows(table)
    shown = _shown(found.equalities, found.refusal, table)
    reason = found.undecided or _doubt(shown, table)
    if reason:
        return _answer(table, "undecided", reason=reason)
    if found.quotient is None or found.interior is None:
        return _answer(table, "overlapping", shown=shown)
    if not found.equalities:
        line = table.line_on_span(found.interior)
        return _answer(table, "separable", line=_in_doubles(table, line))
    interior = simplest(found.quotient.cone, found.interior)
    indices = [table.index(j) for j in table.span.columns]
    return _answer(
        table,
        "touching",
        line=normalised(table.line_on_span(found.quotient.lift(interior))),
        shown=shown,
        recession=RecessionCone(found.quotient, found.interior, indices, table.aliased),
    )


def _answer_of_part(table: SignedRows, cone: WorkingCone) -> Separability:
    """Return the verdict on all rows, which is that on some of them."""
    part: Separability = cone.part
    if part.table is table:
        return part
    recession = cone if part.verdict == "touching" else None
    if cone.rows.size == table.n:
        return replace(part, table=table, recession=recession)
    line = None if part.line is None else list(table.columns_of(part.line))
    if part.refusal is None:
        return _answer(table, "separable", line=line)
    refusal = replace(part.refusal, rows=tuple(cone.named(part.refusal.rows)))
    if len(refusal.rows) > 2:  # two equal rows are fewer
        refusal = _duplicates(table, MANY) or refusal
    rows = tuple(cone.named(part.witness.rows))
    shown = Multipliers(rows, part.witness.multipliers, table.x0), refusal
    if reason := _doubt(shown, table):
        return _answer(table, "undecided", reason=reason)
    return _answer(table, part.verdict, line=line, shown=shown, recession=recession)


def answer_by_levels(table: SignedRows) -> Separability | None:
    """Return the verdict on sparse rows with categories; None for others, and where unsure."""
    sparse = table.sparse
    if sparse is None or not sparse.has_levels:
        return None
    found = decided_by_levels(sparse, bool(table.x0))
    if found is None:
        return None
    cancelled = found.cancelled
    table.take_span(
        cancelled.free if found.line is None else null_space(sparse, cancelled.independent)
    )
    shown = _shown(cancelled.equalities, cancelled.refusal, table)
    if _doubt(shown, table):
        return None
    if found.line is None:
        return _answer(table, "overlapping", shown=shown)
    line = table.line_on_integers(found.line)
    if not cancelled.equalities:
        return _answer(table, "separable", line=_in_doubles(table, line))
    cone = LevelCone.of(table, line, cancelled.free)
    return _answer(table, "touching", line=normalised(line), shown=shown, recession=cone)


def decided_by_few_rows(table: SignedRows, working: WorkingSet) -> list[Fraction] | Shown | None:
    """Return a proven line (D,), or rows that cancel and have the whole rank, or None."""
    found = line_or_support(working)
    if not isinstance(found, Support):
        return None if found is None else fractions_of(found)
    rows = np.sort(found.rows)
    multipliers = refusal_on(table.floats(rows))
    if multipliers is None:
        line = refined(working)
        return None if line is None else _in_doubles(table, line)
    refusal = Multipliers(tuple(rows.tolist()), multipliers, table.x0, Fraction(0))
    # any rows but one of them are independent: fewer than the rank, and other rows may lie off them
    if rows.size > table.rank:
        return refusal, refusal
    if rows.size > FEW_MORE * table.rank or table.width > FEWEST_COLUMNS:
        return None
    levels = Levels.of(table) if working.rows.size < table.n else None
    shown = None if levels is None else pairs_that_cancel(table, levels)
    return None if shown is None else (shown[0], min(refusal, shown[1], key=_length))


def _length(combination: Multipliers) -> int:
    return len(combination.rows)


def _duplicates(table: SignedRows, most: int) -> Multipliers | None:
    """Return two equal rows with opposite labels, the shortest refusal; of few numbers.

    In a table of more than `FEW` numbers some rows, evenly spread, are compared.
    """
    if table.n * table.width > most or table.rank == 0:
        return None
    step = -(-table.n * table.width // FEW)
    few = np.arange(0, table.n, step)
    sample = table.table.as_arrays()
    points = sample.X if step == 1 else sample.X[few]
    pairs = contradictions(dense(points, "a look for equal rows"), sample.y[few])
    if not pairs:
        return None
    return _multipliers(replace(pairs[0], rows=few[pairs[0].rows].tolist()), table)


def _in_doubles(table: SignedRows, exact: list[Fraction]) -> list[Fraction]:
    """Return a line that separates in doubles, where a multiple of it survives rounding."""
    for line in as_doubles(exact):
        if table.separated_by(line):
            return normalised(line)
    return normalised(exact)


def decided_by_all_rows(table: SignedRows) -> Alternative:
    """Return how far the rows of a table can be separated, rows by their index in it."""
    present = table.present
    if present.size == 0:
        return Alternative(None, None, Refusal([0], [1]), {0: 1})
    values = table.floats(present)
    cone = cone_of_data(values[:, table.span.columns])
    # rows z_n = -z_m are the same point with the other label
    y = table.table.whole().y[present]
    pairs = contradictions(values * y[:, None], y)
    chosen = independent_rows(cone.exact.take([pair.rows[0] for pair in pairs]))
    found = separate(cone, [pairs[i] for i in chosen])
    if present.size == table.n:
        return found
    # no line is positive on a row of zeros: it is a refusal by itself
    zero = int(np.setdiff1d(np.arange(table.n), present)[0])
    equalities = {int(present[n]): a for n, a in found.equalities.items()} or {zero: 1}
    return replace(found, equalities=equalities, refusal=Refusal([zero], [1]))


def _multipliers(few: Refusal, table: SignedRows) -> Multipliers:
    return multipliers_of(few.rows, few.multipliers, table.x0, Fraction(0))


def _shown(equalities: Mapping[int, int], refusal: Refusal | None, table: SignedRows) -> Shown:
    cancelling = multipliers_of(list(equalities), list(equalities.values()), table.x0)
    return cancelling, None if refusal is None else _multipliers(refusal, table)


def _doubt(shown: Shown, table: SignedRows) -> str:
    """Return why a combination must not be reported: "" as long as all of them cancel exactly."""
    if shown[0].rows and not shown[0].cancels(table):
        return "a combination found modulo a prime number does not cancel exactly"
    return ""


def _answer(
    table: SignedRows,
    verdict: str,
    *,
    line: list[Fraction] | None = None,
    shown: Shown | None = None,
    recession: RecessionCone | LevelCone | WorkingCone | None = None,
    reason: str = "",
) -> Separability:
    cancelling, refusal = shown or (Multipliers((), (), table.x0), None)
    divergent: tuple[int, ...] = () if recession is None else recession.indices
    if verdict == "separable":
        indices, aliased = map(table.index, range(table.width)), set(table.aliased)
        divergent = tuple(j for j in indices if j not in aliased)
    return Separability(
        verdict=verdict,
        separable=None if reason else verdict == "separable",
        line=None if line is None else tuple(table.weights(line)),
        witness=Witness(np.array(cancelling.rows, dtype=np.int64), cancelling.multipliers),
        refusal=refusal,
        rank=table.rank,
        aliased=table.aliased,
        divergent=divergent,
        radius=root_above(table.longest),
        radius_squared=table.longest,
        reason=reason,
        x0=table.x0,
        table=table,
        recession=recession,
    )
