"""One law: no corruption of an honest proof, of any claim, is verified as something false."""

import contextlib
import json
import random
from dataclasses import replace

import numpy as np
import pytest

from separatrix import InputError, judge, read_table, verify
from separatrix.data import points
from separatrix.proving.asking import prove_likelihood_intervals, prove_separability, prove_verdict
from separatrix.zero_one import minimum_errors
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import Branch, CorePool, Disjunction
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.problem import Problem
from tests.hostile.one_hot import csv
from tests.hostile.profile import cases
from tests.inference.tables import drawn, sample_of
from tests.proving.fewest_mistakes import csv_of as csv_file
from tests.proving.fewest_mistakes import proof_of as fewest_of
from tests.verify import by_hand
from tests.verify.arrays import as_arrays
from tests.verify.by_hand import AND, DATA, PROOFS, RULES, csv_of, proof_of
from tests.verify.corruption import answers_to, corrupted
from tests.verify.truths import FEW, Truths
from tests.verify.wide_tables import one_hot
from tests.zero_one.tables import noisy


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


OVERLAP = csv_of([(0, "n"), (0, "y"), (0, "y"), (1, "n"), (1, "y"), (1, "y")])
SQUARES = {**by_hand.SQUARES, "weights": [-1.5, 1, 1.25]}
SHARES = {**by_hand.LOGISTIC, "weights": [0.5, 0.125], "line": [0.75, 0]}
MIXED = b"s,x,w,y\n+,1.5,1,n\n-,2,2,y\n+,3,1,y\n-,0,1,n\n+,4,0.5,y\n"
MIXED_PROOF = proof_of(MIXED, [{"kind": "mistakes", "weights": [-1, 0.5, 1]}])
MIXED_PROOF["table"] |= {
    "columns": [{"index": 0, "levels": ["+", "-"]}, 1], "weight": 2,
    "label": {"index": 3, "classes": ["n", "y"]},
}  # fmt: skip
COUNT = {"kind": "mistakes", "weights": [-15, 1]}
LATE = csv_of([(10, "n"), (20, "y"), (31, "n")])
PAIRS = csv_of([(0, "n"), (0, "y"), (1, "n"), (1, "y"), (2, "y"), (2, "n"), (3, "y")])
SEVERAL_CORES = {
    "kind": "mistakes at least",
    "cores": [
        {"rows": [0, 1], "share": "1/2"}, {"rows": [0, 1], "share": "1/2"},
        {"rows": [2, 3], "share": "2/3"}, {"rows": [4, 5], "share": "1"},
    ],
}  # fmt: skip
KNOWN = [
    (LATE, proof_of(LATE, [COUNT])), *PROOFS,
    (AND, proof_of(AND, [SQUARES])), (OVERLAP, proof_of(OVERLAP, [SHARES])), (MIXED, MIXED_PROOF),
    (MIXED, {**MIXED_PROOF, "claims": [{"kind": "mistakes", "weights": ["-7/4", 0.25, -2]}]}),
    (PAIRS, proof_of(PAIRS, [SEVERAL_CORES])),
    *by_hand.FITS,
    *((DATA, proof) for proof in RULES.values()),
]  # fmt: skip


def table_of(path, proof):
    """The table of a proof, written beside it in one file or several, or the user's own."""
    files = (*proof.beside.values(),) or (path.read_bytes(),)
    return files[0] if len(files) == 1 else files, json.loads(proof.text)


def made_by_hand(path):
    return KNOWN


def in_arrays(path):
    """The same rows in `.npy` files, dense and sparse."""
    for data, proof in [*PROOFS, *by_hand.FITS, (PAIRS, proof_of(PAIRS, [SEVERAL_CORES]))]:
        yield from (as_arrays(data, proof, form) for form in ("npy", "csr"))


