"""Claims of runs, of optima and of diverging coefficients, made by hand."""

import math

from tests.verify.by_hand import AND, TOUCHING, XOR, csv_of, proof_of


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


ROWS = [(0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1)]


def run(start=(0, 0, 0), **more):
    return {"kind": "PLA", "start": list(start), "visited": walked(ROWS, start)[0], **more}


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
    "kind": "optimum", "errors": "logistic", "weights": [math.log(2), 0], "C": None,
    "columns": [0, 1], "rows": [0, 4], "null_space": [],
}  # fmt: skip

# by symmetry w = (0, c), and the best c solves c = 2 C theta(c)
TWO = csv_of([(-1, "n"), (1, "y")])
PENALISED = {**LOGISTIC, "weights": [0, 1.2], "C": 2, "columns": [0], "rows": [1]}

PROOFS = [
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
