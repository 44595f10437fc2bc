"""Local maxima of Firth's likelihood and the ends of its profiles, in ball arithmetic."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import root

from separatrix import FirthLogisticRegression, coefficient_table
from separatrix.certificates.stationary_point import PenalisedEnd
from separatrix.kernels.smooth.firth import find_end
from separatrix.learners.penalised_likelihood import PenalisedLikelihood
from tests.hostile.profile import examples
from tests.inference.tables import drawn, sample_of

SADDLE = np.array([[-1.0, 2.0], [-1.0, -2.0], [-2.0, -2.0], [2.0, 2.0]]), np.array([-1, 1, 1, 1.0])
Q = 3.841458820694124


def fitted(sample):
    model = FirthLogisticRegression(tol=1e-10)
    return model.fit(sample.X, sample.y, sample_weight=sample.weight).certificate_


def modified_score(sample, b):
    table = np.column_stack((np.ones(sample.n), sample.X))
    p = 1.0 / (1.0 + np.exp(-table @ b))
    d = sample.weight * p * (1.0 - p)
    spread = np.einsum("ij,ij->i", table, np.linalg.solve((table.T * d) @ table, table.T).T)
    return (sample.weight * ((sample.y > 0) - p) + d * spread * (0.5 - p)) @ table


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@examples(40)
@given(st.integers(0, 10_000))
def test_every_fit_is_enclosed_and_another_solver_agrees(seed):
    sample, _ = drawn(seed)
    claim = fitted(sample)
    assert claim.verify(sample.X, sample.y)
    lower, upper = claim.enclosure(sample.X, sample.y)
    assert (lower <= claim.weights).all()
    assert (claim.weights <= upper).all()
    if len(claim.columns) == sample.d + 1:
        found = root(lambda b: modified_score(sample, b), claim.weights, tol=1e-13)
        size = 1e-6 * (1.0 + np.abs(claim.weights))
        assert ((lower - size <= found.x) & (found.x <= upper + size)).all()
    shift = np.zeros(sample.d + 1)
    shift[claim.columns[0]] = 1e-3 * (1.0 + abs(claim.weights[claim.columns[0]]))
    for wrong in (claim.weights + shift, claim.weights - shift):  # a solver that stops too early
        assert not replace(claim, weights=wrong).verify(sample.X, sample.y)


def test_ends_are_proven_and_no_others():
    sample, _ = drawn(7)
    table = coefficient_table(sample.X, sample.y, method="firth", enclose=True)
    assert len(table.brackets) == sample.d + 1
    assert table.verify(sample.X, sample.y)
    ends = [proof for proof in table.proofs if isinstance(proof, PenalisedEnd)]
    assert len(ends) == 2 * (sample.d + 1)
    for end in ends:
        width = end.outside - end.inside
        assert abs(width) < 1e-4 * (1.0 + abs(end.inside))
        for wrong in (
            replace(end, inside=end.outside, outside=end.outside + width),
            replace(end, inside=end.inside - width, outside=end.inside),
            replace(end, inside=end.outside, outside=end.inside),
            replace(end, q=1.01 * end.q),
            replace(end, column=99),
            replace(end, inside=np.nan),
        ):
            assert not wrong.verify(sample.X, sample.y)


def test_a_saddle_on_the_profile_is_no_end():
    sample = sample_of(*SADDLE)
    likelihood = PenalisedLikelihood(sample)
    best, a = likelihood.best, np.ascontiguousarray(likelihood.back[1])
    path = np.linalg.solve(likelihood.curvature, a)
    c = best.c + np.sqrt(Q / (a @ path)) * path
    find_end(
        likelihood.table, a, 1.0, Q, likelihood.correction, best.value, c, 1e-10, 20,
        likelihood._place,
    )  # fmt: skip
    saddle = likelihood.weights(c)  # stationary at a fixed coefficient, at the right height
    assert saddle[1] == pytest.approx(2.748432, abs=1e-6)
    end, line = likelihood.end(1, 1.0, Q)
    assert end == pytest.approx(3.007748, abs=1e-6)
    assert likelihood.weights(line)[1] == pytest.approx(end)
    table = coefficient_table(*SADDLE, method="firth", enclose=True)
    (inside, outside) = table.brackets["x1"][1]
    assert inside < 3.0077482 < outside + 1e-6
    proof = next(p for p in table.proofs if isinstance(p, PenalisedEnd) and p.column == 1)
    wrong = replace(proof, line=saddle, inside=saddle[1] - 1e-6, outside=saddle[1] + 1e-6)
    assert proof.verify(*SADDLE)
    assert not wrong.verify(*SADDLE)
