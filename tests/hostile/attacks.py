"""Proofs built by hand to deceive `verify.py` or to exhaust it, each under the name of its attack.

`ATTACKS` maps names to functions that return (table, proof file, what may be answered).
"""

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
CORE = {"rows": CYCLE["rows"]}
LINE = b"x,y\n1,no\n2,no\n3,yes\n4,yes\n"
UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def proof(data: bytes, claims: list[dict], **table: Any) -> dict:
    """A proof about a CSV file whose last column is the label."""
    d = data.split(b"\n", 1)[0].count(b",")
    label = {"index": d, "classes": ["no", "yes"]} | table.pop("label", {})
    return {
        "format": "separatrix proof", "version": 6, "claim": [], "intercept": True,
        "claims": claims,
        "table": {
            "format": "csv", "files": [{"sha256": hashlib.sha256(data).hexdigest()}],
            "label": label, "columns": list(range(d)), **table,
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


OPTIMUM = {
    "kind": "optimum", "errors": "logistic", "weights": [-2.5, 1], "columns": [0, 1],
    "rows": [0, 3], "null_space": [],
}  # fmt: skip

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
    ("cores that share a row", XOR,
     {"kind": "mistakes at least", "cores": [{**CORE, "share": 1}] * 2}),
    ("a core of negative share", XOR,
     {"kind": "mistakes at least", "cores": [{**CORE, "share": 5}, {**CORE, "share": -4}]}),
    ("a core that no multipliers cancel", XOR,
     {"kind": "mistakes at least", "cores": [{"rows": [0, 1, 2], "share": 1}]}),
    ("a core that only a multiplier below 0 cancels", LINE,
     {"kind": "mistakes at least", "cores": [{"rows": [0, 1, 2], "share": 1}]}),
    ("an update of PLA on a row that was right", LINE,
     {"kind": "PLA", "start": [0, 0], "visited": [2, 2, 2]}),
    ("residuals that are not orthogonal to all columns", LINE,
     {**OPTIMUM, "errors": "least squares", "columns": [0], "rows": [0]}),
    ("an optimum of logistic regression where there is none", LINE, OPTIMUM),
    ("an optimum by a row that is to balance two columns", LINE,
     {**OPTIMUM, "errors": "least squares", "rows": [0]}),
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
     fewest([[0, 1, 2], [],
                [[[], [0, 1, 2], [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, [[]] * 6]]], -1, 2, 0)),
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
     {**OPTIMUM, "C": -1}),
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
    "another version": TRUE.replace('"version": 6', '"version": 7'),
    "the version true": TRUE.replace('"version": 6', '"version": true'),
    "another format": TRUE.replace("separatrix proof", "proof"),
    "a list": f"[{TRUE}]",
    "a number of hexadecimals in capitals": TRUE.replace("-2.5", '"-F/2"'),
    "a number in words": TRUE.replace("-2.5", '"two"'),
    "a denominator of zero": TRUE.replace("-2.5", '"-5/0"'),
    "a negative denominator": TRUE.replace("-2.5", '"5/-2"'),
}.items():
    add(f"the file has {name}", LINE, text.encode("utf-8", "surrogatepass"))


AT_15 = separable(-15, 1)
WEIGHED = b"x,w,y\n10,1,no\n20,1,yes\n31,-1,no\n"
FEW = b"x,w,y\n10,0.1,no\n20,1,yes\n31,1,no\n"


def read(name: str, data: bytes, claim: dict, answer: str = REFUSED, **table: Any) -> None:
    add(name, data, proof(data, [claim], **table), answer)


def signs(name: str, claim: dict, *levels: Any) -> None:
    read(name, SIGNS, claim, columns=[{"index": 0, "levels": [*levels]}])


def numbers(name: str, answer: str = REFUSED, **table: Any) -> None:
    read(name, NUMBERS, AT_15, answer, **table)


for name, text in {
    "after a blank": b'x,who,y\n2, "Bob,no\n9,Cy,no\n8,Dan",yes\n0,Al,no\n',
    "of another kind": b"x,who,y\n2,'Bob,no\n9,Cy,no\n8,Dan',yes\n0,Al,no\n",
    "within a cell": b'x,who,y\n2,B"ob,no\n9,Cy,no\n8,D"an,yes\n0,Al,no\n',
    "never closed": b'x,who,y\n2,Bob,no\n9,"Cy,no\n8,Dan,yes\n0,Al,no\n',
    "closed within a cell": b'x,who,y\n2,"Bob,no\n9,Cy,no\n8,Dan"x,yes\n0,Al,no\n',
    "doubled outside quotes": b'x,who,y\n2,""Bob,no\n9,Cy"",no\n8,Dan,yes\n0,Al,no\n',
    "around several lines": b'x,who,y\n1,"a\n9,b,no\n2,c",no\n8,d,yes\n',
}.items():
    read(f"rows are swallowed by a quote {name}", text, separable(-1, 1), NOT_VERIFIED, columns=[0])
for name, row in {"a blank first cell": b" ,31,no\n", "a long cell": b"l" * 200_000}.items():
    data = b"who,x,y\na,10,no\nb,20,yes\n" + row + (b",5,no\nc,31,no\n" if len(row) > 9 else b"")
    read(f"a row is swallowed by {name}", data, AT_15, NOT_VERIFIED, columns=[1])
