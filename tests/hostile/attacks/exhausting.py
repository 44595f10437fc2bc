"""Attacks that take long or much; built when they are used."""

import json
from typing import Any

from tests.hostile.attacks.building import (
    COLUMN,
    CYCLE,
    LINE,
    NOT_VERIFIED,
    REFUSED,
    UNIT,
    XOR,
    add,
    fewest,
    later,
    proof,
    separable,
)  # fmt: skip


def long_table(n: int, d: int, cells: Any = lambda k, j: str((k * 7919 * (j + 3)) % 1009)) -> bytes:
    rows = (",".join(cells(k, j) for j in range(d)) + (",no", ",yes")[k % 3 > 0] for k in range(n))
    return "\n".join([",".join([*(f"x{j}" for j in range(d)), "y"]), *rows]).encode() + b"\n"


def levels(n: int, k: int) -> bytes:
    lines = (b"l%d,%s\n" % (i % k, b"yes" if i % 2 else b"no") for i in range(n))
    return b"c,y\n" + b"".join(lines)


def told(data: bytes, *claims: dict, **table: Any) -> tuple[bytes, dict]:
    return data, proof(data, list(claims), **table)


def diverging(**changed: Any) -> dict:
    names = ("null_space", "rows", "multipliers", "free", "lines", "directions")
    return {"kind": "diverging", **{name: [] for name in names}, "independent": [0], **changed}


def doubled(times: int) -> Any:
    tree: Any = [[0, 0, 1, 1, 1, 2, 1, 3, 1]]
    for _ in range(times):
        tree = [0, [], tree]
    return tree


def boxes(scale: int, steps: list[int]) -> dict:
    lemma = [[], [0, 1, 2], [], UNIT, scale, [steps] * 6]
    return fewest([[0, 1, 2], [], [lemma]], *[1] * 3)


def large_boxes() -> dict:
    chart = [[(i * j * j + i) % 97 for j in range(300)] for i in range(300)]
    lemma = [[], list(range(300)), [], chart, 1, [[]] * 600]
    return fewest([list(range(300)), [], [lemma] * 5], *[1] * 300)


LONG = [f"{'f' * 30_000}/{'1' * 20_000}{k}" for k in range(1, 7)]
FAR = ("1e308", "5e-324", "-1e308", "3e-320")
TEXT = json.dumps(proof(LINE, [separable(-2.5, 1)]))
WORD = TEXT.replace('"claim": []', '"claim": ["%s"]')


def share(k: int, size: int) -> str:
    return f"1/{size + 2 * k + 1:x}"


