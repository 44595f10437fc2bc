"""Small tables of any numbers: the fewest mistakes, and what all lines that make them say, proven.

Values over the whole range of doubles, weights over 1e-12 .. 1e12, against the definition in exact
arithmetic (`separatrix.plain`).
"""

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import agree, minimum_errors
from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.plain.score import exact_score
from separatrix.separation.decide import separability
from tests.hostile.profile import cases
from tests.separation import oracle
from tests.separation.in_blocks import answers, in_blocks

TABLES = cases(60, 2_000)
BLOCKS = 4
TALL = cases(4, 40)
SECONDS = 2.0  # of processor time that one answer may take

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
EXTREMES = [5e-324, -5e-324, 2.8e-160, 1e-5, 1.0, 1.07e301, -1e308, 1.7976931348623157e308]


def value(r):
    """A number of any size: zero, whole, drawn over all exponents, or an extreme."""
    kind = r.random()
    if kind < 0.15:
        return 0.0
    if kind < 0.4:
        return float(r.integers(-2, 3))
    if kind < 0.8:
        return float(np.ldexp(r.standard_normal(), int(r.integers(-1070, 1020))))
    return float(r.choice(EXTREMES))


def wild(r, n, d):
    return np.array([[value(r) for _ in range(d)] for _ in range(n)])


def grid(r, n, d):
    return r.integers(-2, 3, (n, d)).astype(float)


