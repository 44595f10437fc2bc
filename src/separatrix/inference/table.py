"""A table of coefficients: its rows, and how it looks as text, HTML, LaTeX, CSV, JSON and frame."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from textwrap import wrap
from typing import NamedTuple

from separatrix._loading import load
from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError
from separatrix.inference.figures import Figures, LogisticFigures, chi2_tail, p_value
from separatrix.inference.inputs import INTERCEPT
from separatrix.inference.printing import (
    Grid,
    column,
    csv_text,
    decimals_of,
    json_number,
    json_numbers,
    rounded_down,
    rounded_up,
)
from separatrix.notebook import data_frame, places
from separatrix.said import Said
from separatrix.tables.wording import listed, plain

LEAST_SQUARES = "least squares"
MOST_IN_REPR = 12
MOST_NAMED = 20
WIDTH = 100
LONGEST_NOTE = 600
LONGEST = 40  # characters of a name in text, HTML and LaTeX
FLAT = 0.01  # a coefficient whose odds ratio is shown as 1.00 or 1.01
FAR = 700.0  # an odds ratio of e^700 is said to be no more than that: doubles end at e^709
TESTS = {"likelihood": "LR chi2", "wald": "z squared", "exact": "score"}
INTERVALS = {
    "wald": "Wald",
    LEAST_SQUARES: "t",
    "exact": "exact conditional",
    "firth": "Firth profile",
    "log-f": "log-F profile",
}
FIELDS = "odds_ratio_lower", "odds_ratio_upper"  # of CSV, JSON and frame, beside those of a row
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

    @property
    def odds_ratio_lower(self) -> float:
        """e^lower, NaN for a linear regression."""
        return math.nan if math.isnan(self.odds_ratio) else exp_of(self.lower)

    @property
    def odds_ratio_upper(self) -> float:
        """e^upper, NaN for a linear regression."""
        return math.nan if math.isnan(self.odds_ratio) else exp_of(self.upper)


class Unit(NamedTuple):
    """What a coefficient is per: a number of units of its column, or a standard deviation."""

    size: float
    is_deviation: bool

    def __str__(self) -> str:
        return f"{self.size:.4g}{' (SD)' if self.is_deviation else ''}"


class RatioTest(NamedTuple):
    """The likelihood-ratio test of "all these coefficients are 0"."""

    name: str
    columns: tuple[str, ...]
    chi2: float
    degrees: int
    p: float

    @classmethod
    def of(cls, name: str, columns: tuple[str, ...], chi2: float, degrees: int) -> RatioTest:
        return cls(name, columns, chi2, degrees, chi2_tail(chi2, degrees))


COLUMNS = (*CoefficientRow._fields, *FIELDS, "unit", "errors", "interval", "test")


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
        Between which each end lies; `verify` proves it. Only where the method has a proof.
    tests : tuple of RatioTest
    notes : what the method assumes, and what it left open
    spread : "", "HC3", "clustered in 12 groups": what standard errors rest on
    source : the table's name, "" for arrays
    question : "default = yes", what the probabilities are of; "" for a linear regression
    proofs : what has a `verify(X, y)`
    undetermined : names of the coefficients that the rows leave open
    reference : {name of a category: the level that its coefficients are compared with}
    units : {name: Unit} of coefficients that are per another unit than 1 of their column
        Brackets are per that unit, too; what `verify` checks is per 1.
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
    reference: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, Unit] = field(default_factory=dict)

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
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether all that is proven of the table holds for X, y; False where nothing is."""
        return bool(self.proofs) and all(proof.verify(X, y) for proof in self.proofs)

    def compared_with(self, smaller: CoefficientTable) -> RatioTest:
        """Return the likelihood-ratio test of this model against one with fewer columns.

        Raises
        ------
        InputError
            For linear regressions, models of other rows, and one with a column that this lacks.
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
        asked, source = plain(self.question, LONGEST), plain(self.source, LONGEST)
        of = Said(" of P({asked})", asked=asked) if asked else ""
        within = Said(" in {source}", source=source) if source else ""
        about = Said("{of}{within}", of=of, within=within)
        spread = Said(", standard errors {kind}", kind=self.spread) if self.spread else ""
        logistic = "Logistic regression{about}, {interval} intervals{spread}"
        return Said(
            logistic if self.logistic else "Linear regression{about}, {interval} intervals{spread}",
            about=about, interval=self._interval, spread=spread,
        )  # fmt: skip

    @property
    def _interval(self) -> str:
        kind = INTERVALS.get(self.method, self.method)
        return Said("{level:.6g} % {kind}", level=100.0 * self.level, kind=Said(kind))

    def sentences(self) -> list[str]:
        """Return a sentence for each infinite estimate, and one for those that stay open."""
        said: list[str] = [
            Said("{name}: {said}", name=self.named(row), said=self._infinite(row))
            for row in self.rows
            if math.isinf(row.estimate)
        ]
        if self.undetermined:
            names = places((plain(name, LONGEST) for name in self.undetermined), MOST_NAMED)
            said.append(
                Said(
                    "not determined, since every value fits the rows equally well beside some "
                    "values of the others: {names}",
                    names=names,
                )
            )
        return said

    def _infinite(self, row: CoefficientRow) -> str:
        sign = "+" if row.estimate > 0.0 else "-"
        if math.isnan(row.lower) or math.isnan(row.upper):
            if self.method == "wald":
                return Said("estimate {sign}infinity; no Wald interval", sign=sign)
            return Said("estimate {sign}infinity; interval not decided", sign=sign)
        low = "(-infinity" if math.isinf(row.lower) else f"[{rounded_down(row.lower, 4)}"
        high = "infinity)" if math.isinf(row.upper) else f"{rounded_up(row.upper, 4)}]"
        odds: str = ""
        if row.estimate > 0.0 and math.isfinite(row.lower):
            least = rounded_down(math.exp(min(row.lower, FAR)), 3)
            odds = Said(", odds ratio at least {least}", least=least)
        elif row.estimate < 0.0 and math.isfinite(row.upper):
            most = rounded_up(math.exp(max(row.upper, -FAR)), 3)
            odds = Said(", odds ratio at most {most}", most=most)
        test: str = ""
        if self.method == "exact":
            test = Said("; exact p {p}", p=p_value(row.p))
        elif not math.isnan(row.chi2):
            test = f"; {self.test_name} {row.chi2:.2f}"
        return Said(
            "estimate {sign}infinity; {kind} interval {low}, {high}{odds}{test}",
            sign=sign, kind=self._interval, low=low, high=high, odds=odds, test=test,
        )  # fmt: skip

    def named(self, row: CoefficientRow) -> str:
        """Return "age", or "age, per 10", fit to be shown."""
        unit = f", per {self.units[row.name]}" if row.name in self.units else ""
        return plain(row.name, LONGEST) + unit

    @property
    def bases(self) -> dict[str, str]:
        """What errors, interval and test of a row rest on: {"errors": "HC3", "interval": ...}."""
        errors, kind = self.spread or "model", INTERVALS.get(self.method, "profile likelihood")
        tests = {"likelihood": "likelihood ratio", "exact": "score"}.get(self.method, kind)
        spread = f", {self.spread}" if self.spread and self.method != "likelihood" else ""
        return {"errors": errors, "interval": kind + spread, "test": tests + spread}

    @property
    def _groups(self) -> tuple[str, str]:
        """What headings say of robust errors, and of the likelihood's figures beside them."""
        mixed = self.spread and self.method == "likelihood"
        return (f"{self.spread.split()[0]} ", "profile ") if mixed else ("", "")

    @property
    def test_name(self) -> str:
        """What the statistic `chi2` of a row is called."""
        return TESTS.get(self.method, "chi2")

    # ------------------------------------------------------------------ as tables

    def grids(self) -> dict[str, Grid]:
        """Return the tables by their headings."""
        found = {"Coefficients": self._coefficients()}
        if self.logistic and any(row.name != INTERCEPT for row in self.rows):
            found["Odds ratios"] = self._odds()
        if self.tests:
            found["Tests of groups of columns"] = Grid(
                ["", TESTS["likelihood"], "df", "Pr(>chi2)"],
                [
                    [plain(t.name, LONGEST), _fixed(t.chi2), str(t.degrees), p_value(t.p)]
                    for t in self.tests
                ],
            )
        return found

    def _coefficients(self) -> Grid:
        """Return the first table of the text: R's columns, then interval and test."""
        rows, statistic, exact = self.rows, "z" if self.logistic else "t", self.method == "exact"
        robust, profile = self._groups
        columns = [*self._names(rows), ("Estimate", _column(rows, "estimate"))]
        if not exact:  # it has no standard errors
            error, of_it = "Std. Error", f"{statistic} value"
            if robust:
                error, of_it = f"{robust}SE", f"{robust}z"
            columns.append((error, _column(rows, "standard_error")))
            columns.append((of_it, [_fixed(row.z) for row in rows]))
        if robust:
            both = (math.erfc(abs(row.z) / math.sqrt(2.0)) for row in rows)
            columns.append((f"{robust}p", list(map(p_value, both))))
        for end, name, way in zip(self.percents, ("lower", "upper"), self.outwards, strict=True):
            columns.append((profile + end, _column(rows, name, way=way)))
        p = f"Pr(>|{statistic}|)"
        if self.method not in (LEAST_SQUARES, "wald"):
            columns.append((self.test_name, [_fixed(row.chi2) for row in rows]))
            p = "exact p" if exact else "LR p" if robust else "Pr(>chi2)"
        return Grid.of([*columns, (p, [p_value(row.p) for row in rows])])

    def _odds(self) -> Grid:
        """Return odds ratios with the method's interval and Wald's, without the intercept."""
        rows = [row for row in self.rows if row.name != INTERCEPT]
        robust, profile = self._groups
        names = "odds ratio", *(profile + end for end in self.percents)
        columns = [*self._names(rows), *zip(names, self._odds_columns(rows), strict=True)]
        if self.method not in ("wald", "exact"):
            for end, name in zip(self.percents, ("wald_lower", "wald_upper"), strict=True):
                odds = [exp_of(getattr(row, name)) for row in rows]
                columns.append((f"{robust}Wald {end}", _unsigned(odds)))
        return Grid.of(columns)

    def _names(self, rows: Sequence[CoefficientRow]) -> list[tuple[str, list[str]]]:
        """Return the columns that say whose a row is, and per what where it is not 1."""
        columns = [("", [plain(row.name, LONGEST) for row in rows])]
        if self.units:
            units = {INTERCEPT: "-", **self.units}
            columns.append(("per", [str(units.get(row.name, 1)) for row in rows]))
        return columns

    def _odds_columns(self, rows: Sequence[CoefficientRow]) -> list[list[str]]:
        """Return odds ratios and their ends, with as many decimals."""
        ways = ROUND_HALF_EVEN, *self.outwards
        values = [[getattr(row, name) for row in rows] for name in ("odds_ratio", *FIELDS)]
        decimals = decimals_of([v for of_all in values for v in of_all], 3)
        return [_unsigned(v, decimals, way) for v, way in zip(values, ways, strict=True)]

    @property
    def outwards(self) -> tuple[str, str]:
        """How ends are rounded: away from the estimate, but for those that others print too."""
        known = self.method in (LEAST_SQUARES, "wald")
        return (ROUND_HALF_EVEN, ROUND_HALF_EVEN) if known else (ROUND_FLOOR, ROUND_CEILING)

    def _flat(self) -> list[str]:
        """Return a sentence on odds ratios whose interval rounds to 1, if there are any."""
        small = (row for row in self.rows if max(abs(row.lower), abs(row.upper)) < FLAT)
        flat = [plain(r.name, LONGEST) for r in small if r.estimate and r.name not in self.units]
        if not flat or not self.logistic:
            return []
        said = 'Odds ratios close to 1 for want of a larger unit (--per sd, or per="sd"): {names}.'
        return [Said(said, names=places(flat, MOST_NAMED))]

    def _references(self) -> list[str]:
        """Return a sentence that names the reference level of each category, if there are any."""
        if not self.reference:
            return []
        levels = (
            f"{plain(name, LONGEST)}={plain(level, LONGEST)}"
            for name, level in self.reference.items()
        )
        return [Said("Reference levels: {names}.", names=places(levels, MOST_NAMED))]

    def below(self) -> list[str]:
        """Return figures and notes as they can be shown anywhere: names may hold any character."""
        whose = [] if self.method in OF_LIKELIHOOD else ["Figures of maximum likelihood:"]
        if whose and self.tests:
            which = Said("by the penalised likelihood" if self.method == "firth" else "here too")
            said = "Tests of groups of columns are likelihood-ratio tests {which}."
            whose.insert(0, Said(said, which=which))
        notes = (n if isinstance(n, Said) else plain(n, LONGEST_NOTE) for n in self.notes)
        robust, profile = self._groups
        if robust:
            whose.append(
                Said(
                    "Columns headed {robust}rest on standard errors {spread}. Columns headed "
                    "{profile}and LR are the likelihood's, which robust errors do not change.",
                    robust=robust, spread=self.spread, profile=profile,
                )
            )  # fmt: skip
        return [*self._references(), *self._flat(), *whose, *self.figures.lines(), *notes]

    def to_text(
        self, heading: Callable[[str], str] = str, again: Callable[[str], str] = str
    ) -> str:
        """Return the table as R's `summary` lays it out; both say what is English otherwise."""
        parts = [f"{again(self.title)}\n"]
        tables = {title: "\n".join(grid.lines()) for title, grid in self.grids().items()}
        parts += [f"{heading(title)}:\n{table}\n" for title, table in tables.items()]
        if said := self.sentences():
            parts.append("".join(f"{again(sentence)}\n" for sentence in said))
        below = [wrap(again(line), WIDTH) for line in self.below()]
        parts.append("".join(f"{line}\n" for lines in below for line in lines))
        return "\n".join(parts)

    def to_html(self) -> str:
        """Return the tables and sentences as a fragment of HTML; no style of their own."""
        parts = [f"<p>{html.escape(self.title)}</p>"]
        parts += [grid.html() for grid in self.grids().values()]
        said = [*self.sentences(), *self.below()]
        return "\n".join([*parts, *(f"<p>{html.escape(s)}</p>" for s in said)]) + "\n"

    def plot(self, ax: Untyped = None, *, proven: bool = False) -> Untyped:
        """Draw a forest plot of the 100 clearest rows; `proven` marks ends with a bracket."""
        return load("separatrix.report.displays.forest").forest(self, ax, proven=proven)

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """Return a tabular (booktabs), in a table environment with a caption or a label."""
        rows, (robust, profile) = self.rows, self._groups
        errors = [row.standard_error for row in rows]
        known = any(map(math.isfinite, errors))  # their digits are those of all
        decimals = decimals_of(errors if known else [row.lower for row in rows], 3)
        ends = [profile + end for end in self.percents]
        names = "Estimate", f"{robust}SE", *ends
        fields = "estimate", "standard_error", "lower", "upper"
        columns, ways = self._names(rows), (ROUND_HALF_EVEN, ROUND_HALF_EVEN, *self.outwards)
        for name, of, way in zip(names, fields, ways, strict=True):
            columns.append((name, _column(rows, of, decimals=decimals, way=way)))
        if self.logistic:
            odds = "OR", *(f"OR {end}" for end in ends)
            columns += zip(odds, self._odds_columns(rows), strict=True)
        columns.append(("LR p" if robust else "p", [p_value(row.p) for row in rows]))
        counts = f"N {self.n:g}"
        if isinstance(self.figures, LogisticFigures):
            counts += f", {self.figures.events}"
        notes = [*self._references(), f"{counts}."]
        return Grid.of(columns).latex(notes, caption, label)

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers in full; infinite ones are "inf" and "-inf"."""
        return csv_text(COLUMNS, [tuple(row.values()) for row in self._cells()])

    def to_frame(self) -> Untyped:
        """Return the rows as a pandas data frame."""
        cells = self._cells()
        return data_frame({name: [row[name] for row in cells] for name in COLUMNS})

    def _cells(self) -> list[dict[str, Untyped]]:
        """Return the fields of each row, the ends of its odds ratio, its unit, what it rests on."""
        return [
            row._asdict()
            | {name: getattr(row, name) for name in FIELDS}
            | {"unit": self.units[row.name].size if row.name in self.units else 1.0}
            | self.bases
            for row in self.rows
        ]

    def as_data(self) -> dict[str, Untyped]:
        """Return everything as JSON-able data; infinite numbers are text, NaN is None."""
        return {
            "model": "logistic regression" if self.logistic else "linear regression",
            "method": self.method,
            "level": self.level,
            "standard_errors": self.spread or "of the model",
            "probability_of": self.question,
            "reference": dict(self.reference),
            "per_standard_deviation": [name for name, u in self.units.items() if u.is_deviation],
            "rows": [json_numbers(row) for row in self._cells()],
            "brackets": {
                name: [[json_number(v) for v in end] for end in ends]
                for name, ends in self.brackets.items()
            },
            "tests": [
                t._asdict()
                | {"columns": list(t.columns)}
                | {"chi2": json_number(t.chi2), "p": json_number(t.p)}
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
        return self.to_text()

    def __repr__(self) -> str:
        lines = self._coefficients().lines()
        more = len(self.rows) - MOST_IN_REPR
        shown = lines[: MOST_IN_REPR + 1] if more > 0 else lines
        rest = [f"and {more:,} more coefficients"] if more > 0 else []
        return "\n".join([f"CoefficientTable: {self.title}", *shown, *rest])

    def _repr_html_(self) -> str:
        return f"<div>{self.to_html()}</div>"


def _column(rows: Sequence[CoefficientRow], name: str, **options: Untyped) -> list[str]:
    return column([getattr(row, name) for row in rows], **options)


def _unsigned(
    odds: Sequence[float], decimals: int | None = None, way: str = ROUND_HALF_EVEN
) -> list[str]:
    return [text.lstrip("+") for text in column(odds, 3, decimals=decimals, way=way)]


def exp_of(value: float) -> float:
    """Return e^value, infinite where doubles end."""
    return math.inf if value > 709.0 else math.exp(value)


def _fixed(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"
