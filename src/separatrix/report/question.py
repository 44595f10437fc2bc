"""Sections about one yes / no question: finite coefficients, PLA and its bound, bounds on E_out."""

from __future__ import annotations

from separatrix.report.findings import fit_in_words, infinite_of
from separatrix.report.wording import (
    MOST_COLUMNS,
    Section,
    bound_in_words,
    joined,
    percent,
    plain,
    short,
)
from separatrix.verdict import Verdict


def course_section(verdict: Verdict) -> Section | None:
    """Return PLA beside its bound (lecture 2), in exact numbers; None unless separable."""
    proof = verdict.separability
    if proof.rho_squared is None:
        return None
    pla = verdict.result("PLA")
    seen = "" if pla is None or verdict.pla_bound is None else (
        f"On the standardised columns that PLA saw it made T = {pla.n_updates:,} updates "
        f"({pla.stopped}); its bound there is {bound_in_words(verdict.pla_bound)}."
    )  # fmt: skip
    lower, upper = (f"{width:.6g}" for width in verdict.street or (0.0, 0.0))
    wide = lower if lower == upper else f"between {lower} and {upper}"
    street = (
        f"The widest empty street between yes and no is {wide} wide, in the units of the "
        "features: a support vector machine makes it as wide as it can. It is measured in x "
        "and is not the margin rho."
    )
    return Section(
        "PLA and its bound",
        (
            "For the line of the proof, measured in (1, x) with w_0 counted: margin squared rho^2 "
            f"= {short(proof.rho_squared)}, radius squared R^2 = "
            f"{short(proof.radius_squared)} (exact rationals, in full with --json). So PLA "
            f"from zero on the table's own columns makes at most floor(R^2 / rho^2) = "
            f"{bound_in_words(proof.mistake_bound or 0)} updates. {seen}",
            *([] if verdict.street is None else [street]),
        ),
    )


def outside_section(verdict: Verdict) -> Section:
    """Return what theory says about E_out, each with what it assumes (lecture 7)."""
    estimate = (
        "The cross-validated error is an estimate without such a guarantee: the folds share rows, "
        "and the model was selected by it. Use a held-out test set for a guarantee."
    )
    if verdict.unbounded:
        return Section("Generalisation", (f"No bound holds: {verdict.unbounded}.", estimate))
    most = [
        f"no information ({'> ' if b.value > 1.0 else ''}100 %)" if b.vacuous else percent(b.value)
        for b in verdict.bounds
    ]
    return Section(
        "Generalisation",
        (),
        ("bound", "about", "at most"),
        tuple((b.name, b.about, said) for b, said in zip(verdict.bounds, most, strict=True)),
        (*(f"{b.name}: {b.assumptions}" for b in verdict.bounds), estimate),
    )


def finite_section(verdict: Verdict) -> Section:
    """Return whether all coefficients are finite, and those that are not; of all the first ones."""
    proof, found = verdict.separability, infinite_of(verdict, MOST_COLUMNS)
    shown = found if len(found) <= len(verdict.features) else found[:MOST_COLUMNS]
    names = ("(intercept)", *verdict.features)
    same = [plain(names[j]) for j in proof.aliased]
    said = [fit_in_words(verdict)]
    if same:
        said.append(
            "Not determined one by one, because their columns are collinear with others: "
            f"{joined(same, MOST_COLUMNS)}."
        )
    below = []
    if any(c.column for c in shown):
        below.append(
            "Of a level: how many rows have it, and how many of them the label asked about."
        )
    if len(shown) < len(found):
        below.append(f"{len(found) - len(shown):,} more in --json.")
    return Section(
        "Finite coefficients?",
        tuple(said),
        ("estimate", "rows", f"of them {plain(verdict.table.yes, 20)}", "coefficient"),
        tuple(
            (c.sign, *((f"{n:,}" if c.column else "-") for n in (c.rows, c.yes)), plain(c.name))
            for c in shown
        ),
        tuple(below),
    )
