"""Certificates of likelihood intervals: they hold on random tables, and bent ones do not."""

from fractions import Fraction

import pytest

from separatrix.certificates.fits import part_of, rows_of
from separatrix.certificates.statement import hexadecimal as written
from separatrix.verify import Question, Refuted, checked
from separatrix.verify import rational as number
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
    assert proof.shown == {
        (j, side) for j in set(range(sample.d + 1)) - set(found.of.undetermined) for side in (-1, 1)
    }
    for end in proof.claim["ends"]:
        j, side = end["index"], end["side"]
        inside, outside = found.brackets[j, (side + 1) // 2]
        assert float(number(end["outside"])) == outside
        assert float(number(end["line"][j])) == inside
        assert (outside - inside) * side > 0.0


@pytest.mark.parametrize("seed", range(cases(12, 100)))
def test_a_bent_certificate_does_not_hold(seed):
    sample, _, proof = certified(seed, "noisy", "weighed", "rare", "separated")
    ends = proof.claim["ends"]
    end = ends[seed % len(ends)]
    j, line = end["index"], end["line"]
    other = next(e for e in ends if e["line"] != line)

    def bent(**changes):
        return proof.but_for(ends=[{**end, **changes}])

    assert bent().holds(sample)
    inside, outside = number(line[j]), number(end["outside"])
    far = inside + 1000 * (outside - inside + end["side"] * Fraction(1, 10**4))
    q = proof.claim["q"]
    for wrong in (
        bent(outside=written(far)),
        bent(line=other["line"], face=other["face"]),
        bent(line=[written(2 * number(a)) for a in line]),
        bent(line=[*line[:j], end["outside"], *line[j + 1 :]]),
        bent().but_for(q=0.999 * q),
        bent().but_for(q=1.001 * q),
        bent().but_for(fit={name: other[name] for name in ("line", "face")}),
        proof.but_for(infinite=[{"index": j, "side": end["side"], "recession": 0}]),
    ):
        assert not wrong.holds(sample)


def touching():
    sample = sample_of([[0], [1], [1], [2]], [-1, -1, 1, 1])  # at 1
    return sample, likelihood_intervals(sample, 1.0).certificate


def test_a_direction_must_lie_in_the_cone():
    sample, proof = touching()
    assert proof.holds(sample)
    lines = proof.claim["recessions"]
    for wrong in ([written(-number(a)) for a in lines[0]], ["1", "0"], ["0", "1"]):
        assert not proof.but_for(recessions=[wrong] * len(lines)).holds(sample)


def refused(sample, proof):
    with pytest.raises(Refuted) as why:
        checked(Question("", [], rows_of(sample), [part_of(proof.claim).data]))
    return str(why.value)


def test_a_row_that_goes_corrects_no_share():
    sample, proof = touching()
    faces = [{**f, "rows": [0]} if f["direction"] else f for f in proof.claim["faces"]]
    why = refused(sample, proof.but_for(faces=faces))
    assert "a row that is to correct goes to infinity" in why


def test_rows_that_go_count_where_a_line_is():
    X = [[0, 0.3], [1, 0.5], [1, -0.2], [1, 0.1], [1, 0.7], [2, 0.4]]
    sample = sample_of(X, [-1, -1, 1, 1, 1, 1])
    proof = likelihood_intervals(sample, 1.0).certificate
    faces = proof.claim["faces"]
    end = next(e for e in proof.claim["ends"] if faces[e["face"]]["direction"])
    (away,) = faces[end["face"]]["direction"]
    line = [number(a) for a in end["line"]]
    k = next(k for k, a in enumerate(away) if number(a))
    times = line[k] / number(away[k])  # until it is 0 there
    near = [written(a - times * number(b)) for a, b in zip(line, away, strict=True)]
    assert "inside an interval is not shown" in refused(
        sample, proof.but_for(ends=[{**end, "line": near}])
    )


def test_a_column_that_is_left_out_does_not_move():
    sample = sample_of([[0, 0], [1, 2], [2, 4], [3, 6]], [1, -1, 1, -1])
    proof = likelihood_intervals(sample, 1.0).certificate
    (face,) = proof.claim["faces"]
    (made_up,) = {1, 2} - set(face["columns"])
    assert number(face["null_space"][0][made_up])
    assert "left out moves" in refused(sample, proof.but_for(left_out=[made_up]))


def test_huge_exponents_are_answered():
    sample, _, proof = certified(0)
    end = proof.claim["ends"][0]
    for power in (1000, 10_000, 1_000_000):
        huge = written(Fraction(2) ** power)
        line = [huge, *end["line"][1:]]
        for bent in ({"outside": huge}, {"line": line}):
            assert not proof.but_for(ends=[{**end, **bent}]).holds(sample)
        assert not proof.but_for(fit={**proof.claim["fit"], "line": line}).holds(sample)
