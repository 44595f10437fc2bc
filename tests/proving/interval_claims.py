"""Claims on likelihood intervals, spoilt as files and forgers spoil them, and the truth."""

from __future__ import annotations

import copy
import json
import math
from contextlib import suppress
from fractions import Fraction

import numpy as np

from separatrix import verify
from separatrix.certificates.likelihood_interval import rows_of
from tests.inference.tables import drawn, likelihood_intervals, profile, sample_of, supremum
from tests.verify.corruption import corrupted, walk

KIND = "likelihood intervals"
FAR = 3000.0
NO_LONGER = LookupError, TypeError, AttributeError, ValueError


def without(sample, columns):
    X = sample.X.copy()
    X[:, [j - 1 for j in columns]] = 0.0
    return sample_of(X, sample.y, sample.weight)


class Case:
    """A table, the true claim on it, and what is true of any other."""

    def __init__(self, sample, x0=1.0):
        self.sample, self.x0 = sample, x0
        found = likelihood_intervals(sample, x0)
        assert found.undecided == ()
        self.claim = found.certificate.claim()
        self.table = rows_of(sample, sample.weight, x0)
        self.known = {}

    def answer(self, claim):
        """The verifier's words; None where it does not verify."""
        try:
            if claim.get("kind") != KIND or not verify.claim_of_a_kind(claim):
                return None
            return verify.CHECKS[KIND](self.table, verify.Part(claim))
        except (verify.Refuted, verify.CannotCheck):
            return None

    def fall(self, j, v, left_out):
        key = j, v, tuple(left_out)
        if key not in self.known:
            kept = without(self.sample, left_out)
            most = self.known.get(("most", tuple(left_out)))
            if most is None:
                most = self.known["most", tuple(left_out)] = supremum(kept, self.x0)
            self.known[key] = 2.0 * (most - profile(kept, self.x0, j, v, left_out))
        return self.known[key]

    def must_be_true(self, claim):
        """Assert what a verified claim says, by another optimiser."""
        q, left_out = float(number(claim["q"])), sorted(claim["left_out"])
        near = 1e-9 * max(1.0, q)
        for end in claim["ends"]:
            inside, outside = number(end["line"][end["index"]]), number(end["outside"])
            assert (outside - inside) * end["side"] >= 0
            assert self.fall(end["index"], float(inside), left_out) <= q + near
            assert self.fall(end["index"], float(outside), left_out) >= q - near
        for one in claim["infinite"]:
            assert self.fall(one["index"], one["side"] * FAR, left_out) <= q + near


def number(value):
    if isinstance(value, str):
        above, _, below = value.partition("/")
        return Fraction(int(above, 16), int(below or "1", 16))
    return Fraction(value)


def tables():
    """Small tables: overlapping, touching, separable, weighed, collinear, without an intercept."""
    kinds = ("noisy", "small", "rare", "separated", "weighed")
    some = [drawn(seed, (kind,))[0] for seed, kind in enumerate(kinds * 2)]
    some = [s.only(np.arange(s.n) < 16) for s in some]
    some = [s for s in some if len(set(s.y[s.weight > 0])) == 2]
    x = np.arange(8.0)
    twice = np.column_stack((x, 2.0 * x + 1.0, x % 3))
    some.append(sample_of(twice, np.where(x % 2 + (x > 5) > 0, 1.0, -1.0)))
    return [Case(s) for s in some] + [Case(some[0], 0.0)]


def spoilt(claim, draw):
    """The claim after one to three changes."""
    if draw.random() < 0.3:
        text = corrupted(json.dumps({"claims": [claim]}).encode(), draw)
        try:
            told = json.loads(text)["claims"][0]
        except (ValueError, LookupError, TypeError):
            return None
        return told if isinstance(told, dict) and are_finite(told) else None
    found = copy.deepcopy(claim)
    for _ in range(draw.choice((1, 1, 2, 3))):
        with suppress(*NO_LONGER):  # what was spoilt before may be no end any more
            draw.choice((nudged, swapped, forged, moved))(found, draw)
    return found if are_finite(found) else None


def are_finite(claim):
    """Whether all numbers are, as those of JSON files have to be."""
    return all(math.isfinite(box[k]) for box, k in walk(claim) if isinstance(box[k], float))