for name, answer, build in (
    ("one column listed 20,000 times", REFUSED, lambda: told(
        long_table(2000, 1), separable(*[1] * 20_001), columns=[COLUMN] * 20_000)),
    ("levels listed 900 times", REFUSED, lambda: told(
        levels(3000, 97), separable(*[1] * (900 * 96 + 1)),
        columns=[{**COLUMN, "levels": [f"l{k}" for k in range(97)]}] * 900)),
    ("a column of 20,000 levels over 20,000 rows", NOT_VERIFIED, lambda: told(
        levels(20_000, 20_000), separable(*[1] * 20_000),
        columns=[{**COLUMN, "levels": [f"l{k}" for k in range(20_000)]}])),
    ("a rank of 300 rows by 300 columns, five times", NOT_VERIFIED, lambda: told(
        long_table(301, 299), *[diverging(independent=list(range(301)))] * 5)),
    ("vectors of 300 long fractions, 40 of them", NOT_VERIFIED, lambda: told(
        long_table(301, 299),
        diverging(null_space=[[share(k, 1 << 4000) for k in range(300)]] * 40))),
    ("six million members", REFUSED, lambda: (
        LINE, WORD.replace('"%s"', ",".join(['""'] * 6_000_000)).encode())),
    ("a proof of 80 MB of blanks", REFUSED, lambda: (
        LINE, WORD.replace('"%s"', " " * 80_000_000).encode())),
    ("11,000 claims", REFUSED, lambda: told(LINE, *[separable(-2.5, 1)] * 11_000)),
    ("9,000 false claims at the end of true ones, over 3,000 rows", NOT_VERIFIED, lambda: told(
        long_table(3000, 5), *[{"kind": "mistakes", "weights": [1] * 6}] * 8_999,
        separable(*[1] * 6))),
    ("weights of 60,000 digits over 3,000 rows", NOT_VERIFIED, lambda: told(
        long_table(3000, 5), {"kind": "mistakes", "weights": LONG}, separable(*LONG))),
    ("an optimum with weights of 60,000 digits over 3,000 rows", NOT_VERIFIED, lambda: told(
        long_table(3000, 5), {"kind": "optimum", "errors": "logistic", "weights": LONG,
                              "columns": [*range(6)], "rows": [*range(6)], "null_space": []})),
    ("cores of 400 long denominators on one row", NOT_VERIFIED, lambda: told(
        XOR, {"kind": "mistakes at least",
              "cores": [{**CYCLE, "share": share(k, 1 << 2000)} for k in range(400)]},
        separable(1, 1, 1))),
    ("300,000 updates of PLA on values far apart", NOT_VERIFIED, lambda: told(
        b"x,y\n1e300,no\n-1e-300,yes\n",
        {"kind": "PLA", "start": [0, 0], "visited": [0, 1] * 150_000})),
    ("values of 1e308 and 5e-324 in 2,000 rows of 30 columns", NOT_VERIFIED, lambda: told(
        long_table(2000, 30, lambda k, j: FAR[k * (j + 1) % 4]), *[separable(*[1] * 31)] * 3)),
    ("cases that double 40 times", NOT_VERIFIED, lambda: told(
        XOR, fewest([[0, 1, 2], [], [[9, 1, doubled(40)]]], -1, 2, 0))),
    ("a lemma by boxes of 300 by 300 on 300 rows", NOT_VERIFIED, lambda: told(
        long_table(301, 299), large_boxes())),
    ("boxes that are halved two million times", NOT_VERIFIED, lambda: told(
        long_table(40, 2), boxes(1000, [5, 0, 3] * 700_000))),
    ("a million slabs cut off boxes", NOT_VERIFIED, lambda: told(
        long_table(2000, 2), boxes(10_000, [0, 0, 0] * 1_000_000))),
    ("parts and weights of 60,000 digits", NOT_VERIFIED, lambda: told(
        long_table(3000, 2), fewest([[0, 1, 2], [], [[1, "f" * 60_000, []]]], *[1] * 3,
                                    unit=f"1/{'f' * 60_000}"))),
    ("a header of 50,000 columns, all of them features", NOT_VERIFIED, lambda: told(
        long_table(2, 50_000, lambda *_: "1"), diverging())),
    ("a cell of 100,000 digits", NOT_VERIFIED, lambda: told(
        b"x,y\n1" + b"0" * 100_000 + b",no\n1,yes\n", separable(1, 1))),
    ("a table of 300,000 rows with one claim on all of them", NOT_VERIFIED, lambda: told(
        long_table(300_000, 3), separable(*[1] * 4))),
):  # fmt: skip
    later(f"exhausts: {name}", build, answer)

for name, tree in {
    "2^25 zeros": lambda: b"[" + b"0," * (2**25 - 1) + b"0]",
    "2^25 lists": lambda: b"[" + b"[]," * (2**24) + b"0]",
    "2^27 blanks": lambda: b" " * 2**27,
    "4 million zeros": lambda: b"[" + b"0," * (2**22 - 2) + b"0]",
    "4 million numbers": lambda: b"[" + b"123456789012345," * (2**22 - 2) + b"0]",
    "1.4 million lists": lambda: b"[" + b"[]," * (2**22 // 3 - 2) + b"0]",
    "1.3 million lists of a number": lambda: b"[" + b"[9999]," * 1_300_000 + b"0]",
    "3.9 million texts": lambda: b"[" + b'"123456789a",' * 3_900_000 + b"0]",
    "a text of four bytes a character": lambda: '["\U0001f600'.encode() + b"f" * 66_000_000 + b'"]',
    "a number of 10^6 digits": lambda: b"[" + b"7" * 10**6 + b"]",
    "nesting of 10^5": lambda: b"[" * 10**5 + b"]" * 10**5,
    "a hexadecimal of 10^7 digits": lambda: b'["' + b"f" * 10**7 + b'"]',
}.items():  # fmt: skip
    later(
        f"exhausts: a member that unpacks to {name}",
        lambda tree=tree: (XOR, proof(XOR, [fewest(tree(), -1, 2, 0)])),
    )
for name, value in {"10^6 digits": "1" * 10**6, "4,000 digits": "1" * 4000}.items():
    add(f"exhausts: an integer of {name}", LINE, TEXT.replace("-2.5", value).encode(), NOT_VERIFIED)
add("exhausts: nesting of 10^5 lists", LINE, b"[" * 10**5 + b"]" * 10**5)
add("exhausts: nesting of 10^5 objects", LINE, b'{"a":' * 10**5 + b"1" + b"}" * 10**5)
NESTED = WORD.replace('"%s"', "[" * 900 + "]" * 900).encode()
add("exhausts: nesting of 900 lists in a word", LINE, NESTED)
