"""Tables in `.npy` files, and tables that are looked at a few rows at a time."""

import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from separatrix import verify
from tests.verify import by_hand


def in_tiles(monkeypatch, tile: int, piece: int, kept: int = 0) -> None:
    """Keep no rows of any table, and look at a few of them at a time."""
    for name, value in {
        "TILE": tile, "PIECE": piece, "KEPT_ROWS": 0, "KEPT_NUMBERS": kept
    }.items():  # fmt: skip
        monkeypatch.setattr(verify, name, value)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def proof_of_arrays(paths: Sequence[Path], d: int, claims: list[dict], **more) -> dict:
    """A proof about .npy files: labels 1 and 0 stand in the column after the features."""
    table = {
        "format": "npy",
        "files": [{"sha256": sha256(path)} for path in paths],
        "label": {"index": d, "classes": ["0", "1"]},
        "columns": list(range(d)),
    }
    return {
        "format": "separatrix proof", "version": verify.VERSION, "claim": ["whatever"],
        "intercept": True, "table": {**table, **more}, "claims": claims,
    }  # fmt: skip


def checked(proof: dict, paths: Sequence[Path], folder: Path, **limits) -> tuple[int, str]:
    """The exit code and the answer for a proof and the files of its table."""
    (folder / "proof.json").write_text(json.dumps(proof))
    return verify.check_files(str(folder / "proof.json"), [str(path) for path in paths], **limits)


def saved(folder: Path, name: str, values, dtype: str = "<f8") -> Path:
    np.save(folder / name, np.asarray(values, dtype))
    return folder / name


def as_arrays(data: bytes, proof: dict, form: str) -> tuple[tuple[bytes, ...], dict]:
    """The same table as `.npy` files, and the proof about them."""
    rows = [line.split(",") for line in data.decode().splitlines()[1:]]
    X = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    y = np.array([1 if row[-1] == "y" else -1 for row in rows], "i1")
    S = sp.csr_array(X)
    arrays = [X, y] if form == "npy" else [S.data, S.indices, S.indptr, y]
    files = []
    for values in arrays:
        out = io.BytesIO()
        np.save(out, values)
        files.append(out.getvalue())
    table = {
        "format": form, "files": [by_hand.table_of(file)["files"][0] for file in files],
        "label": {"index": X.shape[1], "classes": ["-1", "1"]}, "columns": [*range(X.shape[1])],
    }  # fmt: skip
    return tuple(files), {**proof, "table": table}
