"""Which learner to take: the one-standard-error rule, or the user's own choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from scipy.special import expit

from separatrix.data import InputError
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.verdict.candidates import (
    CANDIDATES,
    LINEAR,
    LOGISTIC,
    PLA,
    POCKET,
    Candidates,
    JointResult,
    LearnerResult,
    is_logistic,
)

# What users write, and the name of the learner.
BY_HAND = {
    "logistic": LOGISTIC.name, "linear": LINEAR.name, "pocket": POCKET.name, "pla": PLA.name,
}  # fmt: skip
REASONS = {
    "by_hand": "chosen by hand",
    "no_folds": "fewest mistakes on these rows; there was no cross-validation",
    "least": "lowest cross-validated error",
    "probabilities": "within one standard error of the lowest, and gives probabilities",
    "ranks": "the error says little of a rare answer, and its probabilities rank the rows",
    "no_clear": "no clear difference from the lowest, and gives probabilities",
    "simpler": "within one standard error of the lowest, and simpler",
}
CLEAR = 2.0  # standard errors of a mean difference over the folds


J = TypeVar("J", LearnerResult, JointResult)


@dataclass(frozen=True, slots=True, repr=False)
class Selection(Generic[J]):
    chosen: J  # result
    least: J  # result Of the least cross-validated error; of equals the least E_in, then the first
    within: tuple[J, ...]
    by_hand: bool  # whether the user named the learner

    @classmethod
    def of(
        cls, results: Sequence[J], learner: str | None = None, *, ranks: bool = False
    ) -> Selection[J]:
        """Select by the one-standard-error rule (Breiman et al. 1984), or the learner named."""
        if not results:
            raise InputError("no learner took part.")
        least = min(results, key=lambda r: (_error(r), r.e_in))
        reach = _error(least) + _standard_error(least)
        within = tuple(r for r in results if _error(r) <= reach)
        if learner is not None:
            named = [r for r in results if r.name == learner]
            named += [r for r in results if learner == LOGISTIC.name and is_logistic(r.name)]
            return cls(named[0], least, within, True)
        lines = [r for r in within if not r.constant]
        if any(is_logistic(r.name) and not r.probabilities for r in results):
            lines += [r for r in no_clear_difference(least, results) if r.probabilities]
        if least.constant and ranks:
            ranking = [r for r in results if r.probabilities]
            return cls(min(ranking, key=_error), least, within, False)
        chosen = least if least.constant else min(lines, key=_standing)
        return cls(chosen, least, within, False)

    def __repr__(self) -> str:
        """Return one line: what was selected, why, and which others were as good."""
        others = [r.name for r in self.within if r is not self.chosen]
        within = f"; within one standard error: {', '.join(others)}" if others else ""
        return f"<Selection: {self.chosen.name} ({self.reason}){within}>"

    @property
    def why(self) -> str:
        if self.by_hand:
            return "by_hand"
        if self.chosen.cv_error is None:
            return "no_folds"
        if self.least.constant and not self.chosen.constant:
            return "ranks"
        if _error(self.chosen) == _error(self.least):
            return "least"
        if self.chosen not in self.within:
            return "no_clear"
        return "probabilities" if self.chosen.probabilities else "simpler"

    @property
    def reason(self) -> str:
        return REASONS[self.why]


def taking_part(learners: Sequence[str] | str | None, learner: str | None) -> Candidates:
    """Return the constant answers and the learners named, with commas or one by one; None: all."""
    if learners is None:
        return CANDIDATES
    words = learners.split(",") if isinstance(learners, str) else learners
    names = [learner_named(word.strip(), "learners") for word in words if word.strip()]
    if not names:
        known = ", ".join(BY_HAND)
        raise InputError(f"--learners names no learner; choose at least one of {known}.")
    if learner is not None and learner not in names:
        raise InputError(f"--learner {learner!r} takes no part: --learners leaves it out.")
    return tuple(c for c in CANDIDATES if c.constant or c.name in names)


def learner_named(learner: str | None, option: str = "learner") -> str | None:
    """Return the name of the learner that a user means: "logistic" or "logistic regression"."""
    if learner is None:
        return None
    wanted = str(learner).casefold()
    for short, name in BY_HAND.items():
        if wanted in (short, name.casefold()):
            return name
    raise InputError(f"--{option} {learner!r} is not known; choose {', '.join(BY_HAND)}.")


def no_clear_difference(chosen: J, results: Sequence[J]) -> list[J]:
    """Return the others whose mean difference over the folds is below two standard errors."""
    found = []
    for r in results:
        if r is chosen or not r.fold_errors or not chosen.fold_errors:
            continue
        difference = np.array(r.fold_errors) - np.array(chosen.fold_errors)
        error = float(np.std(difference, ddof=1)) / math.sqrt(difference.size)
        if abs(float(np.mean(difference))) <= CLEAR * error:
            found.append(r)
    return found


def optimism_of(results: Sequence[J]) -> float | None:
    """Return by how much the least cross-validated error is too small for having been selected."""
    if any(r.cv_error is None for r in results):
        return None
    least = Selection.of(results).least
    errors = np.array([r.fold_errors for r in results])
    return float((np.array(least.fold_errors) - errors.min(axis=0)).mean())


def _error(r: LearnerResult | JointResult) -> float:
    return r.e_in if r.cv_error is None else r.cv_error


def _standard_error(r: LearnerResult | JointResult) -> float:
    return 0.0 if r.cv_spread is None else r.cv_spread / math.sqrt(len(r.fold_errors))


def _standing(r: LearnerResult | JointResult) -> tuple[bool, int]:
    """Return what sorts equals: probabilities first, then the simpler."""
    halted = r.n_errors == 0
    names = [c.name for c in ((LINEAR, PLA, POCKET) if halted else (LINEAR, POCKET, PLA))]
    return not r.probabilities, len(names) if is_logistic(r.name) else names.index(r.name)


RARE = 0.1  # of the weight of the rows


@dataclass(frozen=True)
class Rare:
    """The rarer of two labels, in less than a tenth of the rows."""

    label: str
    is_yes: bool  # whether it is the label asked about
    share: float  # of the weight of the rows
    figures: ProbabilityFigures | None

    @property
    def is_ranked(self) -> bool:
        """Whether it is ranked better than by chance on rows left out, by DeLong's interval."""
        found = self.figures
        return found is not None and found.held_out and bool(found.auc_interval[0] > 0.5)

    @cached_property
    def threshold(self) -> float | None:
        """The P of yes above which as many rows get this answer as have it, to two digits."""
        if self.figures is None:
            return None
        order = np.argsort(-self.figures.scores, kind="stable")
        reached = np.cumsum(self.figures.weight[order])
        wanted = self.figures.share_of_yes * reached[-1]
        last = order[min(int(np.searchsorted(reached, wanted)), order.size - 1)]
        p = float(f"{float(expit(self.figures.scores[last])):.2g}")
        p = p if self.is_yes else round(1.0 - p, 15)
        return p if 0.0 < p < 1.0 else None


def flipped(found: ProbabilityFigures) -> ProbabilityFigures:
    return ProbabilityFigures(-found.y, -found.scores, found.weight, found.held_out, found.level)
