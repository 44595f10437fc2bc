"""Proofs about tables in blocks, checked by the verifier alone."""

import json
from pathlib import Path

import numpy as np
import pytest

from separatrix import InputError, read_table, verify
from separatrix.data import read_arrays
from separatrix.proving import any_size, plain
from separatrix.proving.any_size import prove_in_blocks
from separatrix.proving.asking import prove_separability
from separatrix.proving.files import write
from separatrix.scale import ArraySource, NpySource, Rows
from separatrix.scale.opening import checked_table
from separatrix.scale.tables_of_files import open_table
from separatrix.tiles import TILE
from separatrix.zero_one.limits import NO_LIMITS, Limits
from tests.proving.checking import WORDS, checked

N, D = 2 * TILE + 100, 3


def arrays(kind):
    rng = np.random.default_rng(1)
    X = rng.integers(-50, 51, size=(N, D)).astype(np.float32)
    y = (X @ [3, -2, 0] + 0.5 > 0).astype(np.int8)
    if kind != "separable":
        y ^= rng.random(N) < 0.02
    if kind == "touching":
        X[:, 2] = (y == 1) & (rng.random(N) < 0.01)
    return X, y


def little_memory(table):
    table.budget = 0
    return table


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("how", ["labels apart", "labels inside", "several files", "text"])
def test_what_is_proven_of_arrays_is_verified(tmp_path, kind, how):
    X, y = arrays(kind)
    rows, labels = [str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")]
    np.save(rows[0], X)
    np.save(labels[0], np.where(y, "yes", "no") if how == "text" else y)
    if how == "labels inside":
        np.save(rows[0], np.column_stack([X[:, :1], y, X[:, 1:]]))
        labels = 1
    if how == "several files":
        rows = [str(tmp_path / f"X{k}.npy") for k in range(2)]
        for path, part in zip(rows, np.split(X, [1000]), strict=True):
            np.save(path, part)
    table = little_memory(Rows(NpySource(rows, labels), rows_in_block=TILE))
    proof, paths = prove_in_blocks(table, tmp_path / "p.json")
    assert WORDS[kind] in " ".join(proof.statements)
    (tmp_path / "p.json").write_text(proof.text)
    checked(tmp_path / "p.json", paths)
    assert (how in ("text", "several files")) == (tmp_path / "p.table.csv").exists()
    if kind == "separable":
        broken = json.loads(proof.text)
        broken["claims"][0]["weights"][0] = "1000000000000"
        (tmp_path / "p.json").write_text(json.dumps(broken))
        assert verify.check_files(str(tmp_path / "p.json"), paths)[0] == verify.REFUTED


def noisy(tmp_path, n=3 * TILE, d=3):
    """Files of rows of which one in ten has the wrong label."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)).astype(np.float32)
    y = ((X[:, 0] > 0.25) ^ (rng.random(n) < 0.1)).astype(np.int8)
    X[1], y[1], y[0] = X[0], 1, 0  # one row with both labels
    paths = [str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    np.save(paths[0], X)
    np.save(paths[1], y)
    return paths


def bracket_of(paths, tmp_path, limits=NO_LIMITS, **how):
    table = little_memory(Rows(NpySource(paths[:1], paths[1:]), **how))
    return prove_in_blocks(table, tmp_path / "p.json", fewest=limits)[0]


def test_a_bracket_of_the_fewest_mistakes_is_proven(tmp_path):
    paths = noisy(tmp_path)
    proof = bracket_of(paths, tmp_path, rows_in_block=TILE)
    (tmp_path / "p.json").write_text(proof.text)
    checked(tmp_path / "p.json", paths)
    claims = {claim["kind"]: claim for claim in json.loads(proof.text)["claims"]}
    lower = len(claims["mistakes at least"]["cores"])
    said = " ".join(proof.statements)
    assert f"Every line makes at least {lower:,} mistakes" in said
    assert 500 < lower < 3 * TILE / 5
    for rows in (2 * TILE, 99 * TILE):
        assert bracket_of(paths, tmp_path, rows_in_block=rows).text == proof.text
    few = json.loads(bracket_of(paths, tmp_path, Limits(nodes=1), rows_in_block=TILE).text)
    assert 0 < len(few["claims"][-1]["cores"]) < lower


def test_a_proof_names_few_rows_and_says_so(tmp_path, monkeypatch):
    paths = noisy(tmp_path)
    monkeypatch.setattr("separatrix.zero_one.minimum_errors.CERTIFIED", 4 * 100)
    proof = bracket_of(paths, tmp_path)
    cores = json.loads(proof.text)["claims"][-1]["cores"]
    assert 90 < sum(len(core["rows"]) for core in cores) <= 100
    assert [0, 1] in [core["rows"] for core in cores]
    assert "were shown, more than by the rows named here" in " ".join(proof.left_out)


def test_of_a_small_table_diverging_coefficients_are_claimed_too(tmp_path):
    X, y = arrays("separable")
    source = ArraySource(read_arrays(X[:200].astype(float), y[:200]))
    proof, paths = prove_in_blocks(Rows(source), tmp_path / "p.json")
    assert [claim["kind"] for claim in json.loads(proof.text)["claims"]] == [
        "separable", "margin at most", "diverging",
    ]  # fmt: skip
    (tmp_path / "p.json").write_text(proof.text)
    checked(tmp_path / "p.json", paths)


def test_arrays_beside_a_proof_that_fails_are_removed(tmp_path, monkeypatch):
    X, y = arrays("separable")
    table = Rows(ArraySource(read_arrays(X[:50].astype(float), y[:50])))
    monkeypatch.setattr("separatrix.verify.LEAST_FILES", {"npy": 9, "csv": 9})
    with pytest.raises(InputError, match="can be written: verify answers that"):
        prove_in_blocks(table, tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


def test_numbers_to_fit_have_no_proof(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    np.save(tmp_path / "y.npy", np.array([0.5, 1.5, 2.5]))
    source = NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")], numbers=True)
    with pytest.raises(InputError, match="y holds numbers, and labels are asked for"):
        prove_in_blocks(Rows(source), tmp_path / "p.json")


@pytest.mark.parametrize("how", ["drop", "fill"])
def test_text_is_written_as_a_plain_table(tmp_path, how):
    """Levels, missing values, blank labels, weights; in two files, the second without some."""
    rng = np.random.default_rng(4)
    files = []
    for k in range(2):
        lines = ["age;income;town;n;grant"]
        for i in range(800):
            a, b = rng.normal(size=2)
            town = ["north", "south", "NA", "+", "-"][rng.integers(3 + 2 * k)]
            label = [" yes", "no", "", "?"][(a + b > 0) * 1 if i % 100 else 2 + i % 2]
            income = "" if i % 50 == 7 else f"{b:.3f}"
            lines.append(f"{a:.3f};{income.replace('.', ',')};{town};{1 + i % 3};{label}")
        files.append(str(tmp_path / f"part-{k}.csv"))
        Path(files[-1]).write_text("\n".join(lines).replace(".", ",") + "\n", "utf-8")
    options = {"weight": "n", "missing": how, "decimal": ",", "unlabelled": "drop"}
    table = open_table(files, "grant", "yes", memory="512MB", **options)
    proof, paths = prove_in_blocks(table, tmp_path / "p.json")
    assert paths == [str(tmp_path / "p.table.csv")]
    told = json.loads(proof.text)["table"]["made_of"]
    assert [file["name"] for file in told["files"]] == ["part-0.csv", "part-1.csv"]
    assert f"The rows: {table.n:,}, in lines" in proof.statements[0]
    assert "'town=south'" in proof.statements[0]
    (tmp_path / "p.json").write_text(proof.text, "utf-8")
    answer = checked(tmp_path / "p.json", paths)
    assert answer.splitlines()[1:] == list(proof.statements)
    assert verify.check_files(str(tmp_path / "p.json"), files)[0] == verify.CANNOT_CHECK


def test_text_that_the_verifier_reads_in_another_way_is_proven_as_in_memory(tmp_path, monkeypatch):
    """Numbers with a unit are a recipe of ours; a larger table is written as arrays."""
    rng = np.random.default_rng(5)
    rows = zip(rng.normal(size=300), rng.integers(0, 3, 300), strict=True)
    lines = ["share,w,y", *(f"{v:.2f}%,{w},{'paid' if v > 0 else 'due'}" for v, w in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    how = {"weight": "w", "parse": ["percent"]}
    proof, paths = prove_in_blocks(open_table(tmp_path / "t.csv", "y", **how), tmp_path / "p.json")
    data = (tmp_path / "t.csv").read_bytes()
    in_memory = prove_separability(read_table(tmp_path / "t.csv", "y", **how), data)
    assert proof.statements == in_memory.statements
    assert Path(paths[0]).read_bytes() == in_memory.beside[".table.csv"]
    assert "column 'y' 'paid'" in proof.statements[0]
    assert paths == [str(tmp_path / "p.table.csv")]
    checked(write(proof, tmp_path / "p.json")[0], *paths)
    monkeypatch.setattr(plain, "MOST_IN_CSV", 100)
    proof, paths = prove_in_blocks(open_table(tmp_path / "t.csv", "y", **how), tmp_path / "q.json")
    assert [path.rpartition("/")[2] for path in paths] == [
        "q.table.npy",
        "q.labels.npy",
        "q.weights.npy",
    ]
    assert json.loads(proof.text)["table"]["made_of"]["files"][0]["name"] == "t.csv"


def test_arrays_are_not_made_of_files_that_have_changed(tmp_path):
    """The rows are those of scratch files: the proof would name other files as their origin."""
    path = tmp_path / "t.csv"
    lines = ["share,y", *(f"{k % 90}%,{int(k % 90 > 40)}" for k in range(300))]
    path.write_text("\n".join(lines) + "\n")
    table = open_table(path, "y", memory="512MB", parse=["percent"])
    rows = checked_table(table, None)
    path.write_text("\n".join([*lines, "99%,0"]) + "\n")
    with pytest.raises(InputError, match="changed"):
        any_size.plain_table(table).write(tmp_path / "p.json")
    assert rows.n == 300
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
