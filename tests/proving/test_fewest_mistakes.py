"""Proofs of the fewest mistakes: real tables, and corruption that verifies nothing false."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import zlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import judge, read_table, verify
from separatrix.proving import asking, prove_fewest_mistakes, prove_verdict, write
from separatrix.zero_one import minimum_errors, strategy
from separatrix.zero_one.branch_and_bound import ALL, Budget, Knowledge
from separatrix.zero_one.core_packing import Case, Cases, CoreHunt
from separatrix.zero_one.problem import NO_LIMITS, Limits
from separatrix.zero_one.proof import Unproven
from tests import naive
from tests.shared_data import DATA, manifest, needs_shared
from tests.verify.test_claims import corrupted, number, rows_of
from tests.zero_one.test_enumeration import ONE_FRACTION
from tests.zero_one.test_minimum_errors import beside_a_plane, sizes_far_apart


def noisy(n, d, noise, seed=0):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))
    y = np.where(X @ r.standard_normal(d) + 0.3 > 0, 1, -1)
    return X, np.where(r.random(n) < noise, -y, y)


def csv_of(path, X, y, *more):
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join([*names, "label", *(f"w{k}" for k in range(len(more)))])]
    for x, answer, *others in zip(X.tolist(), y, *more, strict=True):
        lines.append(",".join([*map(repr, x), "ny"[int(answer > 0)], *map(str, others)]))
    path.write_text("\n".join(lines) + "\n")
    return path


def proof_of(path, limits=NO_LIMITS, **options):
    table = read_table(path, **{"label": "label", **options})
    return prove_fewest_mistakes(table, path.read_bytes(), 1, limits)


def checked(proof, table) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", verify.__file__, str(proof), str(table)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


@pytest.mark.parametrize("rows", [beside_a_plane, sizes_far_apart])
def test_rows_that_only_exact_fractions_separate(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(strategy, "better_lines", None)  # what searches begin with
    path = csv_of(tmp_path / "t.csv", *rows())
    proof = proof_of(path)
    assert any("makes no mistake on the" in statement for statement in proof.statements)
    assert isinstance(claim_in(proof)["weights"][1], str)
    write(proof, tmp_path / "p.json")
    assert "makes no mistake on the" in checked(tmp_path / "p.json", path)


def claim_in(proof) -> dict:
    return next(c for c in json.loads(proof.text)["claims"] if c["kind"] == "fewest mistakes")


# ---------------------------------------------------------------------- real tables

PUBLISHED = {
    "voicepath": 19, "haberman": 66, "caesarian": 18, "cryotherapy": 4, "acute_inflammation": 0,
    "acute_nephritis": 0, "transfusion": 151,
}  # fmt: skip
# the manifest states upper bounds of some; what is proven here is at most that
PROVEN = {
    "titanic_survival": 200, "lizards": 133, "ntu_hw1_18_test": 49, "ntu_hw1_18_train": 46,
}  # fmt: skip


@needs_shared
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables_have_proofs_that_a_stranger_checks(name, tmp_path):
    path = DATA / "published_01" / f"{name}.csv"
    proof = proof_of(path, yes="yes")
    write(proof, tmp_path / "p.json")
    n = read_table(path, label="label").y.size
    assert told(proof, PUBLISHED[name], n) in checked(tmp_path / "p.json", path)


def line_in(proof) -> str:
    kinds = [claim["kind"] for claim in json.loads(proof.text)["claims"]]
    return f"the line of claim {1 + kinds.index('fewest mistakes')}"


def told(proof, fewest, n):
    line = line_in(proof)
    if fewest == 0:
        return f"{line.capitalize()} makes no mistake on the {n:,} rows"
    many = f"{fewest} mistake{'s' if fewest > 1 else ''} on the {n:,} rows"
    return f"at least {many}, and {line} makes {fewest}: no line has less"


def stated(entry):
    if entry["name"] in PROVEN:
        return PROVEN[entry["name"]]
    proved = entry.get("min_errors_proved") or "proved" in str(entry.get("min_errors"))
    return entry["best_known_errors"] if proved else None


@needs_shared
@pytest.mark.parametrize(
    "entry",
    [e for e in manifest() if stated(e) is not None and e["n"] * e["d"] < 15_000],
    ids=lambda e: e["name"],
)
def test_public_tables_have_proofs_that_a_stranger_checks(entry, tmp_path):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"yes": "yes"}
    proof = proof_of(path, **options)
    write(proof, tmp_path / "p.json")
    assert stated(entry) <= entry["best_known_errors"]
    assert told(proof, stated(entry), entry["n"]) in checked(tmp_path / "p.json", path)


def test_a_verdict_is_proven_with_the_bracket_it_has(tmp_path):
    path = csv_of(tmp_path / "t.csv", *noisy(150, 7, 0.25, 1))
    verdict = judge(read_table(path, label="label"), fewest_nodes=2000)
    found = verdict.fewest_mistakes
    assert not found.proven
    write(prove_verdict(verdict, path.read_bytes()), tmp_path / "p.json")
    text = checked(tmp_path / "p.json", path)
    assert f"Every line makes at least {found.lower:.0f} mistakes on the 150 rows" in text
    assert f"makes {found.upper:.0f}: the least of all lines is open" in text


def test_weights_and_costs_are_counted_exactly(tmp_path):
    X, y = noisy(40, 2, 0.2, 3)
    w = np.random.default_rng(0).integers(1, 40, 40) / 10  # tenths are no doubles
    path = csv_of(tmp_path / "t.csv", X, y, w)
    proof = proof_of(path, Limits(None, 2**62, 3.0, 0.7), weight="w0")
    text = "\n".join(proof.statements)
    rows = [[int(s) * Fraction(v) for v in (1, *x)] for x, s in zip(X, y, strict=True)]
    cost = [Fraction(float(a * (0.7 if s > 0 else 3.0))) for a, s in zip(w, y, strict=True)]
    best = verify.short(naive.fewest_mistakes(rows, cost))
    assert f"weigh at least {best}, and those of {line_in(proof)} {best}" in text
    assert "a wrong yes counts 3-fold, a wrong no about 0.700000-fold" in text


@pytest.mark.parametrize(
    "rows",
    [
        zip(*ONE_FRACTION, strict=True),
        [([1e-5 * a], a % 2) for a in range(5)] + [([2.8e-160], 1), ([1.07e301], 0), ([5e-324], 0)],
    ],
)
def test_small_tables_of_any_numbers_have_proofs(rows, tmp_path):
    X, y = zip(*rows, strict=True)
    X, w = np.array(X), 10.0 ** np.random.default_rng(0).uniform(-12, 12, len(y))
    path = csv_of(tmp_path / "t.csv", X, 2 * np.array(y) - 1, w)
    write(proof_of(path, weight="w0"), tmp_path / "p.json")
    assert "no line has less" in checked(tmp_path / "p.json", path)


def test_huge_and_tiny_columns_and_collinear_ones_are_read_as_they_were_proven(tmp_path):
    X, y = noisy(40, 2, 0.15, 3)
    wide = np.column_stack([X * [2.0**-900, 2.0**900], X[:, 1] * 4.0, np.full(40, 5.0), X[:, 0]])
    plain = claim_in(proof_of(csv_of(tmp_path / "a.csv", X, y)))
    proof = proof_of(csv_of(tmp_path / "b.csv", wide, y))
    least = [s for s in proof.statements if "Every line" in s]
    assert least
    line = verify.statements(
        proof_of(tmp_path / "a.csv").text.encode(), (tmp_path / "a.csv").read_bytes()
    )
    assert least[0] in line
    assert plain["unit"] == "1"


# ---------------------------------------------------------------------- corruption


def tables(tmp_path):
    """Tables of which everything is known, and proofs by boxes, by cores and by merging alone."""
    r = np.random.default_rng(5)
    grid = r.integers(0, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    ties = r.integers(-2, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    weights = r.integers(1, 9, 9) / 4
    for name, (X, y), more, options in (
        ("noisy", noisy(10, 2, 0.4, 2), (), {}),
        ("grid", grid, (), {}),
        ("weighed", ties, (weights,), {"weight": "w0"}),
    ):
        path = csv_of(tmp_path / f"{name}.csv", X, y, *more)
        proof = proof_of(path, **options)
        yield path.read_bytes(), json.loads(proof.text)


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
        whole_hunt = strategy.Hunt(question)
        rows = whole_hunt.count.rows
        rows = replace(rows, rows=np.arange(rows.n))
        hunt = CoreHunt(rows, Knowledge(rows, Budget(None, ALL)))
        for line in np.random.default_rng(0).standard_normal((30, rows.dimension)):
            hunt.around(line, 2)
        first, second = ((0, 1), ()), ((0,), (1,))
        wrong = Cases(1, *(hunt.packing(Case(*rows)) for rows in (first, second)))
        cases = Cases(0, wrong, hunt.packing(Case((), (0,))))
        shown = (cases.bound + whole_hunt.count.base) * whole_hunt.units.unit
        assert shown == bracket.exact_lower
        return whole(replace(bracket, packing=cases), question, budget)

    monkeypatch.setattr(minimum_errors, "_certified", certified)


def repacked(proof, change) -> bytes:
    """The proof with its compressed member changed inside."""
    proof = json.loads(json.dumps(proof))
    claim = next(c for c in proof["claims"] if c["kind"] == "fewest mistakes")
    tree = json.loads(zlib.decompress(base64.b64decode(claim["proof"])))
    claim["proof"] = base64.b64encode(zlib.compress(json.dumps(change(tree)).encode())).decode()
    return json.dumps(proof).encode()


def spoilt_tree(tree, draw):
    """A number, a row or a section of the tree changed, lost, doubled or swapped."""
    inner = tree
    while True:
        lists = [a for a in inner if isinstance(a, list) and a]
        if not lists or (draw.random() < 0.15 and inner is not tree):
            break
        inner = draw.choice(lists)
    if not inner:
        return draw.choice([[0], [[], [], []], {}, None, "x", 1])
    i, j = draw.randrange(len(inner)), draw.randrange(len(inner))
    kind = draw.randrange(7)
    if kind == 0:
        del inner[i]
    elif kind == 1:
        inner.insert(i, inner[j])
    elif kind == 2:
        del inner[i:]
    elif kind == 3:
        inner[i], inner[j] = inner[j], inner[i]
    elif kind == 4 and isinstance(inner[i], int):
        inner[i] = draw.choice([-inner[i], str(inner[i]), float(inner[i]), True, None, "-1/2"])
    elif isinstance(inner[i], int):
        inner[i] += draw.choice([-1, 1, 1, 64, -64, 10**9])
    else:
        inner[i] = draw.choice([0, [], [[]], "f"])
    return tree


def spoilt_member(proof, draw) -> bytes:
    """The compressed member corrupted where it stands."""
    proof = json.loads(json.dumps(proof))
    claim = next(c for c in proof["claims"] if c["kind"] == "fewest mistakes")
    text = claim["proof"]
    i = draw.randrange(len(text))
    claim["proof"] = draw.choice(
        [text[:i], text[:i] + draw.choice("Aa0/+=-") + text[i + 1 :], text[i:], text + text, ""]
    )
    return json.dumps(proof).encode()


def spoilt(proof, draw) -> bytes:
    kind = draw.randrange(4)
    if kind == 0:
        return corrupted(json.dumps(proof).encode(), draw)
    if kind == 1:
        return spoilt_member(proof, draw)
    return repacked(proof, lambda tree: spoilt_tree(tree, draw))


class Oracle:
    """The truth from the definition, in fractions."""

    def __init__(self):
        self.known = {}

    def holds(self, data, text, statements):
        """Assert that what is said of the fewest mistakes is true of the table as it is read."""
        proof = json.loads(text)
        Z = rows_of(data, proof)
        weigh = weights_of(data, proof)
        for claim in proof["claims"]:
            if claim["kind"] != "fewest mistakes":
                continue
            costs = claim["cost_wrong_no"], claim["cost_wrong_yes"]
            signs = signs_of(data, proof)
            weight = [
                Fraction(w * costs[0 if s > 0 else 1]) for w, s in zip(weigh, signs, strict=True)
            ]
            line = [number(w) for w in claim["weights"]]
            scores = [sum(a * b for a, b in zip(line, z, strict=True)) for z in Z]
            above = sum((w for w, s in zip(weight, scores, strict=True) if s <= 0), Fraction(0))
            key = repr((Z, weight))
            if key not in self.known:
                self.known[key] = naive.fewest_mistakes(Z, weight)
            least = self.known[key]
            assert any(truly(s, least, above) for s in statements), (text, statements)


def truly(statement, least, above):
    words = statement.replace(",", "").replace(":", " ").split()
    if "makes no mistake on" in statement:
        return above == 0
    if not (statement.startswith(("Every line makes at least", "The mistakes of every line"))):
        return False
    values = [float(w) for w in words if w[0].isdigit()]
    below, attained = values[0], values[-1]
    if below > float(least) * (1 + 1e-5) or abs(attained - float(above)) > 1e-4 * attained:
        return False
    return "no line has less" not in statement or least == above


def signs_of(data, proof):
    label = proof["table"]["label"]
    lines = data.decode().splitlines()[1 if proof["table"]["dialect"]["header"] else 0 :]
    return [1 if line.split(",")[label["index"]] in label["yes"] else -1 for line in lines]


def weights_of(data, proof):
    weight = proof["table"].get("weight")
    lines = data.decode().splitlines()[1 if proof["table"]["dialect"]["header"] else 0 :]
    return [1.0 if weight is None else float(line.split(",")[weight["index"]]) for line in lines]


@pytest.mark.parametrize("write", [None, without_cores, with_cases])
def test_thousands_of_corruptions_verify_nothing_false(write, tmp_path, monkeypatch):
    if write is not None:
        write(monkeypatch)
    draw, oracle = random.Random(20261120), Oracle()
    known = list(tables(tmp_path))
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    for k in range(3000):
        data, proof = known[k % len(known)]
        original = json.dumps(proof).encode()
        text = spoilt(proof, draw)
        try:
            now = verify.statements(text, data)
        except verify.Refuted:
            answers["refuted"] += 1
        except verify.CannotCheck:
            answers["cannot"] += 1
        else:
            same = now == verify.statements(original, data)
            answers["same" if same else "another truth"] += 1
            oracle.holds(data, text, now)
    assert min(answers["same"], answers["refuted"], answers["cannot"]) > 100, answers
    assert answers["another truth"] > 20, answers


@pytest.mark.parametrize(
    ("bound", "cores", "holds"),
    [
        (1, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], True),
        (1, [0, [], [1, [], [2, [], [[3, 0, 2, 1, 1, 2, 1]]]]], True),  # 3 times, by no line
        (1, [0, [], []], False),
        (2, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (2, [0, [0, [], []], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong twice over
        (2, [0, [[1, 0, 2, 1, 1, 2, 1]], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong, and pays again
        (2, [0, [], [[2, 0, 2, 1, 1, 2, 1]]], False),  # rows 1 and 2 pay twice
        (1, [-1, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (1, [3, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
    ],
)
def test_cases_count_a_row_once_and_let_others_pay_once(bound, cores, holds):
    rows = [[1, 0], [-1, 1], [-1, -1]]  # twice the first and the others cancel: 1 mistake
    proof = [[0, 1], [], [[bound, 1, cores]]]
    if holds:
        assert verify.mistakes_shown(rows, [1, 1, 1], proof) == 1
    else:
        with pytest.raises(verify.Refuted):
            verify.mistakes_shown(rows, [1, 1, 1], proof)


def test_swapped_sections_and_other_tables_prove_nothing(tmp_path, monkeypatch):
    without_cores(monkeypatch)
    path = csv_of(tmp_path / "t.csv", *noisy(60, 2, 0.15, 5))
    other = csv_of(tmp_path / "o.csv", *noisy(60, 2, 0.15, 6))
    mine, its = json.loads(proof_of(path).text), json.loads(proof_of(other).text)
    for claim, foreign in zip(mine["claims"], its["claims"], strict=True):
        if claim["kind"] == "fewest mistakes":
            claim["proof"] = foreign["proof"]
    with pytest.raises(verify.Refuted):
        verify.statements(json.dumps(mine).encode(), path.read_bytes())
    with pytest.raises(verify.CannotCheck, match="SHA-256"):
        verify.statements(json.dumps(its).encode(), path.read_bytes())


@pytest.mark.parametrize(
    "member",
    [
        zlib.compress(b" " * (2**26 + 1)),  # a bomb
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"[" * 900 + b"]" * 900),
        zlib.compress(b"[]") + b"more",
        zlib.compress(b"[]")[:-1],
        zlib.compress(b"[1e999, 1, 1]"),
        zlib.compress(b"[NaN, [], []]"),
        zlib.compress(b"[" + b"9" * 5000 + b"]"),
        zlib.compress(b"\xff"),
        b"",
    ],
)
def test_bombs_and_rubble_cannot_be_checked(member, tmp_path):
    path = csv_of(tmp_path / "t.csv", *noisy(20, 2, 0.2, 5))
    proof = json.loads(proof_of(path).text)
    claim = next(c for c in proof["claims"] if c["kind"] == "fewest mistakes")
    claim["proof"] = base64.b64encode(member).decode()
    with pytest.raises(verify.CannotCheck):
        verify.statements(json.dumps(proof).encode(), path.read_bytes())


def test_a_time_limit_ends_the_check_of_a_tree(tmp_path):
    path = csv_of(tmp_path / "t.csv", *noisy(60, 2, 0.15, 5))
    claim = claim_in(proof_of(path))
    tree = verify.unpacked(claim["proof"])
    table = verify.read_table(path.read_bytes(), json.loads(proof_of(path).text))
    rows, limits = verify.whole_rows(table), verify.Limits(deadline=0.0)
    with pytest.raises(verify.CannotCheck, match="time limit"):
        verify.mistakes_shown(rows, [1] * 60, tree, limits)


@pytest.mark.parametrize("cases", [True, False])
def test_a_time_limit_ends_the_check_of_cores_and_of_their_cases(cases):
    """Cases halve: a proof of some kilobytes may have millions, each as long as the table."""
    tree = [[0, 0, 2, 1, 1, 2, 1]] * 4096
    if cases:
        tree = []
        for _ in range(12):
            tree = [0, tree, tree]
    looks = []

    class FewLooks(verify.Limits):
        def look_at_the_clock(self):
            looks.append(1)
            if len(looks) > 100:
                raise verify.CannotCheck("the time limit was met")

    with pytest.raises(verify.CannotCheck, match="time limit"):
        verify.mistakes_shown(
            [[1, 0], [-1, 1], [-1, -1]], [1, 1, 1], [[0, 1], [], [[0, 1, tree]]], FewLooks()
        )


# ---------------------------------------------------------------------- solvers broken on purpose


def stop_early(monkeypatch):
    monkeypatch.setattr(
        strategy.Hunt, "_search", lambda hunt: hunt._raise(hunt._goal() - hunt.count.base)
    )


def drop_rows(monkeypatch):
    whole = strategy.count_rows

    def fewer(values, weight, exponents):
        rows = whole(values, weight, exponents).rows
        some = np.arange(0, rows.n, 3)
        part = replace(rows, values=rows.values[some], weight=9 * rows.weight[some])
        return strategy.Count(replace(part, rows=rows.rows[some]), 0)

    monkeypatch.setattr(strategy, "count_rows", fewer)


def bound_too_high(monkeypatch):
    whole = asking.fewest_mistakes

    def more(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, exact_lower=found.exact_lower + 1)

    monkeypatch.setattr(asking, "fewest_mistakes", more)


def wrong_sign(monkeypatch):
    """The line of the claim is turned round: its mistakes are counted, not believed."""
    whole = asking.fewest_mistakes

    def turned(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, weights=-found.weights)

    monkeypatch.setattr(asking, "fewest_mistakes", turned)


@pytest.mark.parametrize("break_it", [stop_early, drop_rows, bound_too_high, wrong_sign])
def test_a_broken_solver_is_caught_before_a_claim_is_printed(break_it, tmp_path, monkeypatch):
    X, y = noisy(60, 3, 0.2, 4)
    path = csv_of(tmp_path / "t.csv", X, y)
    honest = "\n".join(proof_of(path).statements)
    assert "no line has less" in honest
    break_it(monkeypatch)
    try:
        said = "\n".join(proof_of(path).statements)
    except (Unproven, verify.Refuted, verify.CannotCheck):
        return
    assert "no line has less" not in said
