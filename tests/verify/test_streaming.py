"""Tables larger than memory: rows that pass by, of CSV and .npy files."""

import json

import numpy as np
import pytest

from separatrix import verify
from tests.verify import by_hand
from tests.verify.by_hand import LINE, proof_of
from tests.verify.streaming import checked, in_tiles, proof_of_arrays, saved, sha256

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]

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
def test_claims_by_hand_are_answered_as_in_memory(case, tile, tmp_path, monkeypatch):
    data, proof = BY_HAND[case]
    (tmp_path / "t.csv").write_bytes(data)
    text = json.dumps(proof).encode()
    told = in_tiles(text, [tmp_path / "t.csv"], monkeypatch, tile, piece=5)
    assert told == verify.statements(text, data)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "|i1", ">i2", "<u4", "<i8", "|b1"])
def test_numbers_of_each_kind_are_read(dtype, tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS, dtype)
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")
    proof = proof_of_arrays([X], [y], 2, [{"kind": "separable", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.VERIFIED, answer
    assert "'1' (yes, 1 rows) or '0' (no, 3 rows)" in answer
    assert "Its squared margin is about 0.0588235" in answer
    for weights, row in (([-3, 2, 1], 4), ([1, 1, 1], 1)):
        proof["claims"][0]["weights"] = weights
        code, answer = checked(proof, [X, y], tmp_path)
        assert code == verify.REFUTED
        assert f"the row at row {row} is not" in answer


def test_a_matrix_and_its_labels_may_lie_in_several_files(tmp_path):
    paths = [
        saved(tmp_path, "a.npy", CORNERS[:1]), saved(tmp_path, "b.npy", CORNERS[1:]),
        saved(tmp_path, "l.npy", [0, 0, 0], "|i1"), saved(tmp_path, "m.npy", [1], "|i1"),
    ]  # fmt: skip
    claim = {"kind": "separable", "weights": LINE}
    proof = proof_of_arrays(paths[:2], paths[2:], 2, [claim])
    code, answer = checked(proof, paths, tmp_path)
    assert code == verify.VERIFIED, answer
    assert "4 of 4, in 2 .npy files of 2 columns, and 2 files of labels" in answer
    for wrong in (paths[:3], [*paths, paths[0]], [paths[1], paths[0], *paths[2:]]):
        assert checked(proof, wrong, tmp_path)[0] == verify.CANNOT_CHECK


def test_labels_that_doubles_cannot_tell_apart_are_not_read(tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS)
    y = saved(tmp_path, "y.npy", [0, 0, 0, 2**53 + 1], "<i8")
    proof = proof_of_arrays([X], [y], 2, [{"kind": "separable", "weights": LINE}])
    proof["table"]["label"]["yes"] = [str(2**53)]
    assert checked(proof, [X, y], tmp_path) == (
        verify.CANNOT_CHECK,
        "CANNOT CHECK: a label is 2^53 or more, where whole numbers share a double.",
    )


def test_csv_files_follow_one_another(tmp_path):
    head, *rows = by_hand.AND.splitlines(keepends=True)
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for path, some in zip(paths, (rows[:3], rows[3:]), strict=True):
        path.write_bytes(head + b"".join(some))
    proof = proof_of(by_hand.AND, [{**by_hand.REFUSED, "rows": [0, 3, 1, 2]}])
    table = proof["table"]
    del table["sha256"]
    table["files"] = [{"sha256": sha256(path)} for path in paths]
    proof |= {"version": 4, "claims": [by_hand.SEPARABLE]}
    code, answer = checked(proof, paths, tmp_path)
    assert code == verify.VERIFIED, answer
    assert "4 of 4, in 2 files of 6 lines; the first record of each names the columns" in answer
    proof["claims"] = [{**by_hand.SEPARABLE, "weights": [3, -2, -2]}]
    assert "the row at line 2 of file 1 is not" in checked(proof, paths, tmp_path)[1]
    paths[1].write_bytes(b"x2,x1,answer\n1,1,y\n")
    table["files"][1]["sha256"] = sha256(paths[1])
    assert "the columns of file 2 are not those" in checked(proof, paths, tmp_path)[1]


def test_missing_numbers_are_filled_or_leave_the_row_out(tmp_path):
    nan = float("nan")
    X = saved(tmp_path, "X.npy", [*CORNERS, (nan, 1), (5, 5)])
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1, 1, nan])
    proof = proof_of_arrays([X], [y], 2, [{"kind": "separable", "weights": LINE}])
    label, (first, _) = proof["table"]["label"], proof["table"]["columns"]
    assert "row 5: a cell is no number" in checked(proof, [X, y], tmp_path)[1]
    first["missing"] = ["nan"]
    assert "row 6: an unknown label" in checked(proof, [X, y], tmp_path)[1]
    label["unlabelled"] = ["nan"]
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.VERIFIED
    assert "2 left out: 1 for want of 'column 1' (row 5), 1 for want of a label (row 6)" in answer
    first["fill"] = 1.5
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.VERIFIED
    assert "a missing value is filled in: 'column 1' by 1.5 in 1" in answer
    first["fill"] = 0.25  # (0.25, 1) is not above the line
    assert checked(proof, [X, y], tmp_path)[0] == verify.REFUTED


def npy(text: bytes, data: bytes, version: bytes = b"\1\0") -> bytes:
    head = text + b" " * (-(len(text) + 11) % 64) + b"\n"
    size = len(head).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + head + data


SHAPE = b"{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
NUMBERS = np.array(CORNERS, "<f8").tobytes()
BAD_FILES = {
    "no array": b"a,b\n1,2\n",
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
    proof = proof_of_arrays([X], [y], 2, [{"kind": "mistakes", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.CANNOT_CHECK, answer
    assert "Traceback" not in answer


@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, 0, 1, 1], [[0, 0], [0, 1]]])
def test_labels_are_as_many_as_rows(labels, tmp_path):
    X, y = saved(tmp_path, "X.npy", CORNERS), saved(tmp_path, "y.npy", labels, "|i1")
    proof = proof_of_arrays([X], [y], 2, [{"kind": "mistakes", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.CANNOT_CHECK
    assert "labels" in answer


def test_a_run_on_scaled_columns_is_about_scaled_rows(tmp_path, monkeypatch):
    run = {
        "kind": "PLA", "start": [-5, 2, 2], "visited": [], "target": [-5, 2, 2],
        "columns": [{"exponent": 0, "mean": -1, "spread": 0.5}] * 2,
    }  # fmt: skip
    data = by_hand.csv_of([(-1, -1, "n"), (-1, 0, "n"), (0, -1, "n"), (0, 0, "y")])
    claims = [{"kind": "separable", "weights": [1, 2, 2]}, run]
    (tmp_path / "t.csv").write_bytes(data)
    proof = json.dumps(proof_of(data, claims)).encode()
    told = in_tiles(proof, [tmp_path / "t.csv"], monkeypatch, tile=3, piece=5)
    assert told == verify.statements(proof, data)
    assert "the squared radius of the rows 3, measured" in told[2]
    assert "the squared radius of the rows 9, measured" in told[3]


def test_headers_of_later_versions_are_read(tmp_path):
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")
    for version in (b"\2\0", b"\3\0"):
        X = tmp_path / "X.npy"
        X.write_bytes(npy(SHAPE % (b"<f8", b"False", b"(4, 2)"), NUMBERS, version))
        proof = proof_of_arrays([X], [y], 2, [{"kind": "separable", "weights": LINE}])
        assert checked(proof, [X, y], tmp_path)[0] == verify.VERIFIED


CSV = proof_of(b"", [])["table"]["dialect"]

SPOILT = {
    "a row twice": lambda p: p["claims"][0].update(rows=[0, 0, 1, 2]),
    "a row that there is not": lambda p: p["claims"][0].update(rows=[0, 1, 2, 4]),
    "a row far away": lambda p: p["claims"][0].update(rows=[0, 1, 2, 10**18]),
    "a negative row": lambda p: p["claims"][0].update(rows=[0, 1, 2, -1]),
    "multipliers of no use": lambda p: p["claims"][0].update(multipliers=["1", "1", "1", "2"]),
    "another hash": lambda p: p["table"]["files"][0].update(sha256="0" * 64),
    "another hash of labels": lambda p: p["table"]["labels"][0].update(sha256="0" * 64),
    "labels that are no numbers": lambda p: p["table"]["label"].update(yes=["yes"]),
    "a label of two meanings": lambda p: p["table"]["label"].update(yes=["1"], no=["0", "1.0"]),
    "a label that is not told of": lambda p: p["table"]["label"].update(no=["2"]),
    "labels read as a feature": lambda p: p["table"]["columns"][0].update(index=2),
    "a feature read as labels": lambda p: p["table"].update(
        label={"index": 0, "yes": ["1"], "no": ["0"], "unlabelled": []},
        columns=p["table"]["columns"][1:],
    ),
    "levels": lambda p: p["table"]["columns"][0].update(levels=["0", "1"]),
    "labels beside a CSV": lambda p: p["table"].update(dialect=CSV),
    "another format": lambda p: p["table"].update(dialect={"format": "pickle"}),
    "one hash for all": lambda p: p["table"].update(sha256="0" * 64),
    "no files": lambda p: p["table"].update(files=[]),
    "the version of one file": lambda p: p.update(version=1),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_proofs_of_arrays_are_not_verified(name, tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS)
    y = saved(tmp_path, "y.npy", [0, 1, 1, 0], "|i1")
    proof = proof_of_arrays([X], [y], 2, [dict(by_hand.OVERLAPPING)])
    assert checked(proof, [X, y], tmp_path)[0] == verify.VERIFIED
    SPOILT[name](proof)
    code, answer = checked(proof, [X, y], tmp_path)
    assert code in (verify.REFUTED, verify.CANNOT_CHECK), answer
    assert "Traceback" not in answer


ROWS = [(*x, float(x == (1, 1))) for x in CORNERS]
CHANGED = {
    "another number": [*ROWS[:3], (1, 2, 1)], "a row less": ROWS[1:], "a row more": [*ROWS, ROWS[3]]
}  # fmt: skip


@pytest.mark.parametrize("change", [*CHANGED, "gone"])
def test_a_file_that_changes_between_two_readings_is_not_verified(change, tmp_path):
    path = saved(tmp_path, "rows.npy", ROWS)
    run = {"kind": "PLA", "start": LINE, "visited": [], "target": None}  # reads the rows once more
    told = verify.read_proof(json.dumps(proof_of_arrays([path], [], 2, [run])).encode())
    assert verify.stated(told, verify.streamed(told, [str(path)]))
    table = verify.streamed(told, [str(path)])
    if change == "gone":
        path.unlink()
    else:
        saved(tmp_path, "rows.npy", CHANGED[change])
    with pytest.raises(verify.CannotCheck):
        verify.stated(told, table)
