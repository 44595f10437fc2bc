"""A verdict as JSON: every number in full, exact rationals as "p/q"."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from separatrix._later import flint
from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Multipliers
from separatrix.certificates.separability import Witness
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.report.findings import (
    AnyVerdict,
    fewest_in_words,
    n_answered_rare,
    products_in_words,
    separability_in_words,
    table_of,
)
from separatrix.tables import CategoryEncoding, Encoding, NumberEncoding
from separatrix.tables.recipes import recipe_data
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict

FORMAT = "separatrix verdict"
CLASSES_FORMAT = "separatrix multiclass verdict"
FORMAT_VERSION = 1

LONG = 10**4000  # Python reads no whole number of more than 4300 digits


def to_json(verdict: AnyVerdict) -> str:
    """Return the verdict as one JSON object, ending in a newline."""
    return json.dumps(as_data(verdict), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_data(verdict: AnyVerdict) -> dict[str, Any]:
    """Return the verdict as JSON-able data; of several questions each as it would be alone."""
    if isinstance(verdict, MulticlassVerdict):
        name, data = CLASSES_FORMAT, _joint_data(verdict)
    else:
        name, data = FORMAT, _question_data(verdict)
    return {
        "format": name,
        "version": FORMAT_VERSION,
        "separatrix": verdict.version,
        **data,
        "notes": list(verdict.notes),
        "seconds": verdict.seconds,
    }


def _question_data(verdict: Verdict) -> dict[str, Any]:
    table = verdict.table
    return {
        "rare": _rare(verdict),
        "table": {
            **_table(verdict),
            "yes": table.yes,
            "no": table.no,
            "rows_yes": verdict.n_yes,
            "rows_filled": verdict.n_filled,
        },
        "separability": _separability(verdict),
        "fewest_mistakes": _fewest(verdict),
        "learners": [_learner(r) for r in verdict.results],
        "probabilities": _probabilities(verdict.probabilities),
        "winner": verdict.winner.name,
        "winner_because": verdict.selection.reason,
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
    }


def _rare(verdict: Verdict) -> dict[str, Any] | None:
    """Return what ranking a rare answer is worth; None of an answer that is not rare."""
    rare = verdict.rare
    if rare is None:
        return None
    return {
        **_members(rare, "label", "share"),
        **_members(rare.figures, "auc", "average_precision", "held_out"),
        "rows_answered_at_one_half": n_answered_rare(verdict),
        "threshold": rare.threshold,
    }


def _probabilities(found: ProbabilityFigures | None) -> dict[str, Any] | None:
    """Return what logistic regression's probabilities are worth; None where it has none."""
    if found is None:
        return None
    miscalibration, discrimination, uncertainty = found.parts_of_brier
    known = math.isfinite(found.auc_error)
    return {
        **_members(found, "held_out", "auc"),
        "auc_standard_error": found.auc_error if known else None,
        "auc_interval": list(found.auc_interval) if known else None,
        "auc_level": found.level,
        **_members(found, "gini", "ks", "average_precision", "brier"),
        "miscalibration": miscalibration,
        "discrimination": discrimination,
        "uncertainty": uncertainty,
        "log_loss": found.log_loss,
    }


def _joint_data(verdict: MulticlassVerdict) -> dict[str, Any]:
    table = verdict.table
    return {
        "multiclass": verdict.rule,
        "table": {
            **_table(verdict),
            "labels": list(table.names),
            "rows_of_labels": table.counts.tolist(),
        },
        "learners": [_learner(r) for r in verdict.results],
        "winner": verdict.winner.name,
        "winner_because": verdict.selection.reason,
        "folds": verdict.n_folds,
        "optimism": verdict.optimism,
        "questions": [as_data(question) for question in verdict.questions],
    }


