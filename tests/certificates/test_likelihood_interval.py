"""Certificates of likelihood intervals: they hold on random tables, and bent ones do not."""

from dataclasses import replace
from fractions import Fraction

import pytest

from separatrix.certificates.rows import part_of, rows_of
from separatrix.verify import Question, Refuted, checked
from tests.hostile.profile import cases
from tests.inference.tables import drawn, likelihood_intervals, sample_of

WIDTH = 1e-6  # of q: by how much the likelihood may change between the sides of a bracket


def certified(seed, *kinds):
    sample, _ = drawn(seed, kinds or ("noisy", "small", "rare", "separated", "far", "weighed"))
    found = likelihood_intervals(sample, 1.0)
    return sample, found, found.certificate


@pytest.mark.parametrize("seed", range(cases(30, 1000)))
def test_every_end_is_shown_or_infinite(seed):
    sample, found, proof = certified(seed)
    assert proof.holds(sample)
    shown = {(end.index, end.side) for end in proof.ends} | {(j, s) for j, s, _ in proof.infinite}
    assert shown == {
        (j, side) for j in set(range(sample.d + 1)) - set(found.of.undetermined) for side in (-1, 1)
    }
    for end in proof.ends:
        inside, outside = found.brackets[end.index, (end.side + 1) // 2]
        assert float(end.outside) == outside
        assert float(end.at.line[end.index]) == inside
        assert (outside - inside) * end.side > 0.0


@pytest.mark.parametrize("seed", range(cases(12, 100)))
def test_a_bent_certificate_does_not_hold(seed):
    sample, _, proof = certified(seed, "noisy", "weighed", "rare", "separated")
    end = proof.ends[seed % len(proof.ends)]
    j = end.index
    other = next(e for e in proof.ends if e is not end and e.at.line != end.at.line)

    def bent(**changes):
        return replace(proof, ends=(replace(end, **changes),))

    assert bent().holds(sample)
    inside = end.at.line[j]
    twice = replace(end.at, line=tuple(2 * a for a in end.at.line))
    for wrong in (
        bent(outside=inside + 1000 * (end.outside - inside + end.side * Fraction(1, 10**4))),
        bent(at=other.at),
        bent(at=twice),
        bent(at=replace(end.at, line=(*end.at.line[:j], end.outside, *end.at.line[j + 1 :]))),
        replace(proof, q=0.999 * proof.q, ends=(end,)),
        replace(proof, q=1.001 * proof.q, ends=(end,)),
        replace(proof, fit=replace(other.at), ends=(end,)),
        replace(proof, infinite=((j, end.side, 0),)),
    ):
        assert not wrong.holds(sample)


def test_a_direction_must_lie_in_the_cone():
    sample = sample_of([[0], [1], [1], [2]], [-1, -1, 1, 1])  # touching at 1
    proof = likelihood_intervals(sample, 1.0).certificate
    assert proof.holds(sample)
    line = proof.recessions[0]
    for wrong in (tuple(-a for a in line), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))):
        assert not replace(proof, recessions=(wrong,) * len(proof.recessions)).holds(sample)


def refused(sample, proof):
    with pytest.raises(Refuted) as why:
        checked(Question("", [], rows_of(sample), [part_of(proof.claim()).data]))
    return str(why.value)


def test_a_row_that_goes_corrects_no_share():
    sample = sample_of([[0], [1], [1], [2]], [-1, -1, 1, 1])
    proof = likelihood_intervals(sample, 1.0).certificate
    faces = tuple(replace(f, rows=(0,)) if f.direction else f for f in proof.faces)
    why = refused(sample, replace(proof, faces=faces))
    assert "a row that is to correct goes to infinity" in why


def test_rows_that_go_count_where_a_line_is():
    X = [[0, 0.3], [1, 0.5], [1, -0.2], [1, 0.1], [1, 0.7], [2, 0.4]]
    sample = sample_of(X, [-1, -1, 1, 1, 1, 1])
    proof = likelihood_intervals(sample, 1.0).certificate
    end = next(e for e in proof.ends if proof.faces[e.at.face].direction)
    near = replace(end, at=replace(end.at, times=Fraction(0)))
    assert "inside an interval is not shown" in refused(sample, replace(proof, ends=(near,)))


def test_a_column_that_is_left_out_does_not_move():
    sample = sample_of([[0, 0], [1, 2], [2, 4], [3, 6]], [1, -1, 1, -1])
    proof = likelihood_intervals(sample, 1.0).certificate
    (made_up,) = {1, 2} - set(proof.faces[0].columns)
    assert proof.faces[0].null_space[0][made_up]
    assert "left out moves" in refused(sample, replace(proof, left_out=(made_up,)))


def test_huge_exponents_are_answered():
    sample, _, proof = certified(0)
    end = proof.ends[0]
    for power in (1000, 10_000, 1_000_000):
        huge = Fraction(2) ** power
        assert not replace(proof, ends=(replace(end, outside=huge),)).holds(sample)
        line = (huge, *end.at.line[1:])
        assert not replace(proof, ends=(replace(end, at=replace(end.at, line=line)),)).holds(sample)
        assert not replace(proof, fit=replace(proof.fit, line=line)).holds(sample)