def of_fewest_mistakes(path):
    """Tables of which everything is known."""
    r = np.random.default_rng(5)
    grid = r.integers(0, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    ties = r.integers(-2, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    weights = r.integers(1, 9, 9) / 4
    for (X, y), more, options in (
        (noisy(10, 2, 0.4, 2), (), {}),
        (grid, (), {}),
        (ties, (weights,), {"weight": "w0"}),
    ):
        proof = fewest_of(csv_file(path, X, y, *more), **options)
        yield table_of(path, proof)


def of_categories(path):
    """Small tables with rare levels, one of many levels, some of few rows."""
    for seed in (*range(1, cases(13, 60)), 20):
        path.write_bytes(csv(seed))
        proof = prove_separability(read_table(path, "y"), path.read_bytes())
        yield table_of(path, proof)
    path.write_bytes(one_hot("touching", rows=150))
    verdict = judge(read_table(path, "answer"), fewest_nodes=1)
    yield table_of(path, prove_verdict(verdict, path.read_bytes()))
    for seed in range(100, cases(106, 130)):
        header, *lines = csv(seed).splitlines()
        yes, no = ([line for line in lines if line.endswith(a)] for a in (b",yes", b",no"))
        few = [header, *yes[: FEW // 2 - 1], *no[: FEW // 2]]
        path.write_bytes(b"\n".join(few) + b"\n")
        with contextlib.suppress(InputError):  # no column with two values in so few rows
            found = fewest_of(path, label="y")
            yield table_of(path, found)


def of_intervals(path):
    """Overlapping, touching, separable, weighed and collinear tables, one without an intercept."""
    kinds = ("noisy", "small", "rare", "separated", "weighed")
    some = [drawn(seed, (kind,))[0] for seed, kind in enumerate(kinds * 2)]
    some = [s.only(np.arange(s.n) < 16) for s in some]
    some = [s for s in some if len(set(s.y[s.weight > 0])) == 2]
    x = np.arange(8.0)
    twice = np.column_stack((x, 2.0 * x + 1.0, x % 3))
    some.append(sample_of(twice, np.where(x % 2 + (x > 5) > 0, 1.0, -1.0)))
    for sample in some:
        table = read_table(csv_file(path, sample.X, sample.y, sample.weight), "label", weight="w0")
        proof = prove_likelihood_intervals(table, path.read_bytes())
        yield table_of(path, proof)


def sparse(monkeypatch):
    """Each table by its nonzeros, however small."""
    monkeypatch.setattr(points, "WIDE", 1)
    monkeypatch.setattr(points, "SPARSE_SHARE", 1)


FAMILIES = {  # proofs, how they are written, how many corruptions
    "by hand": (made_by_hand, None, cases(6_000, 80_000)),
    "arrays": (in_arrays, None, cases(1_500, 20_000)),
    "fewest mistakes": (of_fewest_mistakes, None, cases(1_000, 20_000)),
    "fewest mistakes by boxes": (of_fewest_mistakes, without_cores, cases(1_000, 20_000)),
    "fewest mistakes by cases": (of_fewest_mistakes, with_cases, cases(1_000, 20_000)),
    "categories": (of_categories, None, cases(200, 2_500)),
    "categories by nonzeros": (of_categories, sparse, cases(200, 2_500)),
    "intervals": (of_intervals, None, cases(1_200, 100_000)),
}


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")  # levels of one row
@pytest.mark.parametrize("family", FAMILIES)
def test_no_corruption_of_a_proof_is_verified_as_something_false(family, tmp_path, monkeypatch):
    proofs, write, n = FAMILIES[family]
    if write is not None:
        write(monkeypatch)
    draw, truths = random.Random(family), Truths()
    known = [
        (data, proof, json.dumps(proof).encode()) for data, proof in proofs(tmp_path / "t.csv")
    ]
    for data, _, text in known:
        truths.holds(data, text, verify.statements(text, data))

    def tried():
        for k in range(n):
            data, proof, original = known[k % len(known)]
            table, text = corrupted(data, proof, draw)
            yield table, original if table == data else None, text

    answers = answers_to(tried(), truths.holds)
    assert min(answers.values()) > n // 200, answers
