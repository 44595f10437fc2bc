"""Certificates of the fewest mistakes, made to be written by boxes or by cases."""

from dataclasses import replace

import numpy as np

from separatrix.zero_one import minimum_errors
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import Branch, CorePool, Disjunction
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.problem import Problem


def without_cores(monkeypatch):
    """Make certificates write trees of boxes wherever they can."""
    whole = minimum_errors._certified
    monkeypatch.setattr(
        minimum_errors, "_certified",
        lambda bracket, *rest: whole(replace(bracket, packing=None), *rest),
    )  # fmt: skip


def with_cases(monkeypatch):
    """Make certificates write packings by cases: of two rows, each wrong or right."""
    whole = minimum_errors._certified

    def certified(bracket, question, budget):
        problem = Problem(question)
        rows = problem.rows
        pool = CorePool(rows, Knowledge(rows, Budget(None, ALL)))
        for line in np.random.default_rng(0).standard_normal((30, rows.dimension)):
            pool.separate_line(line, 2)
        first, second = ((0, 1), ()), ((0,), (1,))
        wrong = Disjunction(1, *(pool.packing(Branch(*rows)) for rows in (first, second)))
        cases = Disjunction(0, wrong, pool.packing(Branch((), (0,))))
        assert problem.weight(cases.bound) == bracket.exact_lower
        return whole(replace(bracket, packing=cases), question, budget)

    monkeypatch.setattr(minimum_errors, "_certified", certified)
