"""What the probabilities of logistic regression are worth, in words: a section of every report."""

from __future__ import annotations

import math

from separatrix.inference.probabilities import ProbabilityFigures, Reliability
from separatrix.report.wording import Section, capital, percent
from separatrix.verdict import Verdict

DOUBTFUL = 0.05
TITLE = "What the probabilities are worth"
NONE = (
    "Logistic regression has no finite optimum, so that it gives no probabilities to assess. With "
    "a penalty (learn --penalty 1, or firth; judge(..., penalty=1)) it has one."
)
LEFT_OUT = "Logistic regression took no part: --learners leaves it out."
NONE_IN_FOLDS = (
    "Not assessed on rows left out: without the rows of some fold logistic regression has no "
    "finite optimum, and so no probabilities."
)


def probabilities_section(verdict: Verdict) -> Section:
    """Return how well they order rows, and whether they can be believed."""
    found = verdict.probabilities
    if found is None:
        result = verdict.logistic
        if result is None:
            return Section(TITLE, (LEFT_OUT,))
        return Section(TITLE, (NONE_IN_FOLDS if result.probabilities else NONE,))
    return Section(TITLE, (_where(verdict, found), *figures_in_words(found)))


def _where(verdict: Verdict, found: ProbabilityFigures) -> str:
    name = capital(verdict.logistic.name if verdict.logistic else "")
    if found.held_out:
        return (
            f"{name} on rows left out: each of the {verdict.n_folds} folds got its "
            "probabilities from a line fitted without it."
        )
    return (
        f"{name} on the very rows that it was fitted to, as there are no folds: all "
        "figures are too good for new rows."
    )


def figures_in_words(found: ProbabilityFigures) -> tuple[str, ...]:
    """Return what orders rows, what probabilities miss by, and where the curve leaves its band."""
    interval = ""
    if math.isfinite(found.auc_error):
        low, high = found.auc_interval
        interval = f" ({100 * found.level:g} % interval {low:.3f} to {high:.3f}, DeLong's)"
    miscalibration, discrimination, uncertainty = found.parts_of_brier
    share = found.share_of_yes
    guess = -sum(p * math.log(p) for p in (share, 1.0 - share))
    return (
        f"Order: AUC {found.auc:.3f}{interval}: the share of pairs of a yes and a no row in which "
        f"the yes row gets the higher probability. Gini {found.gini:.3f}, KS {found.ks:.3f}.",
        f"Accuracy: Brier score {found.brier:.4f} = miscalibration {miscalibration:.4f} - "
        f"discrimination {discrimination:.4f} + uncertainty {uncertainty:.4f} (guessing "
        f"{percent(share)} for every row); log loss {found.log_loss:.4f} (guessing {guess:.4f}).",
        _calibration(found.reliability),
    )


def _calibration(curve: Reliability) -> str:
    drawn = (
        f"{percent(curve.p_value)} of labels drawn with these probabilities miss them by as much "
        "(isotonic regression)"
    )
    if curve.p_value >= DOUBTFUL:
        return f"Calibration: nothing speaks against these probabilities; {drawn}."
    outside = (curve.observed < curve.lower) | (curve.observed > curve.upper)
    excess = curve.weight @ (curve.observed - curve.probability)
    rows = f"{percent(1.0 - curve.share_inside)} of the rows"
    p = curve.probability[outside]
    where = f", for {rows}, with {p.min():.3g} to {p.max():.3g}" if p.size else ""
    way = "more" if excess > 0.0 else "less"
    return (
        f"Calibration: these probabilities are off; {drawn}. Yes is on the whole {way} frequent "
        f"than was said; the curve leaves its {100 * curve.level:g} % band{where}."
    )
