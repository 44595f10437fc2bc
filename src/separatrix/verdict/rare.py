"""A rare answer: what its ranking is worth, as the error at one half says little of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from separatrix.inference.probabilities import ProbabilityFigures

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
