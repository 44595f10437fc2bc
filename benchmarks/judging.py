"""What an answer is worth: mistakes recounted exactly, objective, its claim against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.answer import SEPARABLE, Answer, CheckedProof, TooSlowError
from benchmarks.data import Floats, Problem
from benchmarks.references import (
    correct_digits,
    cross_entropy_sum,
    least_cross_entropy,
    least_squares,
)
from separatrix.data import as_rows
from separatrix.kernels.exact import count_mistakes

ENOUGH = 1e-8  # relative excess of an optimum over the least: what is asked of everybody
DIGITS = 10.0  # of a least-squares solution: the ones that a square of the columns leaves, too
SQUARED = "squared error"
LEAST = "least cross entropy"


@dataclass(frozen=True)
class Judgement:
    """What an answer is worth.

    Parameters
    ----------
    mistakes, e_in, objective : None where there is no line, or nothing to mistake
    excess : of the objective over the least, relatively; None where no least is asked for
    digits : correct ones of a least-squares solution, else None
    proof : the file that was written and checked, where the answer comes with one
    """

    mistakes: int | None
    e_in: float | None
    objective: float | None
    right: bool
    proven: bool
    text: str
    excess: float | None = None
    digits: float | None = None
    proof: CheckedProof | None = None


def perceptron_error(problem: Problem, weights: Floats) -> float:
    """Return the mean of max(0, -y s), the error whose gradient steps PLA takes."""
    return float(np.maximum(0.0, -problem.y * problem.scores(weights)).mean())


def cross_entropy(problem: Problem, weights: Floats) -> float:
    """Return the mean of ln(1 + e^-(y s)), with the penalty where there is one."""
    return cross_entropy_sum(problem, weights) / problem.y.size


def squared_error(problem: Problem, weights: Floats) -> float:
    """Return the mean of (y - s)^2."""
    return float(np.square(problem.y - problem.scores(weights)).mean())


def excess(problem: Problem, weights: Floats) -> float:
    """Return how far the cross-entropy lies above the least, relatively; never below 0."""
    least = least_cross_entropy(problem)
    above = (cross_entropy_sum(problem, weights) - least) / least
    return max(above, 0.0) if np.isfinite(above) else float("inf")


def least_agreement(problem: Problem, weights: Floats) -> float:
    """Return min y s for the line scaled to |w_j| <= 1: the t that the linear program maximises."""
    largest = np.abs(weights).max()
    return float((problem.z @ weights).min() / largest) if largest else 0.0


def judge(answer: Answer, problem: Problem, objective: str) -> Judgement:
    """Judge an answer of a peer or of ours, outside the timing."""
    if objective == SQUARED:
        return _judge_numbers(answer, problem)
    mistakes = value = None
    if answer.weights is not None:
        mistakes = int(count_mistakes(as_rows(problem.X), problem.y, answer.weights, 1.0))
        value = OBJECTIVES[objective](problem, answer.weights)
    proof, why = _proof(answer)
    proven = proof is not None or (answer.check is not None and bool(answer.check()))
    right, text = _verdict(answer, problem, mistakes)
    if answer.claim is not None or answer.prove is not None:
        text += ", proven" if proven else f", unproven{why}"
    e_in = None if mistakes is None else mistakes / problem.y.size
    if objective == LEAST:
        above = float("inf") if answer.weights is None else excess(problem, answer.weights)
        right, text = above <= ENOUGH, f"{above:.1e} above the least"
        text = text if right else f"NOT REACHED: {text}"
        return Judgement(mistakes, e_in, value, right, proven, text, excess=above)
    return Judgement(mistakes, e_in, value, right, proven, text, proof=proof)


def _proof(answer: Answer) -> tuple[CheckedProof | None, str]:
    """Return the checked proof file; or None, and why where that took too long."""
    if answer.prove is None:
        return None, ""
    try:
        return answer.prove(), ""
    except TooSlowError as slow:
        return None, f": {slow}"


def _judge_numbers(answer: Answer, problem: Problem) -> Judgement:
    """Judge a least-squares solution by its digits; its error is right to twice as many."""
    assert answer.weights is not None
    best = least_squares(problem)
    digits = correct_digits(answer.weights, best)
    apart, residual = problem.scores(answer.weights - best), problem.y - problem.scores(best)
    above = float(apart @ apart / (residual @ residual))  # of the sum of squares, by Pythagoras
    right = digits >= DIGITS
    text = f"{digits:.1f} digits, {above:.0e} above the least"
    text = text if right else f"TOO FEW: {text}"
    value = squared_error(problem, answer.weights)
    return Judgement(None, None, value, right, False, text, excess=above, digits=digits)


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
    LEAST: cross_entropy,
    SQUARED: squared_error,
    "least agreement": least_agreement,
}
