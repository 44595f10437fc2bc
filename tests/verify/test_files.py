"""How the verifier reads the plain table that a proof is about."""

import json
import random

import numpy as np
import pytest

from separatrix import read_table, verify
from separatrix.proving.asking import prove_separability
from separatrix.verify import VERIFIED, CannotCheck, Refuted, check_files, statements
from tests.verify import by_hand
from tests.verify.arrays import as_arrays, checked, in_tiles, proof_of_arrays, saved, sha256
from tests.verify.by_hand import AND, LINE, SEPARABLE, XOR, claimed, csv_of, opened, proof_of, said

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_the_words_of_the_proof_are_never_read():
    proof = proof_of(AND, [SEPARABLE], claim=["all rows are purple"])
    assert "purple" not in said(AND, proof)


@pytest.mark.parametrize("words", [None, 3, "a line", {"a": "line"}, [3], [["a line"]]])
def test_words_of_the_proof_are_a_list_of_texts(words):
    with pytest.raises(CannotCheck, match="'claim' in the proof"):
        said(AND, proof_of(AND, [SEPARABLE], claim=words))


@pytest.mark.parametrize("words", [["The rows are not separable."], []])
def test_words_in_a_proof_that_are_not_the_verifiers_own_are_pointed_at(words, tmp_path):
    (tmp_path / "t.csv").write_bytes(AND)
    proof = proof_of(AND, [SEPARABLE])
    for claim, pointed in ((words, True), (statements(json.dumps(proof).encode(), AND), False)):
        (tmp_path / "p.json").write_text(json.dumps({**proof, "claim": claim}))
        code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
        assert code == VERIFIED
        assert answer.endswith("only these above count.)") == pointed


def test_another_table_is_not_checked():
    with pytest.raises(CannotCheck, match="SHA-256"):
        said(XOR, proof_of(AND, [SEPARABLE]))


def test_categories_become_one_column_for_every_level_but_the_first():
    data = b"c,answer\na,n\nb,y\nc,n\n"
    proof = proof_of(data, [{"kind": "separable", "weights": [-1, 2, 0]}])
    proof["table"]["columns"] = [{"index": 0, "levels": ["a", "b", "c"]}]
    text = said(data, proof)
    assert "The 2 features: 'c=b', 'c=c'. Numbers" in text
    assert "Of levels are 'c'." in text
    proof["table"]["columns"][0] |= {"levels": ["a", "b"]}
    proof["claims"] = [{"kind": "mistakes", "weights": [-1, 2]}]
    with pytest.raises(CannotCheck, match="line 4: a level that the proof lacks"):
        said(data, proof)