def with_duplicates(r, n, d):
    X = wild(r, n, d)
    return np.vstack([X[: n - n // 2], X[r.integers(0, n - n // 2, n // 2)]])


KINDS = [
    wild,
    lambda r, n, d: r.choice([value(r) for _ in range(3)], (n, d)),  # of few values
    grid,
    lambda r, n, d: np.ldexp(r.standard_normal((n, d)), r.integers(-500, 500, (n, 1))),
    lambda r, n, d: np.outer(  # multiples of one row, both ways
        np.ldexp(r.choice([-1.0, 1.0], n), r.integers(-60, 60, n)), grid(r, 1, d)[0]
    ),
    with_duplicates,
    lambda r, n, d: wild(r, n, d) * (r.random((n, 1)) >= 0.3),  # with rows of zeros
    lambda r, n, d: r.standard_normal((n, d)).round(1),
    lambda r, n, d: np.eye(d + 1)[r.integers(0, d + 1, n)][:, :d],  # levels of a category
]


def small_table(seed):
    """X, labels (contradictory ones too), weights or None, and whether there is an intercept."""
    r = np.random.default_rng(seed)
    n = int(r.integers(2, 13))
    d = int(r.integers(1, 7 if n < 9 else 4))
    X = KINDS[seed % len(KINDS)](r, n, d)
    y = r.integers(0, 2, n)
    y[0], y[-1] = 0, 1
    return X, y, None if seed % 3 == 0 else 10.0 ** r.uniform(-12, 12, n), seed % 4 > 0


def signed(X, y, intercept):
    head = [1] if intercept else []
    return [
        tuple(int(2 * s - 1) * Fraction(v) for v in head + x)
        for x, s in zip(X.tolist(), np.asarray(y).tolist(), strict=True)
    ]


def mistakes(rows, weight, line):
    return sum(a for z, a in zip(rows, weight, strict=True) if exact_score(z, line) <= 0)


def timed(work):
    before = time.process_time()
    found = work()
    assert time.process_time() - before < SECONDS
    return found


def check_fewest(X, y, weight, intercept, expected=None):
    """Return the fewest mistakes, once the answer is proven, shown by a line, and checked."""
    found = timed(lambda: minimum_errors(X, y, weight, fit_intercept=intercept))
    assert found.proven
    assert found.reason == ""
    rows = signed(X, y, intercept)
    exact = [Fraction(float(a)) for a in (np.ones(len(y)) if weight is None else weight)]
    assert expected is None or found.exact_upper == expected(rows, exact)
    skipped = 0 if intercept else 1
    line = [Fraction(a) for a in found.exact_line or found.weights.tolist()]
    assert mistakes(rows, exact, line[skipped:]) == found.exact_upper == found.exact_lower
    of_doubles = [Fraction(a) for a in found.weights.tolist()]
    assert mistakes(rows, exact, of_doubles[skipped:]) == found.mistakes
    return found


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_fewest_mistakes_on_a_dozen_rows_are_proven(block):
    for seed in range(block, TABLES, BLOCKS):
        X, y, weight, intercept = small_table(seed)
        found = check_fewest(X, y, weight, intercept, fewest_mistakes)
        certificate = timed(lambda found=found: found.certificate)
        assert certificate.verify(X, y, weight), seed
        assert certificate.lower == found.exact_upper, seed
        above = replace(certificate, lower=certificate.lower + certificate.unit)
        assert not above.verify(X, y, weight), seed


@pytest.mark.filterwarnings("error")  # no limit is met
@pytest.mark.parametrize("block", range(BLOCKS))
def test_what_all_lines_say_of_a_new_row_is_decided(block):
    for seed in range(block, TABLES, BLOCKS):
        X, y, _, intercept = small_table(seed)
        r = np.random.default_rng((1, seed))
        new = wild(r, 1, X.shape[1]) if seed % 2 else X[:1] * 2.0 ** int(r.integers(-3, 1))
        said = timed(lambda X=X, y=y, new=new, i=intercept: agree(X, y, new, i)).tolist()
        assert said == [by_definition(X, y, new, intercept)], seed
        assert agree(sp.csr_array(X), y, sp.csr_array(new), intercept).tolist() == said, seed


def by_definition(X, y, new, intercept):
    (point,), rows = signed(new, [1], intercept), signed(X, y, intercept)
    if not any(point):
        return "no"
    ones = [1] * len(rows)
    fewest = fewest_mistakes(rows, ones)
    yes, no = (
        fewest_mistakes([*rows, tuple(s * a for a in point)], [*ones, 1]) == fewest for s in (1, -1)
    )
    return "undecided" if yes and no else "yes" if yes else "no"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_separability_of_small_tables_is_that_of_an_exact_simplex_from_every_source(block):
    for seed in range(block, TABLES, BLOCKS):
        X, y, weight, intercept = small_table(seed)
        found = timed(lambda X=X, y=y, i=intercept: separability(X, y, i))
        true = oracle.truth(oracle.signed(X, 2 * y - 1, intercept))
        first = 0 if intercept else 1
        ways = {j + first: way for j, way in true.diverging.items()}
        assert (found.verdict, found.rank, found.diverging) == (true.verdict, true.rank, ways), seed
        assert found.aliased == tuple(sorted(j + first for j in true.aliased)), seed
        assert found.verify(X, y), seed
        blocks = in_blocks(X, y, 1 + seed % 5, weight)
        sources = (sp.csr_array(X), y), (blocks, None)
        for points, labels in sources:
            assert answers(separability(points, labels, intercept)) == answers(found), seed
        bracket = minimum_errors(blocks, fit_intercept=intercept)
        fewest = minimum_errors(X, y, weight, fit_intercept=intercept).exact_upper
        assert bracket.exact_lower <= fewest <= bracket.exact_upper, seed


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("d", [1, 2])
def test_taller_tables_in_the_plane_and_in_space_are_proven(d, intercept):
    for seed in range(TALL):
        r = np.random.default_rng((2, seed, d))
        n = int(r.integers(20, 60 if seed % 4 else 301))
        X = KINDS[seed % len(KINDS)](r, n, d)
        y = r.integers(0, 2, n)
        y[0], y[-1] = 0, 1
        weight = None if seed % 3 == 0 else 10.0 ** r.uniform(-12, 12, n)
        in_plane = d + intercept <= 2
        check_fewest(X, y, weight, intercept, fewest_in_plane if in_plane else None)


def fewest_in_plane(rows, weight):
    """The fewest mistakes beside any direction on which a row has the score 0."""
    rows = [z if len(z) == 2 else (*z, Fraction(0)) for z in rows]
    best = sum(weight)
    for a, b in {z for z in rows if any(z)}:
        for edge in ((-b, a), (b, -a)):
            scores = [exact_score(z, edge) for z in rows]
            wrong = sum(w for w, s in zip(weight, scores, strict=True) if s < 0)
            for beside in ((a, b), (-a, -b)):
                best = min(best, wrong + sum(
                    w for z, w, s in zip(rows, weight, scores, strict=True)
                    if s == 0 and exact_score(z, beside) <= 0
                ))  # fmt: skip
    return best