def nudged(claim, draw):
    """A number changed by a little, or by much."""
    places = [(box, k) for box, k in walk(claim) if isinstance(box[k], float)]
    if not places:
        return
    box, k = draw.choice(places)
    v = box[k]
    box[k] = draw.choice((
        lambda: math.nextafter(v, draw.choice((-math.inf, math.inf))),
        lambda: v * (1.0 + draw.choice((-1, 1)) * 10.0 ** draw.uniform(-16, 0)),
        lambda: v + draw.choice((-1, 1)) * 10.0 ** draw.uniform(-14, 1),
        lambda: -v,
        lambda: v * 2.0 ** draw.randrange(-5, 6),
        lambda: draw.choice((0.0, 1e308, -1e308, 5e-324)),
    ))()  # fmt: skip


def swapped(claim, draw):
    """Two members of the same name exchanged: lines, rows, sides, values of other ends."""
    boxes = [*claim["ends"], claim["fit"], *claim["faces"], *claim["infinite"]]
    a, b = (draw.choice(boxes) for _ in "ab")
    shared = sorted(set(a) & set(b))
    if shared:
        k = draw.choice(shared)
        a[k], b[k] = b[k], a[k]
    elif "line" in a and "outside" in a:
        a["outside"] = a["line"][a["index"]]


def forged(claim, draw):
    """A statement that is stronger, or about something else."""
    width = len(claim["fit"]["line"])
    j, side = draw.randrange(width + 1), draw.choice((-1, 1))
    ways = ["q", "left_out"]
    ways += ["index", "side", "inwards", "both", "value", "rows"] if claim["ends"] else []
    ways += ["endless", "direction"] if claim["recessions"] else []
    way = draw.choice(ways)
    end = draw.choice(claim["ends"]) if claim["ends"] else {}
    if way == "q":
        claim["q"] = draw.choice((claim["q"] * draw.uniform(0.5, 1.5), 2.705543454095404, 6.6349))
    elif way == "left_out":
        claim["left_out"] = draw.choice(([], [j], sorted({1, j})))
    elif way in ("index", "side"):
        end[way] = j if way == "index" else -end["side"]
    elif way == "inwards":
        end["line"][end["index"]] = end["outside"]
    elif way == "both":
        by = draw.choice((-1, 1)) * 10.0 ** draw.uniform(-13, 0)
        end["outside"] += by
        end["line"][end["index"]] += by
    elif way == "value":
        end["outside"] = end["line"][end["index"]]
    elif way == "rows":
        end["rows"] = [draw.randrange(16) for _ in range(width)]
    elif way == "endless":
        k = draw.randrange(len(claim["recessions"]) + 1)
        claim["infinite"].append({"index": j, "side": side, "recession": k})
    else:
        line = draw.choice(claim["recessions"])
        if isinstance(line, list):
            k = draw.randrange(len(line))
            line[k] = draw.choice((0, 1, -1, 1e-300, number_of(line[k])))


def number_of(value):
    return -float(number(value))


def moved(claim, draw):
    """A direction, a null vector or a face lost, doubled or changed; a column taken for another."""
    boxes = [
        *claim["faces"], *(f["direction"] for f in claim["faces"]), claim["recessions"],
        *(f["null_space"] for f in claim["faces"]), *(f["columns"] for f in claim["faces"]),
        *(f["rows"] for f in claim["faces"]), claim["faces"], claim["ends"],
    ]  # fmt: skip
    box = draw.choice(boxes)
    if isinstance(box, dict):
        key = draw.choice(list(box))
        box[key] = draw.choice(([], [0], [1, 0], [[1, 0]], None, True))
    elif box and draw.random() < 0.4:
        del box[draw.randrange(len(box))]
    elif box and draw.random() < 0.5:
        k = draw.randrange(len(box))
        if isinstance(box[k], int):
            box[k] = draw.randrange(16)
        elif isinstance(box[k], list) and box[k]:
            box[k][draw.randrange(len(box[k]))] = draw.choice((0, 1, -1, "1/3", 0.5))
    elif box:
        box.append(copy.deepcopy(draw.choice(box)))
