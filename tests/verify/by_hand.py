"""Tables and proofs made by hand; nothing here uses the rest of the package."""

import hashlib
import io
import json
import math
from types import SimpleNamespace

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted, statements


def csv_of(rows: list[tuple]) -> bytes:
    d = len(rows[0]) - 1
    head = ",".join([*(f"x{j + 1}" for j in range(d)), "answer"])
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


def table_of(data: bytes, **more) -> dict:
    d = data.split(b"\n", 1)[0].count(b",")
    return {
        "format": "csv",
        "files": [{"sha256": hashlib.sha256(data).hexdigest()}],
        "label": {"index": d, "classes": ["n", "y"]},
        "columns": list(range(d)),
        **more,
    }


def proof_of(data: bytes, claims: list[dict], **more) -> dict:
    return {
        "format": "separatrix proof", "version": verify.VERSION, "claim": ["whatever"],
        "table": table_of(data), "intercept": True, "claims": claims, **more,
    }  # fmt: skip


def said(data: bytes, proof: dict) -> str:
    return "\n".join(statements(json.dumps(proof).encode(), data))


def opened(data: bytes | list[bytes], proof: dict) -> verify.Table:
    """The table of a proof."""
    files = [data] if isinstance(data, bytes) else data
    return verify.opened(verify.Part(proof), [io.BytesIO(f) for f in files])


def in_memory(points: list, y: list[int], **more) -> verify.Table:
    """Rows in memory, with an intercept unless it is said otherwise."""
    n, width = len(points), len(points[0])

    def columns(rows, x0):
        return {j: (range(len(rows)), [points[n][j] for n in rows]) for j in range(width)}

    source = SimpleNamespace(
        n=n, n_numbers=n * width, unit="line", first=1, keep=lambda: None, columns=columns
    )
    names = ["intercept", *(f"x{j}" for j in range(1, width))]
    told = {"names": names, "intercept": True, "weights": (), "index": range(n), **more}
    return verify.Table(y=y, source=source, **told)


def points_of(table: verify.Table) -> list[list[float]]:
    """The rows (1+d,) of a table, with their zeros."""
    found = verify.by_rows(table.columns, table.n)
    return [[z.get(j, 0.0) for j in range(table.width)] for z in found]


def claimed(text, weights=(0, 1), kind="mistakes", **table):
    """What is said of a table of one column x, or of why nothing is said."""
    data = text if isinstance(text, bytes) else text.encode()
    label = {"index": 1, "classes": ["no", "yes"]} | table.pop("label", {})
    proof = proof_of(data, [{"kind": kind, "weights": list(weights)}])
    proof["table"] |= {"columns": [0], "label": label, **table}
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
MARGIN = {"kind": "margin at most", "rows": [1, 2, 3], "multipliers": ["1", "1", "2"]}

MISTAKES = {"kind": "mistakes", "weights": [-1, 2, 0]}

CORES = {"kind": "mistakes at least", "cores": [{"rows": [0, 1, 2, 3], "share": 1}]}

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


def walked(rows, start=(0.0, 0.0, 0.0)):
    """Visits and weights of cyclic PLA on rows (x1, x2, y), in whole numbers."""
    v, visited = list(start), []
    while True:
        clean = True
        for n, (a, b, y) in enumerate(rows):
            if y * (v[0] + v[1] * a + v[2] * b) <= 0:
                v = [v[0] + y, v[1] + y * a, v[2] + y * b]
                visited.append(n)
                clean = False
        if clean:
            return visited, v


SIGNED_AND = [(0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1)]


def run(start=(0, 0, 0), **more):
    return {"kind": "PLA", "start": list(start), "visited": walked(SIGNED_AND, start)[0], **more}


# x = 0 n, 1 n, 1 y, 2 y: w >= 0 along (-1, 1) alone
DIVERGING = {
    "kind": "diverging", "null_space": [], "independent": [0, 1],
    "rows": [1, 2], "multipliers": ["1", "1"], "free": [["-1", "1"]], "lines": [["-1", "1"]],
    "directions": [
        {"index": 1, "direction": 1, "rows": [3], "multipliers": ["1"], "times": ["1"]},
        {"index": 0, "direction": -1, "rows": [0], "multipliers": ["2"], "times": ["2"]},
    ],
}  # fmt: skip

# x2 goes either way, and one way is all that the line shows: another index would say too much
EITHER = csv_of([(0, 0, "n"), (2, 1, "y"), (2, -1, "y")])

ONE_WAY = {
    **DIVERGING, "independent": [0, 1, 2], "rows": [], "multipliers": [], "free": [],
    "lines": [["-1", "2", "1/2"]],
    "directions": [
        {
            "index": 1, "direction": 1, "rows": [0, 1, 2], "multipliers": ["2", "1", "1"],
            "times": ["4"],
        }
    ],
}  # fmt: skip

CONSTANT = csv_of([(0, 3, "n"), (2, 3, "y"), (1, 3, "n")])