def _table(verdict: AnyVerdict) -> dict[str, Any]:
    """Return what is true of a table whatever is asked of it."""
    table, encoding = table_of(verdict), verdict.encoding
    return {
        **_members(table, "name", "format", "sha256"),
        "rows": table.n_rows,
        "rows_in_file": table.n_rows_in_file,
        "rows_dropped": table.n_dropped,
        "label": table.label,
        "weighted": table.weight is not None,
        "not_features": list(table.extra),
        "columns": [_column(c) for c in encoding.columns],
        "features": list(encoding.feature_names),
        **_products(encoding),
        **({"recipes": [recipe_data(recipe) for recipe in table.recipes]} if table.recipes else {}),
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


def _members(of: object, *names: str) -> dict[str, Any]:
    """Return members by their names; of nothing, nothing."""
    return {name: None if of is None else getattr(of, name) for name in names}


def _rational(value: Fraction | None) -> str | None:
    """Return an exact rational as "p/q", or "p" when it is whole."""
    return None if value is None else str(flint.fmpq(value.numerator, value.denominator))


def _bound(n: int | None) -> int | str | None:
    """Return a bound as a number, or as text where it is longer than readers of JSON take."""
    return n if n is None or n < LONG else str(flint.fmpz(n))


def _numbers(values: ArrayLike) -> list[float]:
    return [float(v) for v in values]


def _column(column: NumberEncoding | CategoryEncoding) -> dict[str, Any]:
    if isinstance(column, NumberEncoding):
        return {"name": column.name, "kind": "number", "fill": column.fill}
    baseline, levels = next(iter(column.levels), None), list(column.levels)
    about = {"baseline": baseline, "levels": levels, "fill": column.fill}
    return {"name": column.name, "kind": "category", **about}


def _separability(verdict: Verdict) -> dict[str, Any]:
    proof = verdict.separability
    names = ["intercept", *verdict.features]
    exact = proof.exact_weights
    return {
        **_members(proof, "verdict", "separable"),
        "proven": proof.verdict != "undecided",
        "in_words": separability_in_words(verdict),
        **_members(proof, "reason", "rank"),
        "weights": None if exact is None else [_rational(w) for w in exact],
        "rho_squared": _rational(proof.rho_squared),
        "radius_squared": _rational(proof.radius_squared),
        "mistake_bound": _bound(proof.mistake_bound),
        "margin": list(proof.margin),
        "street_width": None if verdict.street is None else list(verdict.street),
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
    table = verdict.table
    at = table.positions(witness.rows)
    files = [table.file_of(row) for row in at.tolist()]
    return {
        "rows": [int(n) for n in witness.rows],
        "lines": table.lines[at].tolist(),
        **({"files": files} if all(files) else {}),
        "multipliers": [str(flint.fmpz(m)) for m in witness.multipliers],  # `str` refuses long ones
    }


def _fewest(verdict: Verdict) -> dict[str, Any]:
    """Return the bracket of the fewest mistakes; bounds as exact sums of row weights too."""
    found = verdict.fewest_mistakes
    return {
        **_members(found, "lower", "upper"),
        "lower_exact": str(found.exact_lower),
        "upper_exact": str(found.exact_upper),
        "proven": found.proven and verdict.fewest_checked,
        "bounds_meet": found.proven,
        "checked": verdict.fewest_checked,
        "in_words": fewest_in_words(verdict),
        **_members(found, "reason", "interrupted"),
        "boxes": found.nodes,
        "weights": _numbers(found.weights),
        "mistakes_of_weights": float(found.mistakes),
    }


def _learner(r: LearnerResult | JointResult) -> dict[str, Any]:
    left_out = {**_members(r, "cv_error", "cv_spread"), "fold_errors": list(r.fold_errors)}
    data = {"name": r.name, "mistakes": r.n_errors}
    if isinstance(r, JointResult):
        others = r.confusion_left_out
        return data | {
            "e_in": r.e_in,
            **left_out,
            "confusion": r.confusion.tolist(),
            "confusion_left_out": None if others is None else others.tolist(),
            "seconds": r.seconds,
            "lines": [_numbers([*line.intercept_, *line.coef_[0]]) for line in r.learners],
        }
    return data | {
        "wrong_yes": r.n_wrong_yes,
        "wrong_no": r.n_wrong_no,
        "e_in": r.e_in,
        **left_out,
        **_members(r, "seconds", "stopped"),
        "updates": r.n_updates,
        "standardised": r.standardised,
        "weights": _numbers(r.weights),
    }
