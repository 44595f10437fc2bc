"""Attacks on how the table is read."""

import hashlib
import json
from typing import Any

from tests.hostile.attacks.building import (
    COLUMN,
    NO,
    NOT_VERIFIED,
    NUMBERS,
    REFUSED,
    SIGNS,
    XOR,
    add,
    fewest,
    proof,
    separable,
)  # fmt: skip

AT_15 = separable(-15, 1)
BOB = b"x,who,y\n2,'Bob,no\n9,Cy,no\n8,Dan',yes\n0,Al,no\n"
HIDDEN = b'x,who,y\n1,"a\n9,b,no\n2,c",no\n8,d,yes\n'
ODD = b"5,no\n10,no\n20,yes\n"
NAMES = b"x,y\n10,no\n20,yes\n"
SIXTEEN = "x,y\n10,no\n20,yes\n".encode("utf-16-le")
EATEN = "x|who|y\n10|\u00e9|no\n20|\u00e9|yes\n31|\u00e9|no\n".encode()
GAPS = b"x  y\n10 no\n20 yes\n31  no\n"
MISSED = b"x,y\n10,no\n20,yes\n?,no\n?,yes\n"
WEIGHED = b"x,w,y\n10,1,no\n20,1,yes\n31,-1,no\n"
FEW = b"x,w,y\n10,0.1,no\n20,1,yes\n31,1,no\n"


def read(name: str, data: bytes, claim: dict, answer: str = REFUSED, **table: Any) -> None:
    add(name, data, proof(data, [claim], **table), answer)


def signs(name: str, claim: dict, **column: Any) -> None:
    read(name, SIGNS, claim, columns=[{**COLUMN, **column}])


def numbers(name: str, answer: str = REFUSED, **table: Any) -> None:
    read(name, NUMBERS, AT_15, answer, **table)


for mark in (*"0123456789e+-n;x", ",", ""):
    read(f"the decimal mark is {mark!r}", NUMBERS, separable("-f", "1"), dialect={"decimal": mark})
for mark in ("'", "B", "o", "`", "\u2019", "|", "''", "\n", "\\"):
    read(f"rows are swallowed by the quote {mark!r}", BOB, separable(-1, 1), columns=[COLUMN],
         dialect={"quote": mark})  # fmt: skip
for name, text in {
    "after a blank": b'x,who,y\n2, "Bob,no\n9,Cy,no\n8,Dan",yes\n0,Al,no\n',
    "within a cell": b'x,who,y\n2,B"ob,no\n9,Cy,no\n8,D"an,yes\n0,Al,no\n',
    "never closed": b'x,who,y\n2,Bob,no\n9,"Cy,no\n8,Dan,yes\n0,Al,no\n',
    "closed within a cell": b'x,who,y\n2,"Bob,no\n9,Cy,no\n8,Dan"x,yes\n0,Al,no\n',
    "doubled outside quotes": b'x,who,y\n2,""Bob,no\n9,Cy"",no\n8,Dan,yes\n0,Al,no\n',
}.items():
    for quote in ('"', ""):
        read(f"a quote {name}, read with {quote or 'no quotes'}", text, separable(-1, 1),
             columns=[COLUMN], dialect={"quote": quote})  # fmt: skip
read("rows within real quotes are read as rows", HIDDEN, separable(-10, 1), columns=[COLUMN],
     dialect={"quote": ""})  # fmt: skip
for name, row in {"a blank first cell": b" ,31,no\n", "a long cell": b"l" * 200_000}.items():
    data = b"who,x,y\na,10,no\nb,20,yes\n" + row + (b",5,no\nc,31,no\n" if len(row) > 9 else b"")
    told = proof(data, [AT_15])
    told["table"]["columns"] = told["table"]["columns"][1:]
    add(f"a row is swallowed by {name}", data, told, NOT_VERIFIED)
read("the first row is read as names", ODD, AT_15)
read("the names are read as a row", NAMES, AT_15, dialect={"header": False})
for encoding in (
    "hz", "iso2022_jp", "iso2022_jp_2", "iso2022_kr", "utf-7", "utf-16-le", "utf-16-be", "utf-32",
    "punycode", "idna", "unicode_escape", "raw_unicode_escape", "cp037", "cp500", "cp1140", "rot13",
    "hex", "zlib", "UTF-8", "U8", "l1", "ascii", "cp65001", "undefined", "", "../utf-8",
):  # fmt: skip
    numbers(f"the encoding is {encoding!r}", dialect={"encoding": encoding})