# w = (-1.5, 1, 1) minimises; its residuals y - s are (.5, -.5, -.5, .5), orthogonal to the columns
SQUARES = {
    "kind": "optimum", "errors": "least squares", "weights": [-1.5, 1, 1], "columns": [0, 1, 2],
    "rows": [0, 1, 2], "null_space": [],
}  # fmt: skip

# a third yes row at each x makes the best line w_0 = ln 2, which is not a double
THIRDS = csv_of([(0, "n"), (0, "y"), (0, "y"), (1, "n"), (1, "y"), (1, "y")])
LOGISTIC = {
    "kind": "optimum", "errors": "logistic", "weights": [math.log(2), 0],
    "columns": [0, 1], "rows": [0, 4], "null_space": [],
}  # fmt: skip

# by symmetry w = (0, c), and the best c solves c = 2 C theta(c)
TWO = csv_of([(-1, "n"), (1, "y")])
PENALISED = {**LOGISTIC, "weights": [0, 1.2], "C": 2, "columns": [0], "rows": [1]}

FITS = [
    (AND, proof_of(AND, [SQUARES, {**SQUARES, "weights": [-1.5, 1, 1.25], "line": [-1.5, 1, 1]}])),
    (THIRDS, proof_of(THIRDS, [LOGISTIC, {**LOGISTIC, "weights": [0.5, 0], "line": [0.75, 0]}])),
    (TWO, proof_of(TWO, [PENALISED])),
    (AND, proof_of(AND, [run(target=[-3, 2, 2])])),
    (XOR, proof_of(XOR, [{"kind": "PLA", "start": [0.5, 0, 0], "visited": [0, 1, 0, 2]}])),
    (TOUCHING, proof_of(TOUCHING, [DIVERGING])),
    (EITHER, proof_of(EITHER, [ONE_WAY])),
    (AND, proof_of(AND, [{"kind": "margin at most", "rows": [1, 3], "multipliers": ["1", "2"]}])),
    (
        CONSTANT,
        proof_of(
            CONSTANT,
            [
                {
                    **DIVERGING, "null_space": [["3", "0", "-1"]], "rows": [], "multipliers": [],
                    "free": [], "lines": [["-3/2", "1", "0"]],
                    "directions": [
                        {
                            "index": 1, "direction": 1, "rows": [0, 1],
                            "multipliers": ["1", "1"], "times": ["2"],
                        }
                    ],
                }
            ],
        ),
    ),
]  # fmt: skip


ROWS = [
    (0, 0, "a"), (4, 0, "b"), (0, 4, "c"), (1, 0, "a"), (5, 1, "b"), (0, 5, "c"), (0, 1, "a"),
    (1, 6, "c"),
]  # fmt: skip

DATA = csv_of(ROWS)

TEXTS = ["a", "b", "c"]

AGAINST_REST = [[2, -1, -1], [-2, 1, -1], [-2, -1, 1]]

AGAINST_EACH = [[-2, 1, 0], [-2, 0, 1], [0, -1, 1]]


def several(rule: str, lines: list[list], data: bytes = DATA, texts: list = TEXTS) -> dict:
    """A proof with one line for each question of a rule, of which it says that it separates."""
    proof = proof_of(data, [])
    del proof["claims"]
    questions = [
        {"claims": [{"kind": "separable", "weights": w}, {"kind": "mistakes", "weights": w}]}
        for w in lines
    ]
    proof |= {"multiclass": rule, "questions": questions}
    proof["table"]["label"] = {"index": proof["table"]["label"]["index"], "classes": texts}
    return json.loads(json.dumps(proof))  # no list is part of two things


OVA, OVO = several("ova", AGAINST_REST), several("ovo", AGAINST_EACH)

RULES = {"ova": OVA, "ovo": OVO}


# on the face v_1 = 1 the first is wrong where v_0 <= 3/4, the second where v_0 >= 1/4; on the other
# faces one row is wrong everywhere. A cell is 1/16 there, from v_0 = -1.
THREE_ROWS = [[4, -3], [-4, 1], [0, 1]]

SPLIT, CLOSED, PACKED, LEMMA = range(4)


def below(cells):
    """Where a split is of which the side below so many cells stays open."""
    return 4 * cells + 1


def above(cells):
    return 4 * cells + 2


def lemma(bound, faces, *, ids=(), columns=(0, 1), relations=(), chart=((1, 0), (0, 1))):
    """A lemma by boxes, about all rows unless `ids` are given."""
    return [[*ids], [*columns], [*relations], [[*line] for line in chart], bound, faces]


def shown(rows, weights, *lemmas, columns=(0, 1), relations=()) -> int:
    proof = [[*columns], [*relations], [*lemmas]]
    return verify.mistakes_shown(without_zeros(rows), weights, proof, len(rows[0]))


def without_zeros(rows):
    return [{j: a for j, a in enumerate(z) if a} for z in rows]


# the first three cancel
TRIANGLE = [[1, 0], [0, 1], [-1, -1], [5, 3], [10, 6]]

CORE = [0, 1, 1, 1, 2, 1]
