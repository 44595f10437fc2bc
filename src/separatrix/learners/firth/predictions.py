"""FLIC and FLAC: Firth's line with the mean probability that the labels have (Puhr et al. 2017)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from separatrix.data import Floats, Sample, dense
from separatrix.learners.logistic.cross_entropy import least_cross_entropy
from separatrix.learners.logistic.problem import LogisticFit, Problem

HALVINGS = 200


def refitted_intercept(scores: Floats, sample: Sample) -> float:
    """Return b (FLIC), the likeliest constant beside scores (N,): sum m theta(s + b) is sum m y."""
    share = float(sample.weight[sample.y > 0.0].sum() / sample.weight.sum())

    def excess(b: float) -> float:
        return float(sample.weight @ (expit(scores + b) - (sample.y > 0.0)))

    lower, upper = float(logit(share) - scores.max()), float(logit(share) - scores.min())
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        if middle in (lower, upper):
            break
        if excess(middle) > 0.0:
            upper = middle
        else:
            lower = middle
    return middle


def augmented_fit(sample: Sample, leverages: Floats, tol: float, max_iter: int) -> LogisticFit:
    """Return the most likely line of the augmented rows (FLAC), the indicator's weight the last."""
    X, half = dense(sample.X, "augmented rows"), leverages / 2.0
    zero, one = np.zeros((sample.n, 1)), np.ones((sample.n, 1))
    rows = np.vstack((np.hstack((X, zero)), np.hstack((X, one)), np.hstack((X, one))))
    labels = np.concatenate((sample.y, sample.y, -sample.y))
    weight = np.concatenate((sample.weight, half, half))
    augmented = replace(sample, X=rows, y=labels, weight=weight).only(weight > 0.0)
    start = np.zeros(sample.d + 2)
    return least_cross_entropy(Problem(augmented, np.inf, tol, max_iter, start))
