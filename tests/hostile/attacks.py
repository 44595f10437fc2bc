"""Proofs built by hand to deceive `verify.py` or to exhaust it, each under the name of its attack.

`ATTACKS` maps names to functions that return (table, proof file, what may be answered).
"""

from __future__ import annotations

import base64
import copy
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
WIDE = b"".join(
    b"%d,%d,%s\n" % (k * k % 17, k * 7 % 5, b"yes" if k % 3 else b"no") for k in range(60)
)


def proof(data: bytes, claims: list[dict], **table: Any) -> dict:
    """A proof about a CSV file with a header whose last column is the label."""
    d = data.split(b"\n", 1)[0].count(b",")
    column = {"levels": None, "fill": None, "missing": ["", "?"]}
    dialect = {"delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."}
    dialect |= table.pop("dialect", {})
    label = {"index": d, "yes": ["yes"], "no": ["no"], "unlabelled": []} | table.pop("label", {})
    return {
        "format": "separatrix proof", "version": 1, "claim": [], "intercept": True,
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
    assert name not in ATTACKS
    ATTACKS[name] = lambda: (data, text, answer)


def attack(answer: str = REFUSED) -> Callable[[Callable[[], tuple[bytes, dict | bytes]]], Attack]:
    """Add an attack that is built when it is used, under the words of its docstring."""

    def keep(build: Callable[[], tuple[bytes, dict | bytes]]) -> Attack:
        def built() -> tuple[bytes, bytes, str]:
            data, told = build()
            return data, told if isinstance(told, bytes) else json.dumps(told).encode(), answer

        ATTACKS[(build.__doc__ or "").rstrip(".")] = built
        return built

    return keep


def packed(tree: Any) -> str:
    text = tree if isinstance(tree, bytes) else json.dumps(tree, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def fewest(tree: Any, *weights: Any, **more: Any) -> dict:
    """A claim on the fewest mistakes."""
    return {
        "kind": "fewest mistakes", "weights": list(weights), "cost_wrong_yes": 1.0,
        "cost_wrong_no": 1.0, "unit": 1, "proof": packed(tree), **more,
    }  # fmt: skip


# ---------------------------------------------------------------------- how the table is read

for mark in "0123456789e+-n;x":
    told = proof(NUMBERS, [separable("-f", "1")], dialect={"decimal": mark})
    add(f"the decimal mark is {mark!r}", NUMBERS, told)
add("the decimal mark is the delimiter", NUMBERS,
    proof(NUMBERS, [separable("-f", "1")], dialect={"decimal": ","}))  # fmt: skip
add("the decimal mark is empty", NUMBERS,
    proof(NUMBERS, [separable("-f", "1")], dialect={"decimal": ""}))  # fmt: skip

BOB = b"x,who,y\n2,'Bob,no\n9,Cy,no\n8,Dan',yes\n0,Al,no\n"
for mark in ("'", "B", "o", "`", "\u2019", "|", "''", "\n", "\\"):
    columns = [{"index": 0, "levels": None, "fill": None, "missing": []}]
    told = proof(BOB, [separable(-1, 1)], columns=columns, dialect={"quote": mark})
    add(f"rows are swallowed by the quote {mark!r}", BOB, told)
for name, text in {
    "after a blank": b'x,who,y\n2, "Bob,no\n9,Cy,no\n8,Dan",yes\n0,Al,no\n',
    "within a cell": b'x,who,y\n2,B"ob,no\n9,Cy,no\n8,D"an,yes\n0,Al,no\n',
    "never closed": b'x,who,y\n2,Bob,no\n9,"Cy,no\n8,Dan,yes\n0,Al,no\n',
    "closed within a cell": b'x,who,y\n2,"Bob,no\n9,Cy,no\n8,Dan"x,yes\n0,Al,no\n',
    "doubled outside quotes": b'x,who,y\n2,""Bob,no\n9,Cy"",no\n8,Dan,yes\n0,Al,no\n',
}.items():
    for quote in ('"', ""):
        columns = [{"index": 0, "levels": None, "fill": None, "missing": []}]
        told = proof(text, [separable(-1, 1)], columns=columns, dialect={"quote": quote})
        add(f"a quote {name}, read with {quote or 'no quotes'}", text, told)
HIDDEN = b'x,who,y\n1,"a\n9,b,no\n2,c",no\n8,d,yes\n'
add("rows within real quotes are read as rows", HIDDEN, proof(
    HIDDEN, [separable(-10, 1)], dialect={"quote": ""},
    columns=[{"index": 0, "levels": None, "fill": None, "missing": []}]))  # fmt: skip

for name, row in {"a blank first cell": b" ,31,no\n", "a long cell": b"l" * 200_000}.items():
    data = b"who,x,y\na,10,no\nb,20,yes\n" + row + (b",5,no\nc,31,no\n" if len(row) > 9 else b"")
    told = proof(data, [separable(-15, 1)])
    told["table"]["columns"] = told["table"]["columns"][1:]
    add(f"a row is swallowed by {name}", data, told, NOT_VERIFIED)
ODD = b"5,no\n10,no\n20,yes\n"
add("the first row is read as names", ODD, proof(ODD, [separable(-15, 1)]))
NAMES = b"x,y\n10,no\n20,yes\n"
add("the names are read as a row", NAMES,
    proof(NAMES, [separable(-15, 1)], dialect={"header": False}))  # fmt: skip
for encoding in (
    "hz", "iso2022_jp", "iso2022_jp_2", "iso2022_kr", "utf-7", "utf-16-le", "utf-16-be", "utf-32",
    "punycode", "idna", "unicode_escape", "raw_unicode_escape", "cp037", "cp500", "cp1140", "rot13",
    "hex", "zlib", "UTF-8", "U8", "l1", "ascii", "cp65001", "undefined", "", "../utf-8",
):  # fmt: skip
    told = proof(NUMBERS, [separable(-15, 1)], dialect={"encoding": encoding})
    add(f"the encoding is {encoding!r}", NUMBERS, told)
SIXTEEN = "x,y\n10,no\n20,yes\n".encode("utf-16-le")
add("utf-16 without a mark", SIXTEEN, proof(
    SIXTEEN, [separable(-15, 1)], dialect={"encoding": "utf-16"},
    columns=[{"index": 0, "levels": None, "fill": None, "missing": []}],
    label={"index": 1}))  # fmt: skip
EATEN = "x|who|y\n10|\u00e9|no\n20|\u00e9|yes\n31|\u00e9|no\n".encode()
for encoding in ("gb18030", "big5", "shift_jis", "euc-kr", "latin-1", "cp1252"):
    told = proof(EATEN, [separable(-15, 1)], dialect={"encoding": encoding, "delimiter": "|"})
    told["table"] |= {"columns": [{"index": 0, "levels": None, "fill": None, "missing": []}]}
    told["table"]["label"]["index"] = 2
    add(f"utf-8 is read as {encoding}", EATEN, told)
for mark in ("1", "", "\n", "\r", ",,", "a", ":", "+", '"', "\0", "\u2028", "tab", "blank"):
    told = proof(NUMBERS, [separable(-15, 1)], dialect={"delimiter": mark})
    add(f"the delimiter is {mark!r}", NUMBERS, told)
GAPS = b"x  y\n10 no\n20 yes\n31  no\n"
add("double blanks make empty cells", GAPS, proof(
    GAPS, [separable(-15, 1)], dialect={"delimiter": " "}, label={"index": 1},
    columns=[{"index": 0, "levels": None, "fill": None, "missing": [""]}]))  # fmt: skip
for name, text in {
    "a bare CR hides a row": b"x,y\n10,no\r31,no\n20,yes\n",
    "NUL ends a cell": b"x,y\n10,no\n20,yes\n31,no\0\n",
    "a row too long": b"x,y\n10,no\n20,yes\n31,no,1\n",
    "a row too short": b"x,y\n10,no\n20,yes\n31\n",
    "a no-break blank before a number": b"x,y\n10,no\n20,yes\n\xc2\xa031,no\n",
    "digits of another script": "x,y\n10,no\n20,yes\n\u0663\u0661,no\n".encode(),
    "a number with an underscore": b"x,y\n10,no\n20,yes\n3_1,no\n",
    "a number in hexadecimal": b"x,y\n10,no\n20,yes\n0x1f,no\n",
    "infinity": b"x,y\n10,no\n20,yes\ninf,no\n",
    "a number beyond doubles": b"x,y\n10,no\n20,yes\n1e999,no\n",
    "a label with a blank": b"x,y\n10,no\n20,yes\n31,no \n",
    "a label in capitals": b"x,y\n10,no\n20,yes\n31,No\n",
    "a label of another script": "x,y\n10,no\n20,yes\n31,n\u043e\n".encode(),
    "two byte-order marks": b"\xef\xbb\xbf\xef\xbb\xbfx,y\n10,no\n20,yes\n31,no\n",
    "a table that is not utf-8": b"x,y\n10,no\n20,yes\n31,n\xe9\n",
    "a quoted nothing between rows": b'x,y\n10,no\n""\n20,yes\n',
    "no rows at all": b"x,y\n",
    "an empty table": b"",
    "a table of blanks": b" \n\t\n \n",
    "one label only": b"x,y\n10,no\n20,no\n",
}.items():
    told = proof(text, [separable(-15, 1)])
    told["table"] |= {"columns": [{"index": 0, "levels": None, "fill": None, "missing": ["?"]}]}
    told["table"]["label"]["index"] = 1
    add(name, text, told, NOT_VERIFIED)

for text in ("31", "10", "no", "yes", " ", "0", "na", "NAN", "\n", "31 "):
    told = proof(NUMBERS, [separable(-15, 1)])
    told["table"]["columns"][0]["missing"] = ["", text]
    add(f"{text!r} counts as missing", NUMBERS, told)
    told = proof(NUMBERS, [separable(-15, 1)], label={"unlabelled": [text]})
    add(f"{text!r} counts as no label", NUMBERS, told, NOT_VERIFIED)
SIGNED = {"index": 0, "fill": None}
add("a minus beside a plus counts as missing", SIGNS, proof(
    SIGNS, [separable(1, 0)],
    columns=[{**SIGNED, "levels": ["+", "*"], "missing": ["-"]}]))  # fmt: skip
add("a minus is a level and missing", SIGNS, proof(
    SIGNS, [separable(1, 0)],
    columns=[{**SIGNED, "levels": ["+", "-"], "missing": ["-"]}]))  # fmt: skip
add("a missing value is a level", SIGNS, proof(
    SIGNS, [separable(1, 0)],
    columns=[{**SIGNED, "levels": ["?", "NA"], "missing": []}]))  # fmt: skip
add("a level is left out", SIGNS, proof(
    SIGNS, [separable(-1, 2)],
    columns=[{**SIGNED, "levels": ["+", "*"], "missing": []}]))  # fmt: skip
add("a level stands twice", SIGNS, proof(
    SIGNS, [separable(-1, 2, 0)],
    columns=[{**SIGNED, "levels": ["+", "-", "-"], "missing": []}]))  # fmt: skip
MISSED = b"x,y\n10,no\n20,yes\n?,no\n?,yes\n"
for value in ("31", True, [31], float("inf"), 10**400):
    told = proof(MISSED, [separable(-15, 1)])
    told["table"]["columns"][0]["fill"] = value
    add(f"missing values are filled in by {str(value)[:20]}", MISSED,
        json.dumps(told).replace("Infinity", "1e999").encode())  # fmt: skip
add("missing values are filled in by an unknown level", SIGNS, proof(
    SIGNS, [separable(1, 0)],
    columns=[{"index": 0, "levels": ["+", "-"], "missing": ["?"], "fill": "*"}]))  # fmt: skip
for yes, no in ((["yes", "no"], ["no"]), (["yes"], []), ([], ["no"]), (["yes", "yes"], ["no"]),
                (["yes"], ["no", ""]), (["yes", " ? "], ["no"])):  # fmt: skip
    told = proof(NUMBERS, [separable(-15, 1)], label={"yes": yes, "no": no})
    add(f"labels {yes} against {no}", NUMBERS, told)
add("yes and no are exchanged", XOR, proof(
    XOR, [separable(-1, 2, 2)], label={"yes": ["no"], "no": ["yes"]}), NO)  # fmt: skip
for index in (-1, 2, 1.5, True, None, "0", 2**64):
    told = proof(XOR, [separable(-15, 1, 1)])
    told["table"]["columns"][1]["index"] = index if index != 2 else 2
    add(f"a column at {index!r}", XOR, told)
told = proof(NUMBERS, [separable(-15, 1)])
add("the label is a feature", NUMBERS, told | {"table": told["table"] | {
    "columns": [*told["table"]["columns"],
                {"index": 1, "levels": ["no", "yes"], "fill": None, "missing": []}]}})  # fmt: skip
add("the weight is a feature", NUMBERS, proof(NUMBERS, [separable(-15, 1)], weight={"index": 0}))
add("the weight is the label", NUMBERS, proof(NUMBERS, [separable(-15, 1)], weight={"index": 1}))
WEIGHED = b"x,w,y\n10,1,no\n20,1,yes\n31,-1,no\n"
FEW = b"x,w,y\n10,0.1,no\n20,1,yes\n31,1,no\n"
add("a weight times its cost is no double", FEW, proof(
    FEW, [fewest([], -15, 1, cost_wrong_yes=5e-324)], weight={"index": 1},
    columns=[{"index": 0, "levels": None, "fill": None, "missing": []}]))  # fmt: skip
add("a negative weight leaves a row out", WEIGHED, proof(
    WEIGHED, [separable(-15, 1)], weight={"index": 1},
    columns=[{"index": 0, "levels": None, "fill": None, "missing": []}]))  # fmt: skip
add("another table of the same name", XOR, proof(NUMBERS, [separable(-15, 1)], name="xor.csv"))
add("a hash in capitals", NUMBERS, proof(
    NUMBERS, [separable(-15, 1)], sha256=hashlib.sha256(NUMBERS).hexdigest().upper()))  # fmt: skip
for name in ("path", "skip_rows", "comment", "rows_read", "filter"):
    told = proof(NUMBERS, [separable(-15, 1)])
    told["table"][name] = 1
    add(f"a member of the table called {name}", NUMBERS, told)
    told = copy.deepcopy(proof(NUMBERS, [separable(-15, 1)]))
    told["table"]["dialect"][name] = "#"
    add(f"a member of the dialect called {name}", NUMBERS, told)

# ---------------------------------------------------------------------- false claims

CYCLE = {"rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}
LINE = b"x,y\n1,no\n2,no\n3,yes\n4,yes\n"
for name, data, claim in (
    ("a line that does not separate", NUMBERS, separable(-15, 1)),
    ("a line of zeros", LINE, separable(0, 0)),
    ("a line through a row", LINE, separable(-3, 1)),
    ("a line that is right to 300 digits", LINE, separable("-3", "1/1" + "0" * 300)),
    ("multipliers that do not cancel", LINE, {"kind": "not separable", **CYCLE}),
    ("rows that do not span", b"x,y\n1,no\n1,yes\n2,yes\n",
     {"kind": "overlapping", "rows": [0, 1], "multipliers": ["1", "1"], "null_space": []}),
    ("a null space that is none", XOR,
     {"kind": "overlapping", **CYCLE, "null_space": [["1", "0", "0"]]}),
    ("a touching line with a row on its wrong side", XOR,
     {"kind": "touching", **CYCLE, "weights": [1, 0, 0]}),
    ("a touching line with all rows on it", b"x,y\n1,no\n1,yes\n",
     {"kind": "touching", "rows": [0, 1], "multipliers": ["1", "1"], "weights": [-1, 1]}),
    ("a margin of a line that does not separate", XOR,
     {"kind": "margin", **CYCLE, "weights": [-1, 1, 1]}),
    ("cores that share a row", XOR,
     {"kind": "mistakes at least", "cores": [{**CYCLE, "share": 1}] * 2}),
    ("a core of negative share", XOR,
     {"kind": "mistakes at least", "cores": [{**CYCLE, "share": 5}, {**CYCLE, "share": -4}]}),
    ("an update of PLA on a row that was right", LINE,
     {"kind": "PLA", "start": [0, 0], "visited": [2, 2, 2]}),
    ("residuals that are not orthogonal", LINE,
     {"kind": "least squares", "weights": [-2.5, 1], "dual": [1, 1, 1, 1]}),
    ("dual shares that do not balance", LINE,
     {"kind": "logistic", "weights": [-2.5, 1], "dual": [0.5, 0.5, 0.5, 0.25]}),
    ("dual shares above one", LINE,
     {"kind": "logistic", "weights": [-2.5, 1], "dual": [2, 2, 2, 2]}),
    ("a free direction that is left out", LINE,
     {"kind": "diverging", "null_space": [], "independent": [0, 1], "rows": [], "multipliers": [],
      "free": [], "lines": [], "directions": []}),
    ("a bound by cores of nothing", XOR,
     fewest([[0, 1, 2], [], [[3, 1, []]]], -1, 2, 0)),
    ("a bound by a core that does not cancel", XOR,
     fewest([[0, 1, 2], [], [[1, 1, [[1, 0, 1, 1, 1]]]]], -1, 2, 0)),
    ("a bound by a core used twice", XOR,
     fewest([[0, 1, 2], [], [[2, 1, [[1, 0, 1, 1, 1, 2, 1, 3, 1]] * 2]]], -1, 2, 0)),
    ("columns that do not suffice", XOR, fewest([[0], [], [[1, 1, []]]], -1, 2, 0)),
    ("boxes on faces that are left open", XOR,
     fewest([[0, 1, 2], [], [[[], [0, 1, 2], [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, [[]] * 6]]],
            -1, 2, 0)),
    ("a singular chart", XOR,
     fewest([[0, 1, 2], [], [[[], [0, 1, 2], [], [[1, 0, 0], [1, 0, 0], [0, 0, 1]], 1,
                              [[1, 0, 0]] * 6]]], -1, 2, 0)),
    ("a chart without faces", XOR,
     fewest([[0, 1, 2], [], [[[], [0, 1, 2], [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, []]]],
            -1, 2, 0)),
    ("a negative amount", XOR, fewest([[0, 1, 2], [], [[1, 1, [[-1, 0, 1]]]]], -1, 2, 0)),
    ("a lemma on some of the rows", XOR,
     fewest([[0, 1, 2], [], [[[0], [0], [], [[1]], 0, [[], []]]]], -1, 2, 0)),
    ("a unit of zero", XOR, fewest([], -1, 2, 0, unit=0)),
    ("a cost in words", XOR, fewest([], -1, 2, 0, cost_wrong_no="1")),
    ("a member that is not packed", XOR, {**fewest([], -1, 2, 0), "proof": []}),
    ("a negative cost", XOR, fewest([], -1, 2, 0, cost_wrong_no=-1.0)),
    ("a negative unit, by which equal rows contradict each other", b"x,y\n1,yes\n1,yes\n2,no\n",
     fewest([], -2, 1, unit=-1)),
    ("a weight without a penalty by a negative C", LINE,
     {"kind": "logistic", "weights": [-2.5, 1], "dual": [0.5] * 4, "C": -1}),
    ("a claim of no kind", XOR, {"weights": [1, 1, 1]}),
    ("a claim of a kind unknown", XOR, {"kind": "true"}),
):  # fmt: skip
    add(f"false: {name}", data, proof(data, [claim]), NOT_VERIFIED)
add("false: no claim at all", XOR, proof(XOR, []))
add("false: a true claim before a false one", LINE,
    proof(LINE, [separable(-2.5, 1), separable(-3.5, 1)]), NO)  # fmt: skip
TRUE = json.dumps(proof(LINE, [separable(-2.5, 1)]))
for name, text in {
    "a member that stands twice": TRUE.replace('"version"', '"claims": [], "version"'),
    "NaN as a weight": TRUE.replace("-2.5", "NaN"),
    "infinity as a weight": TRUE.replace("-2.5", "-Infinity"),
    "1e999 as a weight": TRUE.replace("-2.5", "-1e999"),
    "true as a weight": TRUE.replace("-2.5", "true"),
    "a byte-order mark": "\ufeff" + TRUE,
    "a second object": TRUE + TRUE,
    "a comment": TRUE.replace("{", "{ // c\n", 1),
    "half of the file": TRUE[: len(TRUE) // 2],
    "another version": TRUE.replace('"version": 1', '"version": 2'),
    "the version true": TRUE.replace('"version": 1', '"version": true'),
    "another format": TRUE.replace("separatrix proof", "proof"),
    "a list": f"[{TRUE}]",
    "a number of hexadecimals in capitals": TRUE.replace("-2.5", '"-F/2"'),
    "a number in words": TRUE.replace("-2.5", '"two"'),
    "a denominator of zero": TRUE.replace("-2.5", '"-5/0"'),
    "a negative denominator": TRUE.replace("-2.5", '"5/-2"'),
}.items():
    add(f"the file has {name}", LINE, text.encode("utf-8", "surrogatepass"))

# ---------------------------------------------------------------------- what takes long or much


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
