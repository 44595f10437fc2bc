"""Tables that are read again and again, in tiles of a few rows, and the same in memory."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from separatrix import verify


def in_tiles(proof: bytes, paths: Sequence[Path], monkeypatch, tile: int, piece: int) -> list[str]:
    """What is proven of a table that is never in memory as a whole."""
    monkeypatch.setattr(verify, "TILE", tile)
    monkeypatch.setattr(verify, "PIECE", piece)
    told = verify.read_proof(proof)
    return verify.stated(told, verify.streamed(told, [str(path) for path in paths]))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def proof_of_arrays(
    X: Sequence[Path], labels: Sequence[Path], d: int, claims: list[dict], **more
) -> dict:
    """A proof about .npy files: labels 1 and 0 in files of their own, or in the column after X."""
    table = {
        "files": [{"sha256": sha256(path)} for path in X],
        "dialect": {"format": "npy"},
        "label": {"index": d, "yes": ["1"], "no": ["0"], "unlabelled": []},
        "columns": [{"index": j, "levels": None, "fill": None, "missing": []} for j in range(d)],
    }
    if labels:
        table["labels"] = [{"sha256": sha256(path)} for path in labels]
    return {
        "format": "separatrix proof", "version": 4, "claim": ["whatever"], "intercept": True,
        "table": {**table, **more}, "claims": claims,
    }  # fmt: skip


def checked(proof: dict, paths: Sequence[Path], folder: Path, **limits) -> tuple[int, str]:
    """The exit code and the answer for a proof and the files of its table."""
    (folder / "proof.json").write_text(json.dumps(proof))
    return verify.check_files(str(folder / "proof.json"), [str(path) for path in paths], **limits)


def saved(folder: Path, name: str, values, dtype: str = "<f8") -> Path:
    np.save(folder / name, np.asarray(values, dtype))
    return folder / name
