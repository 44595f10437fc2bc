"""The bounds of one problem so far: the incumbent above, cores and searches below."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from separatrix.exact.integers import Floats
from separatrix.zero_one.branch_and_bound import BranchAndBound
from separatrix.zero_one.core_packing import Disjunction, Packing
from separatrix.zero_one.enumeration import Enumeration
from separatrix.zero_one.limits import Budget, Tuning
from separatrix.zero_one.local_search import ChangeOfBasis, basis_around, better_lines
from separatrix.zero_one.presolve import MergedRows
from separatrix.zero_one.problem import Problem

Progress = Callable[[float, float], None]


class Bracket:
    def __init__(
        self, problem: Problem, budget: Budget, tuning: Tuning, progress: Progress | None
    ) -> None:
        self.problem, self.budget, self.tuning = problem, budget, tuning
        self.progress = progress
        self.lower = 0
        d = problem.sample.d
        self.line = np.append(1.0, np.zeros(d))  # always yes
        if not problem.x0:  # a direction that no row lies on by accident
            self.line = np.append(0.0, np.random.default_rng(0).standard_normal(d))
        self.upper = problem.tally.mistakes(self.line)
        self.packing: Packing | Disjunction | None = None
        self.separating: tuple[Fraction, ...] | None = None
        self.enumeration: Enumeration | None = None

    @property
    def rows(self) -> MergedRows:
        """The merged rows, of which there are some."""
        assert self.problem.rows is not None  # noqa: S101  # there is nothing to search otherwise
        return self.problem.rows

    @property
    def exact_lower(self) -> Fraction:
        """The lower bound as a sum of row weights."""
        if self.enumeration is not None:
            return self.enumeration.fewest
        return self.problem.weight(self.lower)

    @property
    def closed(self) -> bool:
        return self.enumeration is not None or self.exact_lower >= self.upper

    @property
    def cutoff(self) -> int:
        """The upper bound in the units of `lower`: no bound above it can be shown."""
        return self.problem.cutoff(self.upper)

    def raise_lower(self, lower: int) -> None:
        if lower > self.lower:
            self.lower = lower
            self._report()

    def take_packing(self, packing: Packing | Disjunction) -> None:
        """Take cores if they prove a larger lower bound."""
        if packing.bound > self.lower:
            self.packing = packing
            self.raise_lower(packing.bound)

    def take_enumeration(self, found: Enumeration) -> None:
        """Take the fewest mistakes of all cells of lines, which close the bracket."""
        self.offer(found.in_doubles(self.problem.tally))
        self.enumeration = found
        self._report()

    def offer(self, line: Floats | None) -> bool:
        """Make a line (1+d,) the incumbent if it is better; return whether it is."""
        if line is None or not np.isfinite(line).all():
            return False
        line, mistakes = self._off_cancelled(line, self.problem.tally.mistakes(line))
        better = bool(mistakes < self.upper)
        if better:
            self.upper, self.line = mistakes, line
            self._report()
        return better

    def offer_narrow(self, line: Floats) -> bool:
        """Offer a line (r,) for the merged rows."""
        return self.offer(self.problem.widened(line))

    @property
    def scaled_line(self) -> Floats:
        """The incumbent (r,) for scaled columns."""
        return self.rows.scaled_line(self.problem.narrowed(self.line))

    def basis(self) -> ChangeOfBasis:
        return basis_around(self.rows, self.scaled_line)

    def improve(self, start: Floats | None, *, seed: int, effort: int = 1) -> Floats:
        """Run the primal heuristic; return the best line (r,) found, for scaled columns."""
        rows, tuning = self.rows, self.tuning
        most = tuning.most_steps * max(1, effort // tuning.most_effort)
        steps = min(most, max(16, effort * tuning.row_steps // rows.n))
        found = np.zeros(rows.dimension)
        try:
            for found in better_lines(rows, start, steps, seed):  # noqa: B007  # used at the end
                self.budget.check_time()
        finally:
            self.offer_narrow(rows.unscaled(found))
        return found

    def advance(self, search: BranchAndBound, nodes: int) -> None:
        """Continue a search; its incumbent is offered also when a limit or Ctrl-C ends it."""
        try:
            search.run(nodes)
        finally:
            if search.incumbent is not None:
                self.offer_narrow(search.incumbent)

    @np.errstate(over="ignore", invalid="ignore")  # a nudge that overflows is not tried
    def _off_cancelled(self, line: Floats, mistakes: Fraction) -> tuple[Floats, Fraction]:
        """Nudge a line that goes through rows that cancel: there both of them are mistakes."""
        problem, rows = self.problem, self.problem.rows
        if rows is None or problem.base == 0:
            return line, mistakes
        due = problem.weight(rows.mistakes(problem.narrowed(line)))
        random = np.random.default_rng(0)
        length = float(np.abs(rows.scaled_line(problem.narrowed(line))).max())
        for bits in range(12, 52, 4):
            if mistakes <= due:
                break
            nudge = rows.unscaled(random.standard_normal(rows.dimension) * length * 2.0**-bits)
            nudged = line + problem.widened(nudge)
            if not np.isfinite(nudged).all():
                continue
            again = problem.tally.mistakes(nudged)
            if again < mistakes:
                line, mistakes = nudged, again
        return line, mistakes

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(float(self.exact_lower), float(self.upper))
