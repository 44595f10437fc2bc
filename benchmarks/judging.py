"""What an answer is worth: mistakes recounted exactly, objective, its claim against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.answer import SEPARABLE, Answer
from benchmarks.data import Floats, Problem
from separatrix.data import as_rows
from separatrix.kernels.exact import count_mistakes


@dataclass(frozen=True)
class Judgement:
    """Parameters: mistakes, e_in and objective are None where there is no line."""

    mistakes: int | None
    e_in: float | None
    objective: float | None
    right: bool
    proven: bool
    text: str


def perceptron_error(problem: Problem, weights: Floats) -> float:
    """Return the mean of max(0, -y s), the error whose gradient steps PLA takes."""
    scores = weights[0] + problem.X @ weights[1:]
    return float(np.maximum(0.0, -problem.y * scores).mean())


def cross_entropy(problem: Problem, weights: Floats) -> float:
    """Return the mean of ln(1 + e^-(y s))."""
    scores = weights[0] + problem.X @ weights[1:]
    return float(np.logaddexp(0.0, -problem.y * scores).mean())


def least_agreement(problem: Problem, weights: Floats) -> float:
    """Return min y s for the line scaled to |w_j| <= 1: the t that the linear program maximises."""
    largest = np.abs(weights).max()
    return float((problem.z @ weights).min() / largest) if largest else 0.0


def judge(answer: Answer, problem: Problem, objective: str) -> Judgement:
    """Judge an answer of a peer or of ours, outside the timing."""
    mistakes = value = None
    if answer.weights is not None:
        mistakes = int(count_mistakes(as_rows(problem.X), problem.y, answer.weights, 1.0))
        value = OBJECTIVES[objective](problem, answer.weights)
    proven = answer.check is not None and bool(answer.check())
    right, text = _verdict(answer, problem, mistakes)
    if answer.claim is not None:
        text += ", proven" if proven else ", unproven"
    e_in = None if mistakes is None else mistakes / problem.y.size
    return Judgement(mistakes, e_in, value, right, proven, text)


def _verdict(answer: Answer, problem: Problem, mistakes: int | None) -> tuple[bool, str]:
    """Return whether the answer is right, and how to say it."""
    if answer.claim is None:
        if not problem.separable:
            return True, "a line"
        if mistakes:  # it claims nothing, so this is no lie, but it is no answer either
            return False, f"DOES NOT SEPARATE: misses {mistakes} rows"
        return True, "separates, unproven"
    if (answer.claim == SEPARABLE) != problem.separable:
        return False, f"WRONG: claims {answer.claim}"
    if answer.claim == SEPARABLE and mistakes:
        return False, f"WRONG: its line misses {mistakes} rows"
    return True, answer.claim


OBJECTIVES = {
    "perceptron error": perceptron_error,
    "cross entropy": cross_entropy,
    "least agreement": least_agreement,
}
