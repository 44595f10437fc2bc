"""What is true of a table, by oracles that share no code with the verifier."""

import csv
import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from separatrix import verify
from separatrix.plain.fewest_mistakes import fewest_mistakes
from tests.inference.tables import profile, sample_of, supremum
from tests.separation.oracle import truth
from tests.verify import second_reader
from tests.verify.corruption import number

SIGNS = {"upwards": 1, "downwards": -1, "either way": 0}
FEW = 10  # rows of which the fewest mistakes are found from the definition
FAR = 3000.0
FINITE = 10**150  # what oracles in doubles can look at


@dataclass
class Question:
    """The rows of one question, and what was found of them so far."""

    Z: list[list[Fraction]]
    answers: list[int]
    weights: list[Fraction]
    names: list[str]

    def __post_init__(self):
        self.known = {}

    @cached_property
    def cone(self):
        return truth(self.Z)

    def line(self, told):
        """All numbers of a vector of a claim."""
        if isinstance(told, list):
            return [number(a) for a in told]
        vector = dict(zip(told["indices"], map(number, told["values"]), strict=True))
        return [vector.get(j, Fraction(0)) for j in range(len(self.Z[0]))]

    def scores(self, claim):
        w = self.line(claim["weights"])
        return [sum(a * b for a, b in zip(w, z, strict=True) if a and b) for z in self.Z]

    def combined(self, told):
        """The rows of a combination, added up; none may count less than 0."""
        multipliers = [number(a) for a in told["multipliers"]]
        assert min(multipliers) > 0
        pairs = list(zip(multipliers, told["rows"], strict=True))
        return [sum(a * self.Z[n][j] for a, n in pairs) for j in range(len(self.Z[0]))]

    @property
    def equal(self):
        return set(self.weights) == {1}

    @cached_property
    def floats(self):
        return np.array([[float(v) for v in z] for z in self.Z])

    def fall(self, j, v, left_out):
        """Twice what the log-likelihood loses where b_j = v."""
        key = j, v, *left_out
        if key not in self.known:
            y, x0 = np.array(self.answers, float), float(self.Z[0][0] != 0)
            X = self.floats[:, 1:] * y[:, None]
            X[:, [k - 1 for k in left_out]] = 0.0
            sample = sample_of(X, y, [float(w) for w in self.weights])
            if ("most", *left_out) not in self.known:
                self.known["most", *left_out] = supremum(sample, x0)
            most = self.known["most", *left_out]
            self.known[key] = 2.0 * (most - profile(sample, x0, j, v, left_out))
        return self.known[key]


def of_separable(q, claim):
    scores, w = q.scores(claim), q.line(claim["weights"])
    assert q.cone.verdict == "separable"
    assert min(scores) > 0
    radius = max(sum(v * v for v in z) for z in q.Z)
    most = math.floor(radius * sum(v * v for v in w) / min(scores) ** 2)
    return f"at most {verify.counted(most)} updates"


def of_mistakes(q, claim):
    return f"makes {sum(s <= 0 for s in q.scores(claim))} mistake"


def of_touching(q, claim):
    scores = q.scores(claim)
    assert q.cone.verdict == "touching"
    assert not any(q.combined(claim))
    assert min(scores) >= 0 < max(scores)
    return f"{sum(s > 0 for s in scores):,} on their own side"


def of_refused(q, claim):
    assert q.cone.verdict != "separable"
    assert not any(q.combined(claim))
    return "contradict each other"


def of_overlapping(q, claim):
    assert q.cone.verdict == "overlapping"
    assert not any(q.combined(claim))
    assert np.linalg.matrix_rank(q.floats[claim["rows"]]) == q.cone.rank
    return f"(rank {q.cone.rank})"


def of_margin_at_most(q, claim):
    above = sum(v * v for v in q.combined(claim)) / sum(map(number, claim["multipliers"])) ** 2
    return "" if claim.get("columns") else f"squared margin above {verify.short(above)}"


def of_cores(q, claim):
    shares = [number(core["share"]) for core in claim["cores"]]
    assert all(null_space_cancels(q.Z, core["rows"]) for core in claim["cores"])
    for n in range(len(q.Z)):
        spent = [s for s, c in zip(shares, claim["cores"], strict=True) if n in c["rows"]]
        assert sum(spent, Fraction(0)) <= 1
    if not q.equal:
        assert sum(shares) <= sum(q.weights)
        return ""
    return f"at least {math.ceil(sum(shares)):,} mistake"


def null_space_cancels(Z, rows) -> bool:
    """Whether one line of multipliers cancels rows, all above 0: by Gauss and Jordan."""
    equations = [[Fraction(Z[n][j]) for n in rows] for j in range(len(Z[0]))]
    pivots = []
    for k in range(len(rows)):
        row = next((e for e in equations[len(pivots) :] if e[k]), None)
        if row is None:
            continue
        equations.remove(row)
        row = [a / row[k] for a in row]
        equations = [[a - e[k] * b for a, b in zip(e, row, strict=True)] for e in equations]
        equations.insert(len(pivots), row)
        pivots.append(k)
    free = [k for k in range(len(rows)) if k not in pivots]
    return len(free) == 1 and all(equations[i][free[0]] < 0 for i in range(len(pivots)))


