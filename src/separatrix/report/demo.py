"""The demonstration: the breast-cancer table, beside what scikit-learn says of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from separatrix.course.datasets import load_demo
from separatrix.kernels.exact import count_mistakes
from separatrix.report.findings import separable_in_short
from separatrix.report.wording import Section, plain
from separatrix.tiles import one_blas_thread
from separatrix.verdict import Verdict, judge


def demo_verdict(progress: Callable[[str], None]) -> Verdict:
    """Return the verdict on scikit-learn's bundled breast-cancer table (malignant = yes)."""
    X, labels, names = load_demo("breast_cancer")
    verdict: Verdict = judge(X, labels, feature_names=list(names), progress=progress)
    return verdict


def comparison(verdict: Verdict) -> Section:
    """Return scikit-learn's answers on the same rows, measured here and now."""
    from sklearn.linear_model import LogisticRegression, Perceptron

    X, labels, _ = load_demo("breast_cancer")
    y = (labels == "malignant").astype(int)
    perceptron = Perceptron().fit(X, y)
    mistakes = int((perceptron.predict(X) != y).sum())
    with warnings.catch_warnings(), one_blas_thread():  # two threads only wait for each other here
        # its own advice on scaling; the point here is what it returns
        warnings.simplefilter("ignore")
        fits = [LogisticRegression(C=np.inf, max_iter=steps).fit(X, y) for steps in (100, 1000)]
    lengths = [float(np.linalg.norm(fit.coef_)) for fit in fits]
    proof = verdict.separability
    line = proof.weights
    ours = "no line known" if line is None else str(count_mistakes(X, 2.0 * y - 1.0, line, 1.0))
    first = verdict.features[0]
    diverges = 1 in proof.divergent
    return Section(
        "Breast cancer, 569 rows: two libraries side by side",
        (
            "The same rows, fitted just now. scikit-learn's Perceptron stops when its mean error "
            "levels off, not when it makes no more mistakes. Its LogisticRegression returns "
            "coefficients where none exist; which ones depends on when it stops.",
        ),
        ("question", "scikit-learn", "separatrix"),
        (
            ("training mistakes", f"{mistakes} (Perceptron())", f"{ours} (line of the proof)"),
            ("of the selected model", "-", f"{verdict.winner.n_errors} ({verdict.winner.name})"),
            ("linearly separable?", "does not say", separable_in_short(verdict)),
            (
                "|coef| without penalty",
                f"{lengths[0]:.3g} (100 steps), {lengths[1]:.3g} (1000)",
                f"infinite: {len(proof.divergent)} of {len(verdict.features) + 1}",
            ),
            (
                f"coef of {plain(first)!r}",
                f"{fits[0].coef_[0, 0]:+.4g}, then {fits[1].coef_[0, 0]:+.4g}",
                "no finite value exists" if diverges else "finite",
            ),
        ),
    )
