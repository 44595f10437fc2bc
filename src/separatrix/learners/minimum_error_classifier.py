"""The line that makes the fewest mistakes of all lines, or the best one found and how good it is.

Local search along exact breakpoints (Li & Lin 2007), then branch and bound over boxes of weights
with outward rounding. The problem is NP-hard when the dimension grows (Johnson & Preparata 1978).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix.certificates.fewest_mistakes import FewestMistakes
from separatrix.data import Labels, Sample, warn
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import InMemory, WeightedLinearClassifier
from separatrix.zero_one.limits import INTERRUPTED, NODES_SPENT, TIME_SPENT, Limits
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Costs, Question

STOPPED = {
    "": Stopped.PROVEN,
    NODES_SPENT: Stopped.NODES_SPENT,
    TIME_SPENT: Stopped.TIME_SPENT,
    INTERRUPTED: Stopped.INTERRUPTED,
}


@final
@dataclass(kw_only=True, eq=False, repr=False)
class MinimumErrorClassifier(InMemory, WeightedLinearClassifier):
    """A line with the fewest mistakes, and a proven lower bound for any line.

    Plain form: `separatrix.plain.fewest_mistakes`. A `sample_weight` of k stands for k copies of
    the row. After Ctrl-C the best line so far is kept and `KeyboardInterrupt` goes on.

    Parameters
    ----------
    time_limit : float or None
        Seconds; None for no limit. With one the line may depend on the machine.
    max_nodes : int or None
        Boxes explored; the same limit gives the same line on every run. None: no limit.
    cost_wrong_yes, cost_wrong_no : float
        What a "yes" costs to a row whose label is no, and a "no" to a row whose label is yes.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The best line found.
    n_errors_ : float
        Its mistakes on the rows of the fit, recounted exactly (weights times costs added up).
    lower_bound_ : float
        No line makes fewer.
    proven_ : bool
        Whether the two are equal.
    n_iter_ : int
        Boxes explored.
    stopped_ : Stopped
    bracket_ : ErrorBracket

    Warns
    -----
    NotConvergedWarning
        When a limit ended the search before the bounds met, or no doubles hold the line found.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = MinimumErrorClassifier().fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, model.lower_bound_, model.proven_
    (1.0, 1.0, True)
    """

    time_limit: float | None = None
    max_nodes: int | None = 200_000
    cost_wrong_yes: float = 1.0
    cost_wrong_no: float = 1.0
    fit_intercept: bool = True

    def _learn(self, sample: Sample) -> Self:
        limits = Limits.of(self.time_limit, self.max_nodes)
        costs = Costs.of(self.cost_wrong_yes, self.cost_wrong_no)
        bracket = fewest_mistakes(Question(sample, limits, costs))
        self._adopt(sample, bracket.weights)
        self._adopt_bracket(bracket)
        if bracket.interrupted:
            raise KeyboardInterrupt
        if not self.proven_:
            warn(
                f"the fewest mistakes are between {bracket.lower:g} and {self.n_errors_:g}: "
                f"{bracket.reason or self.stopped_}.",
                NotConvergedWarning,
            )
        return self

    @classmethod
    def of(cls, bracket: ErrorBracket, classes: Labels) -> Self:
        """Return the line of a bracket that was found elsewhere, as if it had been fitted here."""
        model = cls(fit_intercept=bracket.x0 == 1.0)
        model.classes_ = classes
        model.coef_, model.intercept_ = bracket.weights[np.newaxis, 1:], bracket.weights[:1]
        model.n_features_in_ = bracket.weights.size - 1
        model._adopt_bracket(bracket)
        return model

    @property
    def certificate_(self) -> FewestMistakes:
        """Both bounds with a proof of the lower one, written when first asked for."""
        return self.bracket_.certificate

    def _adopt_bracket(self, bracket: ErrorBracket) -> None:
        self.bracket_ = bracket
        self.n_errors_, self.lower_bound_ = float(bracket.mistakes), bracket.lower
        self.proven_ = bracket.proven and bracket.exact_line is None
        self.n_iter_ = max(1, bracket.nodes)
        self.stopped_ = STOPPED.get(bracket.reason, Stopped.PRECISION_OF_BOXES)
        if bracket.exact_line is not None:
            self.stopped_ = Stopped.FRACTIONS
