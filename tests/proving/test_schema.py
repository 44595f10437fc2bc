"""The published schema: every proof that we write fits it, and other shapes do not."""

import copy
import json

import numpy as np
import pytest

from separatrix import judge, read_table, verify
from separatrix.proving import prove_verdict
from tests.hostile.profile import cases
from tests.proving.checking import FITS, SCHEMA
from tests.verify import by_hand, fits_by_hand, questions_by_hand


def written(path, **options):
    """The proof of everything that a verdict claims of a table."""
    verdict = judge(read_table(path, label="label", **options))
    return json.loads(prove_verdict(verdict, path.read_bytes()).text)


def table_of(tmp_path, flip):
    """A table with a text column, gaps and weights; separable unless some answers are flipped."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    y = (x > 0) ^ (rng.random(30) < flip)
    rows = (
        f"{a!r},{'uvw'[k % 3]},{1 + k % 2},{'yes' if s else 'no'}"
        for k, (a, s) in enumerate(zip(x.tolist(), y, strict=True))
    )
    path = tmp_path / "t.csv"
    path.write_text("a,c,w,label\n" + "\n".join(rows) + "\n,u,1,no\n")
    return path


@pytest.mark.parametrize("flip", [0.0, 0.3])
@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_proofs_of_verdicts_fit_the_schema(flip, missing, tmp_path):
    proof = written(table_of(tmp_path, flip), weight="w", missing=missing)
    FITS.validate(proof)
    assert {"PLA", "optimum"} <= {claim["kind"] for claim in proof["claims"]}


def test_the_schema_knows_the_claims_that_the_verifier_knows():
    kinds = {d["properties"]["kind"]["const"] for n, d in SCHEMA["$defs"].items() if "claim_" in n}
    assert kinds == set(verify.CHECKS)


@pytest.mark.parametrize("rule", questions_by_hand.RULES)
def test_proofs_of_several_questions_fit_and_their_other_shapes_do_not(rule):
    proof = questions_by_hand.RULES[rule]
    FITS.validate(proof)
    one = {k: v for k, v in proof.items() if k not in {"questions", "multiclass"}}
    claims = proof["questions"][0]["claims"]
    for other in ({**proof, "claims": claims}, {**one, "claims": claims}, one):
        assert not FITS.is_valid(other)


DOCUMENT = "a text that no closed list holds"
EDITS = [
    None, True, False, -1, 0, 1, 1.0, 2.5, -7.0, 1e308, 10**400, "", "0", "1", "-1", "1/0", "-7/3",
    "a" * 65_537, ",", ".", "\t", "'", "utf-8", "hz", "NA", " NA ", "-", "+", DOCUMENT, [], {}, [0],
    [0, 0], [0, 0.0], [1, 2], ["1"], ["1", "1"], [" "], ["x\n"], [None], [[]], {"index": 0},
    {"index": 0.0}, {"more": 1},
]  # fmt: skip
# what the schema cannot say: members that must fit each other, or the table
AGAINST_EACH_OTHER = (
    "one label stands for two things", "a label is 2^53 or more",
    "takes a value for a missing one", "takes a label for a missing one",
    "uses a column of the table twice", "filled with something that it cannot hold",
    "not the table of the proof", "names a column that the table lacks",
    "names a row that the table lacks", "numbers where", "makes no features",
    "does not tell of every feature", "cannot be read", "is read as names",
    "holds what is no integer", "compressed part", "another form", "a level that the proof lacks",
    "a cell is no number", "an unknown label or a negative weight", "has no yes rows",
    "a quote mark", "has several blanks", "fields", "range of doubles", "not in doubles",
    "standardised", "does not exist", "the line has an intercept", "is not positive", "too long",
    "the rows that multipliers stand on", "too small", "byte-order mark", "is no text in",
    "is not the one that belongs there", "questions where",
)  # fmt: skip


def parts_of(data, path=()):
    """Every place in a proof, the insides of long lists but for their first two."""
    yield path
    if isinstance(data, dict):
        for key in data:
            yield from parts_of(data[key], (*path, key))
    elif isinstance(data, list):
        for k, item in enumerate(data[:2]):
            yield from parts_of(item, (*path, k))


def edited(proof, path, edits):
    """The proof with one member replaced by each of the edits, lost, doubled or joined by one."""
    *above, key = path
    for value in edits:
        spoilt = copy.deepcopy(proof)
        box = spoilt
        for step in above:
            box = box[step]
        box[key] = value
        yield spoilt
    del box[key]
    yield spoilt
    spoilt = copy.deepcopy(proof)
    box = spoilt
    for step in above:
        box = box[step]
    if isinstance(box, dict):
        box["more"] = 1
    else:
        box.append(box[key])
    yield spoilt


def same_answer(proof, data):
    """Whether schema and verifier agree that it has the form of a proof; the verifier's reason."""
    reason = None
    try:
        verify.statements(json.dumps(proof).encode(), data)
    except verify.Refuted:
        pass
    except verify.CannotCheck as why:
        reason = why
    return FITS.is_valid(proof) == (not isinstance(reason, verify.Malformed)), reason


def proofs_to_edit():
    """Proofs by hand of all kinds of claims, with their tables."""
    found = [*by_hand.PROOFS, *fits_by_hand.PROOFS]
    data, proof = copy.deepcopy(found[0])
    proof["table"] |= {"name": "t", "rows": 4, "original": {"sha256": "0" * 64}, "weight": None}
    proof |= {"made_by": "me", "left_out": ["nothing"]}
    return [(data, proof), *found[1:]]


def same_answers(proof, data, stride, wanted):
    """Assert it of edits of the places wanted, each place with its own; return their names."""
    assert same_answer(proof, data) == (True, None)
    places = [place for place in parts_of(proof) if place and wanted(place)]
    for k, place in enumerate(places):
        for spoilt in edited(proof, place, EDITS[k % stride :: stride]):
            same, reason = same_answer(spoilt, data)
            assert same, (place, reason)
            expected = reason is None or isinstance(reason, verify.Malformed)
            assert expected or any(w in str(reason) for w in AGAINST_EACH_OTHER), reason
    return {place[-1] for place in places}


@pytest.mark.parametrize("number", range(len(proofs_to_edit())))
def test_schema_and_verifier_refuse_the_same_files(number):
    data, proof = proofs_to_edit()[number]
    stride = cases(15, 5) if number else cases(8, 1)
    # the table's part is the same in all of them
    assert same_answers(proof, data, stride, lambda place: not number or place[0] == "claims")


def test_schema_and_verifier_agree_on_edits_of_a_proof_of_ours(tmp_path):
    path = table_of(tmp_path, 0.3)
    proof = written(path, weight="w", missing="fill")
    proof["claims"] = proof["claims"][:1]  # edited above
    seen = same_answers(proof, path.read_bytes(), cases(8, 4), lambda place: place[0] == "table")
    assert {"levels", "fill", "weight", "unlabelled"} <= seen


@pytest.mark.parametrize("rule", questions_by_hand.RULES)
def test_schema_and_verifier_agree_on_edits_of_several_questions(rule):
    proof, data, told = (
        questions_by_hand.RULES[rule],
        questions_by_hand.DATA,
        {"dialect", "columns"},
    )
    seen = same_answers(
        proof, data, cases(16, 3), lambda place: place[0] != "claim" and not told & {*place}
    )
    assert {"version", "multiclass", "questions", "classes", "texts", "yes", "no"} <= seen
