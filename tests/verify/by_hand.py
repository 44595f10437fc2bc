"""Tables and proofs made by hand; nothing here uses the rest of the package."""

import hashlib
import json

from separatrix.verify import CannotCheck, Refuted, statements


def csv_of(rows: list[tuple]) -> bytes:
    d = len(rows[0]) - 1
    head = ",".join([*(f"x{j + 1}" for j in range(d)), "answer"])
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


def proof_of(data: bytes, claims: list[dict], **more) -> dict:
    d = data.split(b"\n", 1)[0].count(b",")
    column = {"levels": None, "fill": None, "missing": ["", "?"]}
    return {
        "format": "separatrix proof",
        "version": 4,
        "claim": ["whatever"],
        "table": {
            "sha256": hashlib.sha256(data).hexdigest(),
            "dialect": {
                "delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."
            },
            "label": {"index": d, "yes": ["y"], "no": ["n"], "unlabelled": []},
            "columns": [{"index": j, **column} for j in range(d)],
        },
        "intercept": True,
        "claims": claims,
        **more,
    }  # fmt: skip


def said(data: bytes, proof: dict) -> str:
    return "\n".join(statements(json.dumps(proof).encode(), data))


def claimed(text, weights=(0, 1), kind="separable", *, dialect=None, encoding="utf-8", **table):
    """What is said of a table of one column x, or of why nothing is said."""
    data = text if isinstance(text, bytes) else text.encode(encoding)
    column = {"index": 0, "levels": None, "fill": None, "missing": ["", "?"]}
    label = {"index": 1, "yes": ["yes"], "no": ["no"], "unlabelled": []}
    label |= table.pop("label", {})
    columns = [column | table.pop("column", {})]
    proof = proof_of(b"x,answer\n", [{"kind": kind, "weights": list(weights)}])
    proof["table"] |= {"columns": columns, "label": label, **table}
    proof["table"]["dialect"] |= {"encoding": encoding, **(dialect or {})}
    proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    try:
        return said(data, proof)
    except (CannotCheck, Refuted) as why:
        return f"{type(why).__name__}: {why}"


AND = csv_of([(0, 0, "n"), (0, 1, "n"), (1, 0, "n"), (1, 1, "y")])

XOR = csv_of([(0, 0, "n"), (0, 1, "y"), (1, 0, "y"), (1, 1, "n")])

LINE = [-3, 2, 2]  # separates AND; its least agreement is 1

# 0 n, 1 n, 1 y, 2 y: the line x = 1 has two rows on it and none on its wrong side
TOUCHING = csv_of([(0, "n"), (1, "n"), (1, "y"), (2, "y")])

SEPARABLE = {"kind": "separable", "weights": LINE}

REFUSED = {"kind": "not separable", "rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}

OVERLAPPING = {**REFUSED, "kind": "overlapping", "null_space": []}

TOUCHED = {"kind": "touching", "weights": [-1, 1], "rows": [1, 2], "multipliers": ["a", "a"]}

# the closest point of the hull: (0, 0) never needed; 1 (1,1), 1/2 each of (0,1) and (1,0)
MARGIN = {"kind": "margin", "weights": LINE, "rows": [1, 2, 3], "multipliers": ["1", "1", "2"]}

MISTAKES = {"kind": "mistakes", "weights": [-1, 2, 0]}

CANCELLING = {"rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}

CORES = {"kind": "mistakes at least", "cores": [{**CANCELLING, "share": 1}]}

THREE = csv_of([(0, 1.5, "n"), (2, 0.25, "n"), (1, 3, "y"), (4, 4, "y"), (1, 1, "n"), (0, 5, "y")])

# the second column is constant: losing the vector that says so would raise the rank
FLAT = csv_of([(0, 5, "n"), (1, 5, "y"), (2, 5, "n")])

SPANNING = {
    "kind": "overlapping", "rows": [0, 1, 2], "multipliers": ["1", "2", "1"],
    "null_space": [["5", "0", "-1"]],
}  # fmt: skip

PROOFS = [
    (AND, proof_of(AND, [SEPARABLE, MARGIN, MISTAKES])),
    (FLAT, proof_of(FLAT, [SPANNING])),
    (XOR, proof_of(XOR, [OVERLAPPING, CORES, {"kind": "mistakes", "weights": [-0.5, 1, 1]}])),
    (TOUCHING, proof_of(TOUCHING, [TOUCHED])),
    (
        THREE,
        proof_of(
            THREE,
            [
                {"kind": "separable", "weights": ["-f/2", "1", "3"]},
                {"kind": "mistakes", "weights": [0.25, -1.5, 3.0]},
            ],
        ),
    ),
]
