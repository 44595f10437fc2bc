"""A table of coefficients: its rows, and how it looks as text, HTML, LaTeX, CSV, JSON and frame."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import NamedTuple

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError
from separatrix.inference.figures import Figures, LogisticFigures, chi2_tail, p_value
from separatrix.inference.inputs import INTERCEPT
from separatrix.inference.printing import (
    Grid,
    column,
    csv_text,
    json_number,
    json_numbers,
    rounded_down,
    rounded_up,
)
from separatrix.notebook import data_frame
from separatrix.tables.wording import listed, plain

LEAST_SQUARES = "least squares"
MOST_IN_REPR = 12
MOST_NAMED = 20
WIDTH = 100
LONGEST_NOTE = 600
LONGEST = 40  # characters of a name in text, HTML and LaTeX
FAR = 700.0  # an odds ratio of e^700 is said to be no more than that: doubles end at e^709
TESTS = {"likelihood": "LR chi2", "wald": "z squared"}
INTERVALS = {
    "wald": "Wald",
    LEAST_SQUARES: "t",
    "exact": "exact conditional",
    "firth": "Firth profile",
    "log-f": "log-F profile",
    "dy": "Diaconis-Ylvisaker profile",
}
OF_LIKELIHOOD = "likelihood", "wald", LEAST_SQUARES  # the figures of the model are of these
Ends = tuple[float, float]


class CoefficientRow(NamedTuple):
    """One coefficient.

    `estimate` is +-inf where infinite and NaN where not determined. `lower` and `upper` are the
    ends of the method's interval, `wald_lower` and `wald_upper` those of estimate -+ z standard
    errors (of t for a linear regression, whose `z` is t). `chi2` and `p` are of the method's test
    of "this coefficient is 0". `odds_ratio` is e^estimate, NaN for a linear regression.
    """

    name: str
    estimate: float
    standard_error: float
    z: float
    wald_lower: float
    wald_upper: float
    lower: float
    upper: float
    odds_ratio: float
    chi2: float
    p: float


class RatioTest(NamedTuple):
    """The likelihood-ratio test of "all these coefficients are 0"."""

    name: str
    columns: tuple[str, ...]
    chi2: float
    degrees: int
    p: float

    @classmethod
    def of(cls, name: str, columns: tuple[str, ...], chi2: float, degrees: int) -> RatioTest:
        """Return the test of a statistic."""
        return cls(name, columns, chi2, degrees, chi2_tail(chi2, degrees))


@dataclass(frozen=True, repr=False)
class CoefficientTable:
    """Coefficients with intervals and tests, and the figures of their model.

    Parameters
    ----------
    rows : tuple of CoefficientRow
        The intercept first, if there is one.
    method : "likelihood", "wald", "least squares", ...
    level : such as 0.95
    figures : LogisticFigures or LinearFigures
    brackets : {name: ((inside, outside) of the lower end, (inside, outside) of the upper end)}
        Between which each end is proven to lie; only where the method proves it.
    tests : tuple of RatioTest
    notes : what the method assumes, and what it left open
    spread : "", "HC3", "clustered in 12 groups": what standard errors rest on
    source : the table's name, "" for arrays
    question : "default = yes", what the probabilities are of; "" for a linear regression
    proofs : what has a `verify(X, y)`
    undetermined : names of the coefficients that the rows leave open
    """

    rows: tuple[CoefficientRow, ...]
    method: str
    level: float
    figures: Figures
    brackets: Mapping[str, tuple[Ends, Ends]]
    tests: tuple[RatioTest, ...] = ()
    notes: tuple[str, ...] = ()
    spread: str = ""
    source: str = ""
    question: str = ""
    proofs: tuple[Untyped, ...] = ()
    undetermined: tuple[str, ...] = ()

    @property
    def log_likelihood(self) -> float:
        """Of the estimates, or its supremum where no finite optimum exists."""
        return self.figures.log_likelihood

    @property
    def deviance(self) -> float:
        """Minus twice the log-likelihood; for a linear regression the sum of squared residuals."""
        return self.figures.deviance

    @property
    def null_deviance(self) -> float:
        """The deviance of the model of the intercept alone."""
        return self.figures.null_deviance

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.figures.aic

    @property
    def n(self) -> float:
        """N: rows, a weight of k counted k times."""
        return self.figures.n

    def __getitem__(self, name: str) -> CoefficientRow:
        """Return the row of a coefficient.

        Raises
        ------
        KeyError
            Where there is none of that name.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether everything proven about the table holds for X, y, computed from scratch.

        X is the array of features that the table is about, y the labels. False where nothing was
        proven, as of a linear regression.
        """
        return bool(self.proofs) and all(proof.verify(X, y) for proof in self.proofs)

    def compared_with(self, smaller: CoefficientTable) -> RatioTest:
        """Return the likelihood-ratio test of this model against one with fewer columns.

        Raises
        ------
        InputError
            For linear regressions, for models of other rows, and for one that has a column that
            this one lacks.
        """
        ours, theirs = self.figures, smaller.figures
        if not isinstance(ours, LogisticFigures) or not isinstance(theirs, LogisticFigures):
            raise InputError("the likelihood-ratio test compares two logistic regressions.")
        if (ours.n, ours.n_yes) != (theirs.n, theirs.n_yes):
            raise InputError("the two models are of other rows: a test needs the same ones.")
        names = [row.name for row in self.rows]
        known = [row.name for row in smaller.rows]
        if more := [name for name in known if name not in names]:
            raise InputError(f"columns of the smaller model are not among these: {listed(more)}.")
        columns = tuple(name for name in names if name not in known)
        chi2 = max(0.0, 2.0 * (ours.log_likelihood - theirs.log_likelihood))
        degrees = ours.n_parameters - theirs.n_parameters
        return RatioTest.of(", ".join(columns), columns, chi2, degrees)

    # ------------------------------------------------------------------ in words

    @property
    def logistic(self) -> bool:
        """Whether the model is a logistic regression."""
        return isinstance(self.figures, LogisticFigures)

    @property
    def percents(self) -> tuple[str, str]:
        """What the ends of an interval are called: "2.5 %" and "97.5 %"."""
        tail = 50.0 * (1.0 - self.level)
        return f"{tail:.4g} %", f"{100.0 - tail:.6g} %"

    @property
    def title(self) -> str:
        """What the table is, in one line."""
        what = "Logistic regression" if self.logistic else "Linear regression"
        about = f" of P({plain(self.question, LONGEST)})" if self.question else ""
        spread = f", standard errors {self.spread}" if self.spread else ""
        return f"{what}{about}, {self._interval} intervals{spread}"

    @property
    def _interval(self) -> str:
        return f"{100.0 * self.level:.6g} % {INTERVALS.get(self.method, self.method)}"

    def sentences(self) -> list[str]:
        """Return a sentence for each infinite estimate, and one for those that stay open."""
        before = f"{plain(self.source, LONGEST)}, " if self.source else ""
        said = [
            f"{before}{plain(row.name, LONGEST)}: {self._infinite(row)}"
            for row in self.rows
            if math.isinf(row.estimate)
        ]
        if self.undetermined:
            names = ", ".join(plain(name, LONGEST) for name in self.undetermined[:MOST_NAMED])
            more = len(self.undetermined) - MOST_NAMED
            rest = f" and {more:,} more" if more > 0 else ""
            said.append(
                f"{before}not determined, since every value fits the rows equally well beside "
                f"some values of the others: {names}{rest}"
            )
        return said

    def _infinite(self, row: CoefficientRow) -> str:
        sign = "+" if row.estimate > 0.0 else "-"
        said = f"estimate {sign}infinity"
        if math.isnan(row.lower) or math.isnan(row.upper):
            missing = "no Wald interval" if self.method == "wald" else "interval not decided"
            return f"{said}; {missing}"
        low = "(-infinity" if math.isinf(row.lower) else f"[{rounded_down(row.lower, 4)}"
        high = "infinity)" if math.isinf(row.upper) else f"{rounded_up(row.upper, 4)}]"
        said += f"; {self._interval} interval {low}, {high}"
        if row.estimate > 0.0 and math.isfinite(row.lower):
            said += f", odds ratio at least {rounded_down(math.exp(min(row.lower, FAR)), 3)}"
        elif row.estimate < 0.0 and math.isfinite(row.upper):
            said += f", odds ratio at most {rounded_up(math.exp(max(row.upper, -FAR)), 3)}"
        if not math.isnan(row.chi2):
            said += f"; {self.test_name} {row.chi2:.2f}"
        return said

    @property
    def test_name(self) -> str:
        """What the statistic `chi2` of a row is called."""
        return TESTS.get(self.method, "chi2")

    # ------------------------------------------------------------------ as tables

    def _coefficients(self) -> Grid:
        """Return the first table of the text: R's columns, then interval and test."""
        rows, statistic = self.rows, "z" if self.logistic else "t"
        cells = [
            [plain(row.name, LONGEST) for row in rows],
            column([row.estimate for row in rows]),
            column([row.standard_error for row in rows]),
            [_fixed(row.z, 3) for row in rows],
            column([row.lower for row in rows]),
            column([row.upper for row in rows]),
        ]
        header = ["", "Estimate", "Std. Error", f"{statistic} value", *self.percents]
        if self.method in (LEAST_SQUARES, "wald"):
            header.append(f"Pr(>|{statistic}|)")
        else:
            header += [self.test_name, "Pr(>chi2)"]
            cells.append([_fixed(row.chi2, 3) for row in rows])
        cells.append([p_value(row.p) for row in rows])
        return Grid(header, list(zip(*cells, strict=True)))

    def _odds(self) -> Grid:
        """Return odds ratios with the method's interval and Wald's, without the intercept."""
        rows = [row for row in self.rows if row.name != INTERCEPT]
        low, high = self.percents
        pairs = {
            "odds ratio": [row.odds_ratio for row in rows],
            low: [_exp(row.lower) for row in rows],
            high: [_exp(row.upper) for row in rows],
        }
        if self.method != "wald":
            pairs |= {
                f"Wald {low}": [_exp(row.wald_lower) for row in rows],
                f"Wald {high}": [_exp(row.wald_upper) for row in rows],
            }
        cells = [
            [plain(row.name, LONGEST) for row in rows],
            *(_odds(values) for values in pairs.values()),
        ]
        return Grid(["", *pairs], list(zip(*cells, strict=True)))

    def _tested(self) -> Grid:
        """Return the tests of groups of columns."""
        return Grid(
            ["", self._group_test, "df", "Pr(>chi2)"],
            [
                [plain(t.name, LONGEST), _fixed(t.chi2, 3), str(t.degrees), p_value(t.p)]
                for t in self.tests
            ],
        )

    @property
    def _group_test(self) -> str:
        return self.test_name if self.method != "wald" else TESTS["likelihood"]

    def _below(self) -> list[str]:
        """Return figures and notes as they can be shown anywhere: names may hold any character."""
        whose = [] if self.method in OF_LIKELIHOOD else ["Figures of maximum likelihood:"]
        return [*whose, *self.figures.lines(), *(plain(n, LONGEST_NOTE) for n in self.notes)]

    def to_text(self, heading: Callable[[str], str] = str) -> str:
        """Return the table as R's `summary` lays it out, ending in a newline.

        `heading` translates the headings.
        """
        parts = [f"{self.title}\n", f"{heading('Coefficients')}:\n{self._coefficients().text()}"]
        if self.logistic and len(self.rows) > 1:
            parts.append(f"{heading('Odds ratios')}:\n{self._odds().text()}")
        if self.tests:
            parts.append(f"{heading('Tests of groups of columns')}:\n{self._tested().text()}")
        if said := self.sentences():
            parts.append("".join(f"{sentence}\n" for sentence in said))
        below = [wrap(line, WIDTH) for line in self._below()]
        parts.append("".join(f"{line}\n" for lines in below for line in lines))
        return "\n".join(parts)

    def to_html(self) -> str:
        """Return the tables and sentences as a fragment of HTML; no style of their own."""
        parts = [f"<p>{html.escape(self.title)}</p>", self._coefficients().html()]
        if self.logistic and len(self.rows) > 1:
            parts.append(self._odds().html())
        if self.tests:
            parts.append(self._tested().html())
        said = [*self.sentences(), *self._below()]
        return "\n".join([*parts, *(f"<p>{html.escape(s)}</p>" for s in said)]) + "\n"

    def to_latex(self) -> str:
        """Return a tabular for a journal (package booktabs): estimates, odds ratios, p-values."""
        rows, (low, high) = self.rows, self.percents
        cells = [
            [plain(row.name, LONGEST) for row in rows],
            column([row.estimate for row in rows], 3),
            column([row.standard_error for row in rows], 3),
            column([row.lower for row in rows], 3),
            column([row.upper for row in rows], 3),
        ]
        header = ["", "Estimate", "SE", low, high]
        if self.logistic:
            header += ["OR", f"OR {low}", f"OR {high}"]
            cells += [
                _odds([row.odds_ratio for row in rows]),
                _odds([_exp(row.lower) for row in rows]),
                _odds([_exp(row.upper) for row in rows]),
            ]
        header.append("p")
        cells.append([p_value(row.p) for row in rows])
        return Grid(header, list(zip(*cells, strict=True))).latex()

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers in full; infinite ones are "inf" and "-inf"."""
        return csv_text(CoefficientRow._fields, self.rows)

    def to_frame(self) -> Untyped:
        """Return the rows as a pandas data frame."""
        fields = zip(*self.rows, strict=True)
        return data_frame({
            name: list(values) for name, values in zip(CoefficientRow._fields, fields, strict=True)
        })  # fmt: skip

    def as_data(self) -> dict[str, Untyped]:
        """Return everything as JSON-able data; infinite numbers are text, NaN is None."""
        return {
            "model": "logistic regression" if self.logistic else "linear regression",
            "method": self.method,
            "level": self.level,
            "standard_errors": self.spread or "of the model",
            "probability_of": self.question,
            "coefficients": [json_numbers(row._asdict()) for row in self.rows],
            "brackets": {
                name: [[json_number(v) for v in end] for end in ends]
                for name, ends in self.brackets.items()
            },
            "tests": [
                {
                    "name": t.name,
                    "columns": list(t.columns),
                    "chi2": json_number(t.chi2),
                    "degrees": t.degrees,
                    "p": json_number(t.p),
                }
                for t in self.tests
            ],
            **json_numbers(self.figures.as_data()),
            "sentences": self.sentences(),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """Return everything as one JSON object, ending in a newline."""
        return json.dumps(self.as_data(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        """Return the text."""
        return self.to_text()

    def __repr__(self) -> str:
        """Return the first rows."""
        lines = self._coefficients().text().splitlines()
        more = len(self.rows) - MOST_IN_REPR
        shown = lines[: MOST_IN_REPR + 1] if more > 0 else lines
        rest = [f"and {more:,} more coefficients"] if more > 0 else []
        return "\n".join([f"CoefficientTable: {self.title}", *shown, *rest])

    def _repr_html_(self) -> str:
        """Return the tables, for a notebook."""
        return f"<div>{self.to_html()}</div>"


def _odds(values: Sequence[float]) -> list[str]:
    """Return odds ratios as cells: they have no sign."""
    return [text.lstrip("+") for text in column(values, 3)]


def _exp(value: float) -> float:
    return math.inf if value > 709.0 else math.exp(value)


def _fixed(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) or math.isinf(value) else f"{value:.{decimals}f}"