read("utf-16 without a mark", SIXTEEN, AT_15, dialect={"encoding": "utf-16"}, columns=[COLUMN],
     label={"index": 1})  # fmt: skip
for encoding in ("gb18030", "big5", "shift_jis", "euc-kr", "latin-1", "cp1252"):
    read(f"utf-8 is read as {encoding}", EATEN, AT_15, columns=[COLUMN], label={"index": 2},
         dialect={"encoding": encoding, "delimiter": "|"})  # fmt: skip
for mark in ("1", "", "\n", "\r", ",,", "a", ":", "+", '"', "\0", "\u2028", "tab", "blank"):
    numbers(f"the delimiter is {mark!r}", dialect={"delimiter": mark})
read("double blanks make empty cells", GAPS, AT_15, dialect={"delimiter": " "}, label={"index": 1},
     columns=[{**COLUMN, "missing": [""]}])  # fmt: skip
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
    read(
        name, text, AT_15, NOT_VERIFIED, columns=[{**COLUMN, "missing": ["?"]}], label={"index": 1}
    )
for text in ("31", "10", "no", "yes", " ", "0", "na", "NAN", "\n", "31 "):
    numbers(f"{text!r} counts as missing", columns=[{**COLUMN, "missing": ["", text]}])
    numbers(f"{text!r} counts as no label", NOT_VERIFIED, label={"unlabelled": [text]})
signs("a minus beside a plus counts as missing", separable(1, 0), levels=["+", "*"], missing=["-"])
signs("a minus is a level and missing", separable(1, 0), levels=["+", "-"], missing=["-"])
signs("a missing value is a level", separable(1, 0), levels=["?", "NA"])
signs("a level is left out", separable(-1, 2), levels=["+", "*"])
signs("a level stands twice", separable(-1, 2, 0), levels=["+", "-", "-"])
signs("missing values are filled in by an unknown level", separable(1, 0), levels=["+", "-"],
      missing=["?"], fill="*")  # fmt: skip
for value in ("31", True, [31], float("inf"), 10**400):
    told = proof(MISSED, [AT_15], columns=[{**COLUMN, "missing": ["", "?"], "fill": value}])
    add(f"missing values are filled in by {str(value)[:20]}", MISSED,
        json.dumps(told).replace("Infinity", "1e999").encode())  # fmt: skip
for yes, no in ((["yes", "no"], ["no"]), (["yes"], []), ([], ["no"]), (["yes", "yes"], ["no"]),
                (["yes"], ["no", ""]), (["yes", " ? "], ["no"])):  # fmt: skip
    numbers(f"labels {yes} against {no}", label={"yes": yes, "no": no})
read("yes and no are exchanged", XOR, separable(-1, 2, 2), NO, label={"yes": ["no"], "no": ["yes"]})
for index in (-1, 2, 1.5, True, None, "0", 2**64):
    told = proof(XOR, [separable(-15, 1, 1)])
    told["table"]["columns"][1]["index"] = index
    add(f"a column at {index!r}", XOR, told)
LABEL = {"index": 1, "levels": ["no", "yes"], "fill": None, "missing": []}
numbers("the label is a feature", columns=[{**COLUMN, "missing": ["", "?"]}, LABEL])
numbers("the weight is a feature", weight={"index": 0})
numbers("the weight is the label", weight={"index": 1})
read("a weight times its cost is no double", FEW, fewest([], -15, 1, cost_wrong_yes=5e-324),
     weight={"index": 1}, columns=[COLUMN])  # fmt: skip
read("a negative weight leaves a row out", WEIGHED, AT_15, weight={"index": 1}, columns=[COLUMN])
add("another table of the same name", XOR, proof(NUMBERS, [AT_15], name="xor.csv"))
numbers("a hash in capitals", sha256=hashlib.sha256(NUMBERS).hexdigest().upper())
for name in ("path", "skip_rows", "comment", "rows_read", "filter"):
    numbers(f"a member of the table called {name}", **{name: 1})
    numbers(f"a member of the dialect called {name}", dialect={name: "#"})
