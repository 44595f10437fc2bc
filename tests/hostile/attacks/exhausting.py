"""Attacks that take long or much."""

import json
from typing import Any

from tests.hostile.attacks.building import (
    CYCLE,
    LINE,
    NOT_VERIFIED,
    XOR,
    add,
    attack,
    fewest,
    proof,
    separable,
)


def long_table(n: int, d: int) -> bytes:
    rows = (
        ",".join(str((k * 7919 * (j + 3)) % 1009) for j in range(d)) + (",yes" if k % 3 else ",no")
        for k in range(n)
    )
    head = ",".join([*(f"x{j}" for j in range(d)), "y"])
    return "\n".join([head, *rows]).encode() + b"\n"


@attack()
def _() -> tuple[bytes, dict]:
    """exhausts: one column listed 20,000 times."""
    data = long_table(2000, 1)
    told = proof(data, [separable(*[1] * 20_001)])
    told["table"]["columns"] *= 20_000
    return data, told


@attack()
def _() -> tuple[bytes, dict]:
    """exhausts: levels listed 900 times."""
    data = b"c,y\n" + b"".join(
        b"l%d,%s\n" % (k % 97, b"yes" if k % 2 else b"no") for k in range(3000)
    )
    told = proof(data, [separable(*[1] * (900 * 96 + 1))])
    column = {"levels": [f"l{k}" for k in range(97)], "fill": None, "missing": []}
    told["table"]["columns"] = [{"index": 0, **column} for _ in range(900)]
    return data, told


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a column of 20,000 levels over 20,000 rows."""
    data = b"c,y\n" + b"".join(b"l%d,%s\n" % (k, b"yes" if k % 2 else b"no") for k in range(20_000))
    told = proof(data, [separable(*[1] * 20_000)])
    told["table"]["columns"][0]["levels"] = [f"l{k}" for k in range(20_000)]
    return data, told


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a rank of 300 rows by 300 columns, five times."""
    data = long_table(301, 299)
    rows = list(range(301))
    claim = {"kind": "diverging", "null_space": [], "independent": rows, "rows": [],
             "multipliers": [], "free": [], "lines": [], "directions": []}  # fmt: skip
    return data, proof(data, [claim] * 5)


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: vectors of 300 long fractions, 40 of them."""
    data = long_table(301, 299)
    vector = [f"1/{(1 << 4000) + 2 * k + 1:x}" for k in range(300)]
    claim = {"kind": "diverging", "null_space": [vector] * 40, "independent": [0], "rows": [],
             "multipliers": [], "free": [], "lines": [], "directions": []}  # fmt: skip
    return data, proof(data, [claim])


for name, tree in {
    "2^25 zeros": b"[" + b"0," * (2**25 - 1) + b"0]",
    "2^25 lists": b"[" + b"[]," * (2**24) + b"0]",
    "2^27 blanks": b" " * 2**27,
    "4 million zeros": b"[" + b"0," * (2**22 - 2) + b"0]",
    "4 million numbers": b"[" + b"123456789012345," * (2**22 - 2) + b"0]",
    "1.4 million lists": b"[" + b"[]," * (2**22 // 3 - 2) + b"0]",
    "1.3 million lists of a number": b"[" + b"[9999]," * 1_300_000 + b"0]",
    "3.9 million texts": b"[" + b'"123456789a",' * 3_900_000 + b"0]",
    "a text of characters that take four bytes": '["\U0001f600'.encode()
    + b"f" * 66_000_000
    + b'"]',
    "a number of 10^6 digits": b"[" + b"7" * 10**6 + b"]",
    "nesting of 10^5": b"[" * 10**5 + b"]" * 10**5,
    "a hexadecimal of 10^7 digits": b'["' + b"f" * 10**7 + b'"]',
}.items():
    add(f"exhausts: a member that unpacks to {name}", XOR, proof(XOR, [fewest(tree, -1, 2, 0)]))
del tree

for name, value in {"10^6 digits": "1" * 10**6, "4,000 digits": "1" * 4000}.items():
    text = json.dumps(proof(LINE, [separable(-2.5, 1)])).replace("-2.5", value)
    add(f"exhausts: an integer of {name}", LINE, text.encode(), NOT_VERIFIED)
add("exhausts: nesting of 10^5 lists", LINE, b"[" * 10**5 + b"]" * 10**5)
add("exhausts: nesting of 10^5 objects", LINE, b'{"a":' * 10**5 + b"1" + b"}" * 10**5)
text = json.dumps(proof(LINE, [separable(-2.5, 1)])).replace('"claim": []', '"claim": ["%s"]')
add(
    "exhausts: nesting of 900 lists in a word",
    LINE,
    text.replace('"%s"', "[" * 900 + "]" * 900).encode(),
)


@attack()
def _() -> tuple[bytes, bytes]:
    """exhausts: six million members."""
    return LINE, text.replace('"%s"', ",".join(['""'] * 6_000_000)).encode()


@attack()
def _() -> tuple[bytes, bytes]:
    """exhausts: a proof of 80 MB of blanks."""
    return LINE, text.replace('"%s"', " " * 80_000_000).encode()


@attack()
def _() -> tuple[bytes, dict]:
    """exhausts: 11,000 claims."""
    return LINE, proof(LINE, [separable(-2.5, 1)] * 11_000)


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: 9,000 false claims at the end of true ones, over 3,000 rows."""
    data = long_table(3000, 5)
    return data, proof(
        data, [{"kind": "mistakes", "weights": [1] * 6}] * 8_999 + [separable(*[1] * 6)]
    )


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: weights of 60,000 digits over 3,000 rows."""
    data = long_table(3000, 5)
    weights = [f"{'f' * 30_000}/{'1' * 20_000}{k}" for k in range(1, 7)]
    return data, proof(data, [{"kind": "mistakes", "weights": weights}, separable(*weights)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: dual shares of 3,000 different denominators."""
    data = long_table(3000, 5)
    dual = [f"1/{10**6 + 2 * k + 1:x}" for k in range(3000)]
    return data, proof(data, [{"kind": "least squares", "weights": [1] * 6, "dual": dual}])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: cores of 400 long denominators on one row."""
    cores = [{**CYCLE, "share": f"1/{(1 << 2000) + 2 * k + 1:x}"} for k in range(400)]
    return XOR, proof(XOR, [{"kind": "mistakes at least", "cores": cores}, separable(1, 1, 1)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: 300,000 updates of PLA on values far apart."""
    data = b"x,y\n1e300,no\n-1e-300,yes\n"
    claim = {"kind": "PLA", "start": [0, 0], "visited": [0, 1] * 150_000}
    return data, proof(data, [claim])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: values of 1e308 and 5e-324 in 2,000 rows of 30 columns."""
    cells = ("1e308", "5e-324", "-1e308", "3e-320")
    rows = (
        ",".join(cells[(k * j + j) % 4] for j in range(1, 31)) + (",yes" if k % 3 else ",no")
        for k in range(2000)
    )
    data = "\n".join([",".join([*(f"x{j}" for j in range(30)), "y"]), *rows]).encode() + b"\n"
    return data, proof(data, [separable(*[1] * 31)] * 3)


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: cases that double 40 times."""
    tree: Any = [[0, 0, 1, 1, 1, 2, 1, 3, 1]]
    for _ in range(40):
        tree = [0, [], tree]
    return XOR, proof(XOR, [fewest([[0, 1, 2], [], [[9, 1, tree]]], -1, 2, 0)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a lemma by boxes of 300 by 300 on 300 rows."""
    data = long_table(301, 299)
    chart = [[(i * j * j + i) % 97 for j in range(300)] for i in range(300)]
    lemma = [[], list(range(300)), [], chart, 1, [[]] * 600]
    return data, proof(data, [fewest([list(range(300)), [], [lemma] * 5], *[1] * 300)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: boxes that are halved two million times."""
    data = long_table(40, 2)
    steps = [5, 0, 3] * 700_000
    lemma = [[], [0, 1, 2], [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1000, [steps] * 6]
    return data, proof(data, [fewest([[0, 1, 2], [], [lemma]], *[1] * 3)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a million slabs cut off boxes."""
    data = long_table(2000, 2)
    steps = [0, 0, 0] * 1_000_000
    lemma = [[], [0, 1, 2], [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 10_000, [steps] * 6]
    return data, proof(data, [fewest([[0, 1, 2], [], [lemma]], *[1] * 3)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: parts and weights of 60,000 digits."""
    data = long_table(3000, 2)
    tree = [[0, 1, 2], [], [[1, "f" * 60_000, []]]]
    return data, proof(data, [fewest(tree, *[1] * 3, unit=f"1/{'f' * 60_000}")])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a header of 50,000 columns, all of them features."""
    d = 50_000
    head = ",".join([*(f"x{j}" for j in range(d)), "y"])
    rows = (",".join(["1"] * d) + end for end in (",yes", ",no"))
    data = "\n".join([head, *rows]).encode() + b"\n"
    claim = {"kind": "diverging", "null_space": [], "independent": [0], "rows": [],
             "multipliers": [], "free": [], "lines": [], "directions": []}  # fmt: skip
    return data, proof(data, [claim])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a cell of 100,000 digits."""
    data = b"x,y\n1" + b"0" * 100_000 + b",no\n1,yes\n"
    return data, proof(data, [separable(1, 1)])


@attack(NOT_VERIFIED)
def _() -> tuple[bytes, dict]:
    """exhausts: a table of 300,000 rows with one claim on all of them."""
    data = long_table(300_000, 3)
    return data, proof(data, [separable(*[1] * 4)])
