"""How an attack on `verify.py` is built and kept: tables, proofs, and the list of them all."""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any

Attack = Callable[[], tuple[bytes, bytes, str]]

ATTACKS: dict[str, Attack] = {}
REFUSED, NO = "CANNOT CHECK", "REFUTED"
NOT_VERIFIED = "REFUTED or CANNOT CHECK"

NUMBERS = b"x,y\n10,no\n20,yes\n31,no\n"  # no line separates it
SIGNS = b"s,x,y\n+,1,no\n-,2,yes\n+,3,no\n-,0,no\n"
XOR = b"a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
CYCLE = {"rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}
LINE = b"x,y\n1,no\n2,no\n3,yes\n4,yes\n"
COLUMN = {"index": 0, "levels": None, "fill": None, "missing": []}
UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def proof(data: bytes, claims: list[dict], **table: Any) -> dict:
    """A proof about a CSV file with a header whose last column is the label."""
    d = data.split(b"\n", 1)[0].count(b",")
    column = {"levels": None, "fill": None, "missing": ["", "?"]}
    dialect = {"delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."}
    dialect |= table.pop("dialect", {})
    label = {"index": d, "yes": ["yes"], "no": ["no"], "unlabelled": []} | table.pop("label", {})
    return {
        "format": "separatrix proof", "version": 4, "claim": [], "intercept": True,
        "claims": claims,
        "table": {
            "sha256": hashlib.sha256(data).hexdigest(), "dialect": dialect, "label": label,
            "columns": [{"index": j, **column} for j in range(d)], **table,
        },
    }  # fmt: skip


def separable(*weights: Any) -> dict:
    return {"kind": "separable", "weights": list(weights)}


def add(name: str, data: bytes, told: dict | bytes, answer: str = REFUSED) -> None:
    """Add an attack that is small enough to be kept."""
    text = told if isinstance(told, bytes) else json.dumps(told).encode()
    later(name, lambda: (data, text), answer)


def later(
    name: str, build: Callable[[], tuple[bytes, dict | bytes]], answer: str = REFUSED
) -> None:
    """Add an attack that is built when it is used."""

    def built() -> tuple[bytes, bytes, str]:
        data, told = build()
        return data, told if isinstance(told, bytes) else json.dumps(told).encode(), answer

    assert name not in ATTACKS
    ATTACKS[name] = built


def packed(tree: Any) -> str:
    text = tree if isinstance(tree, bytes) else json.dumps(tree, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def fewest(tree: Any, *weights: Any, **more: Any) -> dict:
    return {
        "kind": "fewest mistakes", "weights": list(weights), "cost_wrong_yes": 1.0,
        "cost_wrong_no": 1.0, "unit": 1, "proof": packed(tree), **more,
    }  # fmt: skip
