"""The fewest mistakes of any line, in words and as data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from separatrix.verdict import LearnerResult, Verdict

UNCHECKED = "shown by a search whose arithmetic is rounded outwards (--proof writes a proof)"

FEWEST_IN_SHORT = (
    "fewest: of the mistakes (by weight) that any line makes on these rows: a lower bound and the "
    "best line found, or one number where they meet."
)


def bracket_in_short(verdict: Verdict) -> str:
    """Return "66", or "5 to 53"."""
    found = verdict.fewest_mistakes
    upper = _amount(found.exact_upper)
    return upper if found.proven else f"{_amount(found.exact_lower)} to {upper}"


def fewest_in_words(verdict: Verdict) -> list[str]:
    """Return how few mistakes any line makes; nothing where a line makes none."""
    if verdict.separability.separable:
        return []
    found = verdict.fewest_mistakes
    weighed = verdict.table.weight is not None
    how = "proven" if verdict.fewest_checked else UNCHECKED
    least = f"Any line makes at least {_mistakes(found.exact_lower, weighed)} on these rows, {how}"
    if found.proven:
        return [f"{least}; a line that makes no more was found. {_beside_the_learners(verdict)}"]
    return [
        f"{least}; the best line found makes {_amount(found.exact_upper)}. "
        f"{_beside_the_learners(verdict)} The fewest of any line is open ({found.reason}): "
        "--fewest-seconds or --fewest-nodes search longer."
    ]


def fewest_data(verdict: Verdict) -> dict[str, Any]:
    """Return the bracket as JSON-able data; bounds as exact sums of row weights too."""
    found = verdict.fewest_mistakes
    return {
        "lower": found.lower,
        "upper": found.upper,
        "lower_exact": str(found.exact_lower),
        "upper_exact": str(found.exact_upper),
        "proven": found.proven and verdict.fewest_checked,
        "bounds_meet": found.proven,
        "checked": verdict.fewest_checked,
        "in_words": " ".join(fewest_in_words(verdict)),
        "reason": found.reason,
        "interrupted": found.interrupted,
        "boxes": found.nodes,
        "weights": [float(w) for w in found.weights],
        "mistakes_of_weights": float(found.mistakes),
    }


def _beside_the_learners(verdict: Verdict) -> str:
    """Return whether the line beats those of the learners, the constant answers among them."""
    best = min(verdict.results, key=lambda r: r.e_in)
    if verdict.table.weight is None:
        beaten = verdict.fewest_mistakes.exact_upper < best.n_errors
    else:  # shares are rounded sums
        share = verdict.fewest_mistakes.upper / float(verdict.table.weight.sum())
        beaten = share < best.e_in * (1.0 - 1e-9)
    name = best.name[:1].upper() + best.name[1:]
    if beaten:
        return f"No learner here met that line: {best.name} comes closest with {_own(best)}."
    return f"{name} met one."


def _own(r: LearnerResult) -> str:
    return f"{r.n_errors:,} mistake{'' if r.n_errors == 1 else 's'}"


def _mistakes(value: Fraction, weighed: bool) -> str:
    if weighed:
        return f"mistakes of weight {_amount(value)}"
    return f"{_amount(value)} mistake{'' if value == 1 else 's'}"


def _amount(value: Fraction) -> str:
    """Return a sum of weights: whole, or to six digits."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    return f"about {float(value):.6g}"