def of_run(q, claim):
    """Replayed in doubles as PLA has them, the signs of scores exact."""
    if claim.get("columns"):
        return ""
    v = [float(a) for a in q.line(claim["start"])]
    for n in claim["visited"]:
        assert sum(Fraction(a) * b for a, b in zip(v, q.Z[n], strict=True)) <= 0
        v = [a + float(b) for a, b in zip(v, q.Z[n], strict=True)]
    wrong = sum(sum(Fraction(a) * b for a, b in zip(v, z, strict=True)) <= 0 for z in q.Z)
    mistakes = f"mistake{'s' if wrong > 1 else ''} left"
    return f"with {wrong:,} {mistakes}" if wrong else "ended without any mistake"


def of_diverging(q, claim, said):
    """Those shown go where it is said, and there are as many as it is said."""
    (text,) = {
        s for s in said if ("diverge" in s and "Coefficients" in s[:60]) or "no coefficient" in s
    }
    first, _, rest = text.partition(". ")
    shown = re.findall(r"'([^']+)' \(([a-z ]+)\)", first)
    more = re.search(r"and ([\d,]+) more", first)
    assert len(shown) + (int(more[1].replace(",", "")) if more else 0) == len(q.cone.ways)
    for name, way in shown:
        j = q.names.index(name)
        assert j in q.cone.ways
        assert way == "direction not shown" or q.cone.diverging[j] == SIGNS[way]
    _, _, collinear = rest.partition("no score determines: ")
    assert all(
        q.names.index(name) in q.cone.aliased for name in re.findall(r"'([^']+)'", collinear)
    )


def of_optimum(q, claim, said):
    """What the line attains, and the least by the normal equations or Newton's method, damped."""
    logistic = claim["errors"] == "logistic"
    attained = sum((1 - s) ** 2 for s in q.scores(claim))
    if not q.equal or not (logistic or attained < FINITE):
        return
    if not logistic:
        solved = np.linalg.lstsq(q.floats, np.ones(len(q.Z)), rcond=None)[0]
        least = float(((1 - q.floats @ solved) ** 2).sum())
        holds_of_an_optimum("sum of squared residuals", said, float(attained), least)
        return
    C = None if claim.get("C") is None else number(claim["C"])
    if max(*map(abs, q.line(claim["weights"])), C or 1, 1 / (C or 1)) > FINITE:
        return
    A, v = q.floats, np.array([float(a) for a in q.line(claim["weights"])])
    keep = np.ones(A.shape[1])
    keep[0] = 0.0
    ridge = 0.0 if C is None else 1.0 / float(C)
    attained = float(np.logaddexp(0, -(A @ v)).sum() + ridge * (keep * v * v).sum() / 2)
    v = np.zeros(A.shape[1])
    for _ in range(60):  # any value that it reaches is attained
        p = 1 / (1 + np.exp(np.clip(A @ v, -500, 500)))
        gradient = -(A.T @ p) + ridge * keep * v
        curved = (A.T * (p * (1 - p))) @ A + np.diag(ridge * keep) + 1e-9 * np.eye(len(v))
        v = v - np.linalg.solve(curved, gradient)
    least = float(np.logaddexp(0, -(A @ v)).sum() + ridge * (keep * v * v).sum() / 2)
    holds_of_an_optimum("cross-entropies", said, attained, least)


def holds_of_an_optimum(kind, said, attained, least):
    """Some gap and value in words fit what is attained and what is the least at most."""
    (text,) = [s for s in said if kind in s]
    gap = text.split("more than a relative ")[1].split(" below")[0].removeprefix("about ")
    value = text.rsplit(", ", 1)[1].removeprefix("which is at most ").removeprefix("about ")
    gap, value = float(Fraction(gap)), float(value.rstrip("."))
    assert math.isclose(value, attained, rel_tol=2e-5, abs_tol=1e-9)
    assert value * (1 - gap) <= least * (1 + 1e-4) + 1e-9


def of_fewest(q, claim, said):
    """By the definition, in fractions."""
    costs = claim["cost_wrong_no"], claim["cost_wrong_yes"]
    # a weight times a cost is rounded to a double
    pairs = zip(q.weights, q.answers, strict=True)
    weight = [Fraction(float(w) * costs[0 if y > 0 else 1]) for w, y in pairs]
    attained = sum((w for w, s in zip(weight, q.scores(claim), strict=True) if s <= 0), Fraction(0))
    if len(q.Z) <= FEW:
        key = tuple(weight)
        if key not in q.known:
            q.known[key] = fewest_mistakes(q.Z, weight)
        assert any(truly(s, q.known[key], attained) for s in said)


