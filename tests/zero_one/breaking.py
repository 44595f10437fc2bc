"""Searches broken on purpose."""

from dataclasses import replace

import numpy as np

from separatrix.zero_one import problem, strategy
from separatrix.zero_one.problem import Presolved


def stop_early(monkeypatch):
    """The search believes at once that the first line it has is the best."""

    def believe(search):
        search.bracket.raise_lower(search.bracket.cutoff - search.problem.base)

    monkeypatch.setattr(strategy.Strategy, "_search", believe)


def drop_rows(monkeypatch):
    """The search counts every third row only, and says so of all."""
    whole = problem.presolve

    def fewer(values, weight, exponents):
        rows = whole(values, weight, exponents).rows
        some = np.arange(0, rows.n, 3)
        part = replace(
            rows, values=rows.values[some], weight=9 * rows.weight[some], ids=np.arange(some.size)
        )
        return Presolved(part, 0, np.full(weight.size, -1))

    monkeypatch.setattr(problem, "presolve", fewer)