def test_without_an_intercept_the_line_has_none():
    data = csv_of([(1, "y"), (-1, "n")])
    proof = proof_of(data, [{"kind": "separable", "weights": [0, 1]}], intercept=False)
    assert "through the origin" in said(data, proof)
    assert "measured in x: PLA" in said(data, proof)
    proof["claims"] = [{"kind": "separable", "weights": [1, 1]}]
    with pytest.raises(CannotCheck, match="intercept"):
        said(data, proof)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x,y\n1,no\r2,yes\n", "CR alone"), ("x,y\r1,no\r2,yes\r", "no rows"),
        ("x,y\n1,no\n2,yes\0\n", "NUL"), ("\ufeffx,y\n1,no\n2,yes\n", "byte-order mark"),
        ("x,y\n1,no\n2,yes,\n", "line 3 of the table has 3 cells"),
        ("x,y\n1,no\n2\n3,yes\n", "line 3 of the table has 1 cells"),
        ("x,y\n\n1,no\n2,yes\n", "line 2 of the table has 1 cells"),
        ("x,y\n1,no\n2,yes\n\n", "line 4 of the table has 1 cells"),
        ('x,y\n1,no\n"2\n2",yes\n', "quote mark"), ('x,y\n1,no\n2 "",yes\n', "quote mark"),
        ('x,y\n1,no\n"2"0,yes\n', "quote mark"), ('x,y\n1,no\n2,"yes\n', "quote mark"),
        ("x;y\n1;no\n2;yes\n", "lacks"), ("x,x\n1,no\n2,yes\n", "names"),
        (",y\n1,no\n2,yes\n", "names"), ("x\u202e,y\n1,no\n2,yes\n", "names"),
        ("x" * 201 + ",y\n1,no\n2,yes\n", "names"),
        ("x,y\n1,no\n2,yes \n", "line 3: a label"), ("x,y\n1,no\n2,Yes\n", "line 3: a label"),
        ("x,y\n1,no\n2,n\u043e\n", "line 3: a label"), ("x,y\n1,no\n2,no\n", "one of its labels"),
        ("x,y\n1,no\n,yes\n", "no number"), ("x,y\n1,no\n 2,yes\n", "no number"),
        ("x,y\n1,no\n?,yes\n", "no number"), ("x,y\n1,no\n\u00a02,yes\n", "no number"),
        ("x,y\n1,no\n\u0662,yes\n", "no number"), ("x,y\n1,no\n1_0,yes\n", "no number"),
        ("x,y\n1,no\nnan,yes\n", "no number"), ("x,y\n1,no\ninf,yes\n", "no number"),
        ('x,y\n1,no\n"1,5",yes\n', "no number"), ("x,y\n1,no\n0x1f,yes\n", "no number"),
        ("x,y\n1,no\n1e999,yes\n", "too large"),
        ("x,y\n1,no\n\u00e9,yes\n".encode("cp1252"), "UTF-8"),
        ("x,y\n1,no\n2,yes\n".encode("utf-16"), "UTF-8"), ("x,y\n", "no rows"), ("", "no rows"),
        ("1,no\n2,no\n3,yes\n", "is a row like others"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tile", [1, 1000])
def test_what_is_no_plain_table_is_not_read(text, why, tile, monkeypatch):
    in_tiles(monkeypatch, tile, 3)
    answer = claimed(text, (-1.5, 1))
    assert answer.startswith("CannotCheck")
    assert why in answer


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_lines_end_with_lf_or_with_cr_lf(end, last):
    text = end.join(["x,y", "1,no", '"2","yes"']) + (end if last else "")
    assert "The rows: 2, in lines 2 to 3; line 1 names the columns." in claimed(text, (-1.5, 1))


def test_cells_in_quotes_are_what_is_within():
    assert verify.cells_of('"a,""b""",,c,""') == ['a,"b"', "", "c", ""]
    assert verify.cells_of('"",') == ["", ""]
    draw = random.Random(1)
    for _ in range(300):
        cells = [
            "".join(draw.choices('a",', k=draw.randrange(4))) for _ in range(draw.randrange(1, 5))
        ]
        quoted = (f'"{c.replace(chr(34), chr(34) * 2)}"' for c in cells)
        line = ",".join(q if set(c) & set('",') else c for c, q in zip(cells, quoted, strict=True))
        assert verify.cells_of(line) == cells, line


def test_numbers_of_rows_that_no_claim_is_about_are_not_read():
    """Their labels are: they are counted, and no label is unknown."""
    data = XOR + b"no number,7,y\n"
    proof = proof_of(data, [by_hand.OVERLAPPING])
    assert "(yes, 3 rows)" in said(data, proof)
    with pytest.raises(CannotCheck, match="line 6: a cell is no number"):
        said(data, proof_of(data, [by_hand.OVERLAPPING, by_hand.MISTAKES]))


def test_labels_are_printed_so_that_no_two_look_alike():
    for yes, shown in {
        "y\u0435s": r"('y\u0435s')", "yes\u3164": r"('yes\u3164')", "ye\u200bs": r"'ye\u200bs'",
        "Yes": "'Yes'", "yes ": "'yes '",
    }.items():  # fmt: skip
        answer = claimed(f"x,y\n1,yes\n2,{yes}\n", label={"classes": ["yes", yes]})
        assert shown in answer
        assert "'yes' (no, 1 rows)" in answer
    assert "one label stands for two things" in claimed(AND, label={"classes": ["no", "no"]})


def columns_of(text: str, *places, label: int) -> str:
    """What is said first of a table whose features are the columns at these places."""
    data = text.encode()
    proof = proof_of(data, [{"kind": "mistakes", "weights": [1] * (1 + len(places))}])
    proof["table"] |= {"columns": [*places], "label": {"index": label, "classes": ["no", "yes"]}}
    return said(data, proof).split("\n")[0]


def test_lists_that_are_cut_short_do_not_make_two_tables_alike():
    text = (
        ",".join(f"c{k:02d}" for k in range(28)) + ",y\n" + "5," * 28 + "no\n" + "6," * 28 + "yes"
    )
    first = columns_of(text, *range(13), label=28)
    second = columns_of(text, *range(12), 26, label=28)
    assert first.partition("left out")[2] != second.partition("left out")[2]
    assert "'c12'" in first
    one = {"index": 13, "levels": ["5", "6"]}
    told = columns_of(text, *range(13), one, label=28)
    assert "Of levels are 'c13'." in told
    assert told != columns_of(text, *range(14), label=28)


def test_no_level_is_called_like_a_column_or_another_level():
    text = "x,x=b,y\na,1,no\nb,2,yes\n"
    levels = {"index": 0, "levels": ["a", "b"]}
    answer = claimed(text, columns=[levels], label={"index": 2})
    assert answer.endswith("the levels of the table have no names that tell them apart")


CELLS = [
    "1", "-2.5", "+.5", "3.", "1e-300", "-0", " 7 ", "\t8", "1_000", "nan", "inf", "1e999",
    "1\x1c", "", "?", ".", "-", "1e", "0x1", "\u00a05", "\u0661", "1\x0b", "E5", "--1",
]  # fmt: skip


def read(text, d, tile=4096):
    """What is read of a table, or that it cannot be."""
    data = text.encode()
    try:
        table = opened(data, proof_of(csv_of([(0,) * d + ("n",)]), [{}])
                       | {"table": by_hand.table_of(data)})  # fmt: skip
        rows = by_hand.points_of(table)
    except CannotCheck as why:
        return str(why)
    return rows, [*table.y], [table.where([n]) for n in range(table.n)]


def test_plain_text_is_read_as_quoted_text_is():
    draw, good = random.Random(5), {"1", "-2.5", "+.5", "3.", "1e-300", "-0"}
    read_well = 0
    for _ in range(400):
        d = draw.randrange(1, 4)
        rows = [["1"] * d + ["y"], ["2"] * d + ["n"]]
        for _ in range(draw.randrange(3)):
            cells = [draw.choice(CELLS if draw.random() < 0.3 else CELLS[:6]) for _ in range(d)]
            rows.append([*cells, draw.choice("yn")])
        head = ",".join([*(f"x{j}" for j in range(d)), "answer"])
        plain = "\n".join([head, *(",".join(row) for row in rows)]) + draw.choice(["", "\n"])
        quoted = "\n".join([head, *(",".join(f'"{c}"' for c in row) for row in rows)]) + "\n"
        found = read(plain, d)
        assert found == read(quoted, d) == read(plain.replace("\n", "\r\n"), d), plain
        assert isinstance(found, str) == any(set(r[:-1]) - {*good, "2"} for r in rows), plain
        read_well += not isinstance(found, str)
    assert 100 < read_well < 390


BY_HAND = [
    *((data, proof_of(data, [claim])) for data, claim in [
        (by_hand.AND, by_hand.SEPARABLE), (by_hand.XOR, by_hand.REFUSED),
        (by_hand.XOR, by_hand.OVERLAPPING), (by_hand.TOUCHING, by_hand.TOUCHED),
        (by_hand.AND, by_hand.MARGIN), (by_hand.AND, by_hand.MISTAKES),
        (by_hand.XOR, by_hand.CORES),
    ]),
    *by_hand.FITS,
]  # fmt: skip


@pytest.mark.parametrize("tile", [1, 3, 100])
@pytest.mark.parametrize("case", range(len(BY_HAND)))
def test_claims_by_hand_are_answered_alike_however_the_rows_are_read(case, tile, monkeypatch):
    data, proof = BY_HAND[case]
    text = json.dumps(proof).encode()
    at_once = verify.statements(text, data)
    in_tiles(monkeypatch, tile, piece=5)
    assert verify.statements(text, data) == at_once
    in_tiles(monkeypatch, tile, piece=5, kept=1000)
    assert verify.statements(text, data) == at_once
    for form in ("npy", "csr"):
        files, told = as_arrays(data, proof, form)
        about, *found = verify.statements(json.dumps(told).encode(), files)
        assert "' (yes, " in about
        assert len(found) == len(at_once) - 1
        if "at line" not in "".join(at_once):
            assert [s.replace("column ", "x") for s in found] == at_once[1:]


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "|i1", ">i2", "<u4", "<i8", "|b1"])
def test_numbers_of_each_kind_are_read(dtype, tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS, dtype)
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")
    proof = proof_of_arrays([X, y], 2, [{"kind": "separable", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.VERIFIED, answer
    assert "column 'column 3' '1' (yes, 1 rows) or '0' (no, 3 rows)" in answer
    assert "Its squared margin is about 0.0588235" in answer
    for weights, row in (([-3, 2, 1], 4), ([1, 1, 1], 1)):
        proof["claims"][0]["weights"] = weights
        code, answer = checked(proof, [X, y], tmp_path)
        assert code == verify.REFUTED
        assert f"the row at row {row} is not" in answer


def test_labels_may_stand_among_the_features_and_weights_beside_them(tmp_path):
    rows = saved(
        tmp_path, "rows.npy", [(a, s, b) for (a, b), s in zip(CORNERS, [0, 0, 0, 1], strict=True)]
    )
    w = saved(tmp_path, "w.npy", [1, 2, 3, 0.5])
    proof = proof_of_arrays([rows, w], 2, [{"kind": "mistakes", "weights": [-1, 0, 0]}])
    label = {"index": 1, "classes": ["0", "1"]}
    proof["table"] |= {"columns": [0, 2], "label": label, "weight": 3, "names": ["a", "b"]}
    code, answer = checked(proof, [rows, w], tmp_path)
    assert code == verify.VERIFIED, answer
    assert "makes 1 mistake on the 4 rows, which weigh about 0.5" in answer
    assert "The proof calls the columns 'a', 'b': nothing in the files does." in answer
    for weights in ([1, 2, 3, 0], [1, 2, 3, -1], [1, 2, 3, np.inf]):
        saved(tmp_path, "w.npy", weights)
        proof["table"]["files"][1]["sha256"] = sha256(w)
        assert checked(proof, [rows, w], tmp_path)[0] == verify.CANNOT_CHECK


def test_labels_that_doubles_cannot_tell_apart_are_not_read(tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS)
    y = saved(tmp_path, "y.npy", [0, 0, 0, 2**53 + 1], "<i8")
    proof = proof_of_arrays([X, y], 2, [{"kind": "separable", "weights": LINE}])
    proof["table"]["label"]["classes"] = ["0", str(2**53)]
    assert "or is 2^53 or more" in checked(proof, [X, y], tmp_path)[1]
    for text in ("01", "1.0", "1e0", "+1"):
        proof["table"]["label"]["classes"] = ["0", text]
        assert "is not written as its number is" in checked(proof, [X, y], tmp_path)[1]


def npy(text: bytes, data: bytes, version: bytes = b"\1\0", more: int = 0) -> bytes:
    head = text + b" " * (-(len(text) + 11) % 64) + b"\n"
    size = (len(head) + more).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + head + data


SHAPE = b"{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
NUMBERS = np.array(CORNERS, "<f8").tobytes()
BAD_FILES = {
    "no array": b"a,b\n1,2\n",
    "empty": b"",
    "cut short": npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS[:-1]),
    "cut in its header": npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), b"")[:40],
    "more than it says": npy(SHAPE % (b"<f8", b"False", b"(3, 2)"), NUMBERS),
    "far less than it says": npy(SHAPE % (b"<f8", b"False", b"(999999999999, 99999)"), NUMBERS),
    "columns first": npy(SHAPE % (b"<f8", b"True", b"(4, 2)"), NUMBERS),
    "objects": npy(SHAPE % (b"|O", b"False", b"(4, 2)"), NUMBERS),
    "half floats": npy(SHAPE % (b"<f2", b"False", b"(16, 2)"), NUMBERS),
    "no rows": npy(SHAPE % (b"<f8", b"False", b"(0, 2)"), b""),
    "no columns": npy(SHAPE % (b"<f8", b"False", b"(4, 0)"), b""),
    "a cube": npy(SHAPE % (b"<f8", b"False", b"(2, 2, 2)"), NUMBERS),
    "65,536 too long": npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS, b"\2\0", 2**16),
    "a program": npy(b"{'descr': exit(), 'fortran_order': False, 'shape': (4, 2), }", NUMBERS),
    "not a number": npy(
        SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS[:-8] + np.float64("nan").tobytes()
    ),
    "infinite": npy(
        SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS[:-8] + np.float64("inf").tobytes()
    ),
    "three columns": npy(SHAPE % (b"<f8", b"False", b"(2, 3)"), NUMBERS[:48]),
    "another version": npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS, b"\4\0"),
    "no truth values": npy(SHAPE % (b"|b1", b"False", b"(4, 2)"), b"\0\0\0\1\1\0\2\2"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_no_matrix_is_not_checked(name, tmp_path):
    labels = [1, 0, 0] if name == "more than it says" else [0, 0, 0, 1]
    X, y = tmp_path / "X.npy", saved(tmp_path, "y.npy", labels, "|i1")
    X.write_bytes(BAD_FILES[name])
    proof = proof_of_arrays([X, y], 2, [{"kind": "mistakes", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.CANNOT_CHECK, answer
    assert "Traceback" not in answer


@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, 0, 1, 1], [[0, 0], [0, 1]]])
def test_labels_are_as_many_as_rows(labels, tmp_path):
    X, y = saved(tmp_path, "X.npy", CORNERS), saved(tmp_path, "y.npy", labels, "|i1")
    proof = proof_of_arrays([X, y], 2, [{"kind": "mistakes", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.CANNOT_CHECK
    assert "labels" in answer


BAD_SPARSE = {
    "a row that ends before it begins": ([1.0, 1, 1], [0, 1, 0], [0, 2, 1, 3, 3]),
    "a column that there is not": ([1.0, 1, 1], [0, 1, 2], [0, 0, 1, 2, 3]),
    "a column below 0": ([1.0, 1, 1], [0, 1, -1], [0, 0, 1, 2, 3]),
    "columns in another order": ([1.0, 1, 1], [1, 0, 1], [0, 2, 2, 2, 3]),
    "one column twice": ([1.0, 1, 1], [1, 1, 1], [0, 2, 2, 2, 3]),
    "a number that is in no row": ([1.0, 1, 1], [0, 1, 1], [0, 0, 0, 1, 2]),
    "a number of no column": ([1.0, 1, 1], [0, 1], [0, 0, 0, 1, 2]),
    "places that are no whole numbers": ([1.0, 1, 1], [0.0, 1, 1], [0, 0, 1, 2, 3]),
    "ends that are no whole numbers": ([1.0, 1, 1], [0, 1, 1], [0.0, 0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", BAD_SPARSE)
def test_a_sparse_table_that_is_none_is_not_checked(name, tmp_path):
    paths = [
        saved(tmp_path, f"{k}.npy", values, None) for k, values in enumerate(BAD_SPARSE[name])
    ] + [saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")]
    claim = {"kind": "mistakes", "weights": LINE}
    code, answer = checked(proof_of_arrays(paths, 2, [claim], format="csr"), paths, tmp_path)
    assert code == verify.CANNOT_CHECK, answer


def test_a_run_on_scaled_columns_is_about_scaled_rows(monkeypatch):
    run = {
        "kind": "PLA", "start": [-5, 2, 2], "visited": [], "target": [-5, 2, 2],
        "columns": [{"exponent": 0, "mean": -1, "spread": 0.5}] * 2,
    }  # fmt: skip
    data = csv_of([(-1, -1, "n"), (-1, 0, "n"), (0, -1, "n"), (0, 0, "y")])
    proof = proof_of(data, [{"kind": "separable", "weights": [1, 2, 2]}, run])
    told = said(data, proof)
    in_tiles(monkeypatch, 3, 5)
    assert said(data, proof) == told
    assert "the squared radius of the rows 3, measured" in told
    assert "the squared radius of the rows 9, measured" in told


def test_headers_of_later_versions_are_read(tmp_path):
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")
    for version in (b"\2\0", b"\3\0"):
        X = tmp_path / "X.npy"
        X.write_bytes(npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS, version))
        proof = proof_of_arrays([X, y], 2, [{"kind": "separable", "weights": LINE}])
        assert checked(proof, [X, y], tmp_path)[0] == verify.VERIFIED


SPOILT = {
    "a row twice": lambda p: p["claims"][0].update(rows=[0, 0, 1, 2]),
    "a row that there is not": lambda p: p["claims"][0].update(rows=[0, 1, 2, 4]),
    "a row far away": lambda p: p["claims"][0].update(rows=[0, 1, 2, 10**18]),
    "a negative row": lambda p: p["claims"][0].update(rows=[0, 1, 2, -1]),
    "multipliers of no use": lambda p: p["claims"][0].update(multipliers=["1", "1", "1", "2"]),
    "another hash": lambda p: p["table"]["files"][0].update(sha256="0" * 64),
    "another hash of labels": lambda p: p["table"]["files"][1].update(sha256="0" * 64),
    "the files exchanged": lambda p: p["table"]["files"].reverse(),
    "labels that are no numbers": lambda p: p["table"]["label"].update(classes=["0", "yes"]),
    "a label of two meanings": lambda p: p["table"]["label"].update(classes=["1.0", "1"]),
    "a label that is not told of": lambda p: p["table"]["label"].update(classes=["2", "1"]),
    "labels read as a feature": lambda p: p["table"].update(columns=[2, 1]),
    "labels read as weights": lambda p: p["table"].update(weight=2),
    "labels that are a feature": lambda p: p["table"].update(
        label={"index": 0, "classes": ["0", "1"]}, columns=[1, 2]
    ),
    "a column that there is not": lambda p: p["table"].update(columns=[0, 3]),
    "a column twice": lambda p: p["table"].update(columns=[0, 0]),
    "a column below 0": lambda p: p["table"].update(columns=[0, -1]),
    "levels": lambda p: p["table"].update(columns=[0, {"index": 1, "levels": ["0", "1"]}]),
    "arrays called a CSV": lambda p: p["table"].update(format="csv"),
    "another format": lambda p: p["table"].update(format="pickle"),
    "a sparse table": lambda p: p["table"].update(format="csr"),
    "no files": lambda p: p["table"].update(files=[]),
    "one file": lambda p: p["table"]["files"].pop(),
    "a member more": lambda p: p["table"].update(skip=1),
    "the version of one file": lambda p: p.update(version=1),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_proofs_of_arrays_are_not_verified(name, tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS)
    y = saved(tmp_path, "y.npy", [0, 1, 1, 0], "|i1")
    proof = proof_of_arrays([X, y], 2, [dict(by_hand.OVERLAPPING)])
    assert checked(proof, [X, y], tmp_path)[0] == verify.VERIFIED
    SPOILT[name](proof)
    code, answer = checked(proof, [X, y], tmp_path)
    assert code in (verify.REFUTED, verify.CANNOT_CHECK), answer
    assert "Traceback" not in answer


ROWS = [(*x, float(x == (1, 1))) for x in CORNERS]
CHANGED = {
    "another number": [*ROWS[:3], (1, 2, 1)], "a row less": ROWS[1:], "a row more": [*ROWS, ROWS[3]]
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGED)
def test_a_file_that_changes_while_it_is_read_is_not_verified(change, tmp_path):
    path = saved(tmp_path, "rows.npy", ROWS)
    run = {"kind": "PLA", "start": LINE, "visited": []}
    proof = json.dumps(proof_of_arrays([path], 2, [run])).encode()
    told = verify.read_proof(proof)
    with path.open("rb") as file:
        assert verify.stated(told, verify.opened(told, [file]))
        table = verify.opened(told, [file])
        saved(tmp_path, "rows.npy", CHANGED[change])
        with pytest.raises((CannotCheck, Refuted)):
            verify.stated(told, table)


def test_of_many_lines_the_others_are_counted():
    twelve = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert verify.in_lines([7]) == "line 7"
    assert verify.in_lines(range(1, 13)) == f"lines {twelve} and 12"
    assert verify.in_lines(range(1, 15), "row") == f"rows {twelve}, 12 and 2 more"


@pytest.mark.parametrize(("dtype", "code"), [("<f4", 0), ("<i8", 0), ("|b1", 0), ("huge", 3)])
def test_weights_of_any_numbers_are_read_exactly_or_refused(tmp_path, dtype, code):
    given = np.array([1, 2**53 + 1]) if dtype == "huge" else np.ones(2, dtype)
    w = saved(tmp_path, "w.npy", given, given.dtype.str)
    rows = saved(tmp_path, "X.npy", [[1.0, 0.0], [2.0, 1.0]])
    proof = proof_of_arrays([rows, w], 1, [{"kind": "separable", "weights": [-3, 2]}], weight=2)
    assert checked(proof, [rows, w], tmp_path)[0] == code


def test_the_constant_is_not_called_as_a_column_is(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("intercept,b,y\n0,2,n\n0,1,p\n0,3,p\n1,2,p\n0,2,p\n0,1,n\n0,3,n\n1,1,p\n")
    proof = prove_separability(read_table(table, "y", "p"), table.read_bytes())
    (said,) = (text for text in proof.statements if "that diverge" in text)
    assert "'intercept' (upwards)" in said
    assert "'the intercept'" in said