def truly(statement, least, attained):
    words = statement.replace(",", "").replace(":", " ").split()
    if "makes no mistake on" in statement:
        return attained == 0
    if not statement.startswith(("Every line makes at least", "The mistakes of every line")):
        return False
    values = [Fraction(w.rstrip(".")) for w in words if w[0].isdigit()]  # beyond doubles too
    if values[0] > least * (1 + Fraction(1, 10**5)):
        return False
    close = abs(values[-1] - attained) <= values[-1] / 10**4
    return close and ("no line has less" not in statement or least == attained)


def of_intervals(q, claim, said):
    level, left_out = float(number(claim["q"])), sorted(claim["left_out"])
    near = 1e-9 * max(1.0, level)
    for end in claim["ends"]:
        j, inside, outside = end["index"], number(end["line"][end["index"]]), number(end["outside"])
        assert (outside - inside) * end["side"] >= 0
        assert q.fall(j, float(inside), left_out) <= level + near
        assert q.fall(j, float(outside), left_out) >= level - near
    for one in claim["infinite"]:
        assert q.fall(one["index"], one["side"] * FAR, left_out) <= level + near


SAYS = {  # what must be said of it
    "separable": of_separable, "mistakes": of_mistakes, "touching": of_touching,
    "not separable": of_refused, "overlapping": of_overlapping,
    "margin at most": of_margin_at_most, "mistakes at least": of_cores, "PLA": of_run,
}  # fmt: skip
HOLDS = {  # whether what is said is true
    "diverging": of_diverging, "optimum": of_optimum, "fewest mistakes": of_fewest,
    "likelihood intervals": of_intervals,
}  # fmt: skip


def whole_or_double(text):
    """1.0 is a whole number to JSON Schema and so to the verifier."""
    return int(float(text)) if float(text).is_integer() else float(text)


class Truths:
    """Asserts that what was verified of tables is true; keeps what it found out about each."""

    def __init__(self):
        self.known = {}

    def question(self, data, proof, yes=None, no=None):
        points, answers, weights = second_reader.read(data, proof, yes, no)
        x0 = Fraction(1 if proof["intercept"] else 0)
        Z = [[y * v for v in (x0, *x)] for x, y in zip(points, answers, strict=True)]
        key = repr((Z, weights))
        if isinstance(data, bytes):
            head = next(csv.reader([data.decode().partition("\n")[0]]))
        else:
            head = [f"column {k + 1}" for k in range(len(points[0]) + 2)]
        names = ["intercept"]
        for column in proof["table"]["columns"]:
            if isinstance(column, dict):
                names += [f"{head[int(column['index'])]}={a}" for a in column["levels"][1:]]
            else:
                names.append(head[int(column)])
        return self.known.setdefault(key, Question(Z, answers, weights, names))

    def holds(self, data, text, said):
        """Assert that each claim is true of the table as everybody reads it."""
        proof = json.loads(text, parse_float=whole_or_double)
        if "questions" in proof:
            self.hold_of_questions(data, proof, said)
            return
        q = self.question(data, proof)
        place = "lines 2" if isinstance(data, bytes) else "rows 1"
        assert f"The rows: {len(q.Z):,}, in {place} to " in said[0]
        hold(q, proof["claims"], said)

    def hold_of_questions(self, data, proof, said):
        classes = proof["table"]["label"]["classes"]
        ova = proof["multiclass"] == "ova"
        pairs = [([x for x in classes if x != yes], yes) for yes in classes]
        n_all = len(second_reader.rows_of(data, proof["table"]))
        for (no, yes), told in zip(
            pairs if ova else combinations(classes, 2), proof["questions"], strict=True
        ):
            against = no if ova else [no]
            q = self.question(data, proof, [yes], against)
            n_yes, n_no = q.answers.count(1), q.answers.count(-1)
            out = "" if n_yes + n_no == n_all else f"; {n_all - n_yes - n_no} row"
            rest = "the rest" if ova else f"class {no!r}"
            asked = f"class {yes!r} (yes, {n_yes:,} rows)"
            (k,) = [
                k
                for k, s in enumerate(said)
                if f"{asked} against {rest} (no, {n_no:,} rows){out}" in s
            ]
            end = next(
                (i for i in range(k + 1, len(said)) if said[i].startswith("Question ")), None
            )
            hold(q, told["claims"], said[k:end])


def hold(q, claims, said):
    for k, claim in enumerate(claims, 1):
        kind, own = claim["kind"], f"Claim {k}: "
        of_it = [s.removeprefix(own) for s in said if s.startswith(own)]
        if kind in SAYS:
            assert SAYS[kind](q, claim) in "\n".join(of_it), (claim, said)
        else:
            HOLDS[kind](q, claim, of_it)
