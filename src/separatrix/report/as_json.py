"""Either verdict as JSON: every number in full, exact rationals as "p/q"."""

from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from flint import fmpz

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Multipliers
from separatrix.certificates.separability import Witness
from separatrix.report.fewest import fewest_data
from separatrix.report.sections import products_in_words, separability_in_words
from separatrix.tables import CategoryEncoding, Encoding, NumberEncoding, Table
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict

FORMAT = "separatrix verdict"
CLASSES_FORMAT = "separatrix multiclass verdict"
FORMAT_VERSION = 1

LONG = 10**4000  # Python reads no whole number of more than 4300 digits


def to_json(verdict: Verdict | MulticlassVerdict) -> str:
    """Return the verdict as one JSON object, ending in a newline."""
    data = as_data(verdict) if isinstance(verdict, Verdict) else classes_data(verdict)
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_data(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON-able data."""
    table = verdict.table
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "separatrix": verdict.version,
        "table": {
            **_table(table, verdict.encoding),
            "yes": table.yes,
            "no": table.no,
            "rows_yes": verdict.n_yes,
            "rows_filled": verdict.n_filled,
        },
        "separability": _separability(verdict),
        "fewest_mistakes": fewest_data(verdict),
        "learners": [_learner(r) for r in verdict.results],
        "winner": verdict.winner.name,
        "line": {
            "threshold": -float(verdict.winner.weights[0]),
            "weights": _numbers(verdict.winner.weights),
        },
        "folds": verdict.n_folds,
        "optimism": verdict.optimism,
        "scaling": verdict.scaling,
        "bounds": [asdict(bound) for bound in verdict.bounds],
        "no_bounds_because": verdict.unbounded or None,
        "warnings": list(verdict.warnings),
        "notes": list(verdict.notes),
        "seconds": verdict.seconds,
    }


def classes_data(verdict: MulticlassVerdict) -> dict[str, Any]:
    """Return the verdict on many labels as JSON-able data; every question as it would be alone."""
    table = verdict.table
    return {
        "format": CLASSES_FORMAT,
        "version": FORMAT_VERSION,
        "separatrix": verdict.version,
        "multiclass": verdict.rule,
        "table": {
            **_table(table.base, verdict.encoding),
            "labels": list(table.names),
            "rows_of_labels": table.counts.tolist(),
        },
        "learners": [_joint(r) for r in verdict.results],
        "winner": verdict.winner.name,
        "folds": verdict.n_folds,
        "optimism": verdict.optimism,
        "questions": [as_data(question) for question in verdict.questions],
        "notes": list(verdict.notes),
        "seconds": verdict.seconds,
    }


def _joint(r: JointResult) -> dict[str, Any]:
    left_out = r.confusion_left_out
    return {
        "name": r.name,
        "mistakes": r.n_errors,
        "e_in": r.e_in,
        "cv_error": r.cv_error,
        "cv_spread": r.cv_spread,
        "fold_errors": list(r.fold_errors),
        "confusion": r.confusion.tolist(),
        "confusion_left_out": None if left_out is None else left_out.tolist(),
        "seconds": r.seconds,
        "lines": [_numbers([*line.intercept_, *line.coef_[0]]) for line in r.learners],
    }


def _table(table: Table, encoding: Encoding) -> dict[str, Any]:
    """Return what is true of a table whatever is asked of it."""
    return {
        "name": table.name,
        "format": table.format,
        "sha256": table.sha256,
        "rows": int(table.y.size),
        "rows_in_file": table.n_rows_in_file,
        "rows_dropped": table.n_dropped,
        "label": table.label,
        "weighted": table.weight is not None,
        "not_features": list(table.extra),
        "columns": [_column(c) for c in encoding.columns],
        "features": list(encoding.feature_names),
        **_products(encoding),
    }


def _products(encoding: Encoding) -> dict[str, Any]:
    """Return the degree and the factors of every feature (positions among the plain ones)."""
    if encoding.monomials is None:
        return {"degree": 1}
    return {
        "degree": encoding.monomials.degree,
        "factors": list(encoding.plain_names),
        "products": [list(term) for term in encoding.monomials.terms],
        "products_in_words": products_in_words(encoding),
    }


def rational(value: Fraction | None) -> str | None:
    """Return an exact rational as "p/q", or "p" when it is whole."""
    if value is None:
        return None
    above, below = digits(value.numerator), digits(value.denominator)
    return above if below == "1" else f"{above}/{below}"


def digits(n: int) -> str:
    """Return a whole number of any length in decimals; Python's own `str` refuses long ones."""
    return str(fmpz(n))


def _bound(n: int | None) -> int | str | None:
    """Return a bound as a number, or as text where it is longer than readers of JSON take."""
    return n if n is None or n < LONG else digits(n)


def _numbers(values: ArrayLike) -> list[float]:
    return [float(v) for v in values]


def _column(column: NumberEncoding | CategoryEncoding) -> dict[str, Any]:
    if isinstance(column, NumberEncoding):
        return {"name": column.name, "kind": "number", "fill": column.fill}
    return {
        "name": column.name,
        "kind": "category",
        "baseline": column.levels[0] if column.levels else None,
        "levels": list(column.levels),
        "fill": column.fill,
    }


def _separability(verdict: Verdict) -> dict[str, Any]:
    proof = verdict.separability
    names = ["intercept", *verdict.features]
    exact = proof.exact_weights
    return {
        "verdict": proof.verdict,
        "separable": proof.separable,
        "proven": proof.verdict != "undecided",
        "in_words": separability_in_words(verdict),
        "reason": proof.reason,
        "rank": proof.rank,
        "weights": None if exact is None else [rational(w) for w in exact],
        "rho_squared": rational(proof.rho_squared),
        "radius_squared": rational(proof.radius_squared),
        "mistake_bound": _bound(proof.mistake_bound),
        "margin": list(proof.margin),
        "street_width": list(proof.street_width),
        "refusal": _combination(verdict, proof.refusal),
        "witness": _combination(verdict, proof.witness),
        "diverging": [
            {"index": j, "name": names[j], "direction": sign, "shown": j not in proof.directionless}
            for j, sign in proof.diverging.items()
        ],
        "aliased": [{"index": j, "name": names[j]} for j in proof.aliased],
        "collinear": [
            {"index": j, "name": names[j], "of": [names[k] for k in others]}
            for j, others in verdict.collinear.items()
        ],
        "pla_bound": _bound(verdict.pla_bound),
    }


def _combination(verdict: Verdict, witness: Witness | Multipliers | None) -> Untyped:
    """Return rows whose positive combination is 0, by file line, with whole multipliers as text."""
    if witness is None or len(witness.rows) == 0:
        return None
    return {
        "rows": [int(n) for n in witness.rows],
        "lines": [int(verdict.table.lines[n]) for n in witness.rows],
        "multipliers": [digits(m) for m in witness.multipliers],
    }


def _learner(r: LearnerResult) -> dict[str, Any]:
    return {
        "name": r.name,
        "mistakes": r.n_errors,
        "wrong_yes": r.n_wrong_yes,
        "wrong_no": r.n_wrong_no,
        "e_in": r.e_in,
        "cv_error": r.cv_error,
        "cv_spread": r.cv_spread,
        "fold_errors": list(r.fold_errors),
        "seconds": r.seconds,
        "stopped": r.stopped,
        "updates": r.n_updates,
        "standardised": r.standardised,
        "weights": _numbers(r.weights),
    }
