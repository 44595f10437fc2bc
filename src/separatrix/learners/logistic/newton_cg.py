"""Newton's method for a penalised cross-entropy on wide tables: no Hessian is ever formed.

Each step is found by conjugate gradients from products that read the rows once (Lin, Weng & Keerthi
2008). Their metric is the Hessian's diagonal, corrected by the pairs (p, H p) that the latest steps
met: nearly the same system is solved each time (Morales & Nocedal 2000). The penalty makes a dual
point free: alpha = theta(-a), with a small move on some rows where the unpenalised intercept asks
for an equality.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import daxpy

from separatrix.data import Floats, Sample
from separatrix.learners.logistic.fisher import LogisticFit
from separatrix.learners.logistic.objective import Passes
from separatrix.learners.logistic.subsample import spread_rows
from separatrix.tiles import one_blas_thread

LOOSEST = 0.25  # share of the shortfall that a first step may leave
SAFETY = 0.3  # of the tolerated shortfall that a last step aims at
MOST_PRODUCTS = 200  # for one step
MEMORY = 16  # pairs that correct the metric
BALANCING = 4096  # rows that make the intercept's equality exact


class _Metric:
    """An inverse Hessian: of the diagonal, and of the pairs met (limited-memory BFGS)."""

    def __init__(self, diagonal: Floats) -> None:
        self.diagonal = diagonal
        self.pairs: list[tuple[Floats, Floats, float]] = []

    def solve(self, pull: Floats) -> Floats:
        q = pull.copy()
        shares = []
        for step, turn, bend in reversed(self.pairs):
            shares.append(float(step @ q) / bend)
            daxpy(turn, q, a=-shares[-1])
        q /= self.diagonal
        for (step, turn, bend), share in zip(self.pairs, reversed(shares), strict=True):
            daxpy(step, q, a=share - float(turn @ q) / bend)
        return q


class _Penalised:
    """The sum of errors and |w|^2 / (2 C), in the table's own units."""

    def __init__(self, sample: Sample, x0: float, C: float) -> None:
        self.sample, self.x0 = sample, x0
        self.passes = Passes(sample.X, sample.y, sample.weight, x0, curved=True)
        self.penalty = np.full(sample.d + 1, 1.0 / C)
        self.penalty[0] = 0.0 if x0 else 1.0  # without an intercept its weight stays 0
        self.raw = np.zeros(sample.d + 1)
        self.metric: _Metric | None = None

    def value(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of errors with its penalty, and minus its gradient, at w."""
        error, self.raw = self.passes.at(w)
        return error + 0.5 * float(self.penalty @ (w * w)), self.raw - self.penalty * w

    def step(self, pull: Floats, enough: float) -> Floats:
        """Return H^-1 pull, up to a shortfall of `enough`, by conjugate gradients."""
        step, left = np.zeros_like(pull), pull.copy()
        if self.metric is None:
            self.metric = _Metric(self.passes.squares() + self.penalty)
        near = self.metric.solve(left)
        along, size = near, float(left @ near)
        met = []
        for _ in range(MOST_PRODUCTS):
            turned = self.passes.bent(along) + self.penalty * along
            bend = float(along @ turned)
            if not bend > 0.0:
                break
            met.append((along, turned, bend))
            step += (size / bend) * along
            left -= (size / bend) * turned
            if self.short(left) <= enough:
                break
            near = self.metric.solve(left)
            before, size = size, float(left @ near)
            along = near + (size / before) * along
        self.metric.pairs = [*self.metric.pairs, *met][-MEMORY:]
        return step

    def line_search(
        self, w: Floats, value: float, pull: Floats, step: Floats
    ) -> tuple[Floats, float, Floats] | None:
        """Return the first of w + step, w + step / 2, ... that is lower, or None; as `value`."""
        slope, t = float(step @ pull), 1.0
        while t > 1e-9:
            moved, moved_pull = self.value(w + t * step)
            if moved <= value - 1e-4 * t * slope + 1e-15 * value:
                return w + t * step, moved, moved_pull
            t *= 0.5
        return None

    def short(self, pull: Floats) -> float:
        """Return what the dual point theta falls short by, its intercept apart: |pull|^2 C / 2."""
        return 0.5 * float((pull[1:] ** 2 / self.penalty[1:]).sum())

    def certified(self, w: Floats, value: float) -> tuple[float, Floats]:
        """Return the relative gap at w, the place of the last pass, and the dual point (N,)."""
        alpha, pull = self.passes.theta, self.raw.copy()
        sample, apart = self.sample, 0.0
        if self.x0:
            rows, _ = spread_rows(sample.y, min(sample.n, BALANCING))
            curves, own = self.passes.curvature[rows], alpha[rows]
            moved = curves * (pull[0] / curves.sum())
            moves = -sample.y[rows] * moved / sample.weight[rows]
            up, down = moves / own, moves / (1.0 - own)
            if not max(np.abs(up).max(), np.abs(down).max()) <= 0.5:
                return np.inf, alpha
            alpha[rows] = own + moves
            bends = moves * (up * (1.0 + np.abs(up)) + down * (1.0 + np.abs(down)))
            apart = 0.5 * float(sample.weight[rows] @ bends)
            pull[1:] -= moved @ sample.X[rows]
        return (apart + self.short(pull - self.penalty * w)) / value, alpha


def newton_cg(  # noqa: PLR0917  # as `newton`
    sample: Sample, x0: float, C: float, tol: float, max_iter: int, start: Floats
) -> LogisticFit | None:
    """Minimise the cross-entropy + |w|^2 / (2 C) as `newton` does; None where floats overflow."""
    with one_blas_thread(), np.errstate(all="ignore"):
        table = _Penalised(sample, x0, C)
        w = start.copy()
        value, pull = table.value(w)
        steps, lower = 0, True
        while True:
            gap, alpha = table.short(pull) / value, table.passes.theta
            last = steps >= max_iter or not lower
            if gap <= tol or last:
                gap, alpha = table.certified(w, value)
                if gap <= tol or last:
                    break
                value, pull = table.value(w)  # whose shares the dual point has overwritten
            enough = max(SAFETY * tol, gap * min(LOOSEST, gap))
            moved = table.line_search(w, value, pull, table.step(pull, enough * value))
            lower = moved is not None
            w, value, pull = moved or (w, *table.value(w))
            steps += lower
        if not np.isfinite(gap):
            return None
        return LogisticFit(w, alpha, gap, steps, np.full(w.size, np.nan))
