"""The coefficient table of logistic regression as a section, whichever learner is selected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from separatrix.report.probabilities import LEFT_OUT
from separatrix.report.wording import MOST_COLUMNS, Section, capital, plain
from separatrix.verdict import Verdict

if TYPE_CHECKING:  # nothing of it is loaded where it is not shown
    from separatrix.inference.table import CoefficientRow

NAME = 30
TITLE = "Coefficients (logistic regression)"


def coefficient_section(verdict: Verdict) -> Section:
    """Return estimates with intervals, odds ratios and tests; of many rows the clearest ones."""
    table = verdict.coefficients
    if table is None:
        said = "The table is large: separatrix infer gives estimates, intervals and tests of it."
        if verdict.logistic is None:
            said = LEFT_OUT
        return Section(TITLE, (said,))
    from separatrix.inference.figures import p_value
    from separatrix.inference.printing import column

    shown = clearest(table.rows, MOST_COLUMNS)
    hidden = len(table.rows) - len(shown)
    more = f"{hidden:,} more with larger p-values: separatrix infer." if hidden else ""
    ways_on = "Firth's and exact tests, groups of columns"
    if verdict.in_blocks:
        ways_on = "likelihood intervals, groups of columns"
    low, high = table.percents
    tested = [table.test_name, "p"] if table.method == "likelihood" else ["p"]
    cells = [
        [plain(row.name, NAME) for row in shown],
        column([row.estimate for row in shown]),
        column([row.standard_error for row in shown]),
        column([row.lower for row in shown]),
        column([row.upper for row in shown]),
        [text.lstrip("+") for text in column([row.odds_ratio for row in shown], 3)],
    ]
    if len(tested) > 1:
        cells.append(["-" if math.isnan(row.chi2) else f"{row.chi2:.2f}" for row in shown])
    cells.append([p_value(row.p) for row in shown])
    return Section(
        TITLE,
        (f"{table.title}. More in separatrix infer: {ways_on}.", *map(capital, table.sentences())),
        ("coefficient", "estimate", "std. error", low, high, "odds ratio", *tested),
        tuple(zip(*cells, strict=True)),
        tuple(s for s in (more, *table.figures.lines()) if s),
    )


def clearest(rows: Sequence[CoefficientRow], most: int) -> tuple[CoefficientRow, ...]:
    """Return at most `most` rows in their order: infinite ones and those of small p."""

    def unclear(row: CoefficientRow) -> tuple[bool, float]:
        return not math.isinf(row.estimate), math.inf if math.isnan(row.p) else row.p

    kept = {row.name for row in sorted(rows, key=unclear)[:most]}
    return tuple(row for row in rows if row.name in kept)
