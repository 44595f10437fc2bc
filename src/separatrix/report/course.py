"""The demonstration beside what scikit-learn says of its table, and what experiments found."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.course.datasets import load_demo
from separatrix.kernels.exact import count_mistakes
from separatrix.report.findings import separable_in_short
from separatrix.report.wording import Section, plain
from separatrix.tiles import one_blas_thread
from separatrix.verdict import Verdict, judge

if TYPE_CHECKING:  # none is loaded for the demonstration
    from separatrix.course.experiments import Experiment


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


FORMAT, FORMAT_VERSION = "separatrix experiment", 1


def experiment_section(found: Experiment) -> Section:
    """Return the figures of an experiment as a table with words around it."""
    settings = ", ".join(f"{name} {_shown(value)}" for name, value in found.settings.items())
    return Section(
        f"Experiment: {found.name}",
        found.about,
        tuple(column.name for column in found.columns),
        tuple(tuple(_cell(value) for value in row) for row in found.rows),
        (*found.found, *(f"{c.name}: {c.about}." for c in found.columns), f"Settings: {settings}."),
    )


def experiment_json(found: Experiment) -> str:
    """Return an experiment as one JSON object, ending in a newline; every figure in full."""
    kept = [k for k, column in enumerate(found.columns) if not column.timed]
    timed = [k for k, column in enumerate(found.columns) if column.timed]
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "separatrix": __version__,
        "experiment": found.name,
        "about": list(found.about),
        "settings": dict(found.settings),
        "columns": [{"name": found.columns[k].name, "about": found.columns[k].about} for k in kept],
        "rows": [[row[k] for k in kept] for row in found.rows],
        "found": list(found.found),
    }
    if timed:
        data["timed"] = {found.columns[k].name: [row[k] for row in found.rows] for k in timed}
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _shown(value: Untyped) -> str:
    if isinstance(value, list):
        return " ".join(_shown(one) for one in value)
    return str(value) if isinstance(value, int) else f"{value:g}"