read("the first row is read as names", b"5,no\n10,no\n20,yes\n", AT_15)
for name, text in {
    "a bare CR hides a row": b"x,y\n10,no\r31,no\n20,yes\n",
    "NUL ends a cell": b"x,y\n10,no\n20,yes\n31,no\0\n",
    "a row too long": b"x,y\n10,no\n20,yes\n31,no,1\n",
    "a row too short": b"x,y\n10,no\n20,yes\n31\n",
    "a blank line": b"x,y\n10,no\n\n20,yes\n",
    "a number that is missing": b"x,y\n10,no\n20,yes\n?,no\n",
    "no number at all": b"x,y\n10,no\n20,yes\n,no\n",
    "a decimal comma": b'x,y\n10,no\n20,yes\n"3,1",no\n',
    "a blank before a number": b"x,y\n10,no\n20,yes\n 31,no\n",
    "a no-break blank before a number": b"x,y\n10,no\n20,yes\n\xc2\xa031,no\n",
    "digits of another script": "x,y\n10,no\n20,yes\n\u0663\u0661,no\n".encode(),
    "a number with an underscore": b"x,y\n10,no\n20,yes\n3_1,no\n",
    "a number in hexadecimal": b"x,y\n10,no\n20,yes\n0x1f,no\n",
    "infinity": b"x,y\n10,no\n20,yes\ninf,no\n",
    "a number beyond doubles": b"x,y\n10,no\n20,yes\n1e999,no\n",
    "a label with a blank": b"x,y\n10,no\n20,yes\n31,no \n",
    "a label that is missing": b"x,y\n10,no\n20,yes\n31,\n",
    "a label in capitals": b"x,y\n10,no\n20,yes\n31,No\n",
    "a label of another script": "x,y\n10,no\n20,yes\n31,n\u043e\n".encode(),
    "a byte-order mark": b"\xef\xbb\xbfx,y\n10,no\n20,yes\n31,no\n",
    "a table that is not utf-8": b"x,y\n10,no\n20,yes\n31,n\xe9\n",
    "a table in utf-16": "x,y\n10,no\n20,yes\n".encode("utf-16"),
    "a quoted nothing between rows": b'x,y\n10,no\n""\n20,yes\n',
    "no rows at all": b"x,y\n",
    "an empty table": b"",
    "a table of blanks": b" \n\t\n \n",
    "one label only": b"x,y\n10,no\n20,no\n",
    "semicolons": b"x;y\n10;no\n20;yes\n",
    "a column without a name": b",y\n10,no\n20,yes\n",
    "a name of unseen characters": "x\u200b,y\n10,no\n20,yes\n".encode(),
}.items():
    read(name, text, AT_15, NOT_VERIFIED, columns=[0], label={"index": 1})
read("two columns of one name", b"x,x,y\n10,1,no\n20,2,yes\n", AT_15, columns=[0])
signs("a level is left out", separable(-1, 2), "+", "*")
signs("one level", separable(1, 0), "+")
signs("a level stands twice", separable(-1, 2, 0), "+", "-", "-")
signs("a level is no text", separable(1, 0), "+", None)
signs("two levels of one name", separable(1, 0), "+", "-", "\u200b")
for yes, no in (
    ("yes", "yes"),
    ("yes", None),
    ("yes", ["no"]),
    (["yes"], "no"),
    ("yes", "n" * 201),
):
    numbers(f"labels {str(yes)[:9]} against {str(no)[:9]}", label={"classes": [no, yes]})
read("yes and no are exchanged", XOR, separable(-1, 2, 2), NO, label={"classes": ["yes", "no"]})
for index in (-1, 2, 1.5, True, None, "0", 2**64):
    told = proof(XOR, [separable(-15, 1, 1)])
    told["table"]["columns"][1] = index
    add(f"a column at {index!r}", XOR, told)
numbers("the label is a feature", columns=[0, {"index": 1, "levels": ["no", "yes"]}])
numbers("the weight is a feature", weight=0)
numbers("the weight is the label", weight=1)
numbers("the weight is a column that there is not", weight=2)
read("a weight times its cost is no double", FEW, fewest([], -15, 1, cost_wrong_yes=5e-324),
     weight=1, columns=[0])  # fmt: skip
read("a negative weight leaves a row out", WEIGHED, AT_15, weight=1, columns=[0])
read("a weight of 0 leaves a row out", WEIGHED.replace(b"-1", b"0"), AT_15, weight=1, columns=[0])
add(
    "another table of the same name",
    XOR,
    proof(
        NUMBERS, [AT_15], files=[{"name": "xor.csv", "sha256": hashlib.sha256(NUMBERS).hexdigest()}]
    ),
)
numbers("a hash in capitals", files=[{"sha256": hashlib.sha256(NUMBERS).hexdigest().upper()}])
for name in ("path", "skip_rows", "comment", "rows", "filter", "dialect", "sha256", "missing"):
    numbers(f"a member of the table called {name}", **{name: 1})
for form in ("npy", "csr", "CSV", "parquet", "", None, 1):
    numbers(f"the format is {form!r}", format=form)


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
        long_table(2000, 1), separable(*[1] * 20_001), columns=[0] * 20_000)),
    ("levels listed 900 times", REFUSED, lambda: told(
        levels(3000, 97), separable(*[1] * (900 * 96 + 1)),
        columns=[{"index": 0, "levels": [f"l{k}" for k in range(97)]}] * 900)),
    ("a column of 20,000 levels over 20,000 rows", NOT_VERIFIED, lambda: told(
        levels(20_000, 20_000), separable(*[1] * 20_000),
        columns=[{"index": 0, "levels": [f"l{k}" for k in range(20_000)]}])),
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
