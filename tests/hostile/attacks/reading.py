"""Attacks on how the table is read."""

import copy
import hashlib
import json

from tests.hostile.attacks.building import (
    NO,
    NOT_VERIFIED,
    NUMBERS,
    SIGNS,
    XOR,
    add,
    fewest,
    proof,
    separable,
)

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
FEW = b"x,w,y\n10,0.1,no\n20,1,yes\n31,2.5,no\n"
for cost in (5e-324, 1e308):
    add(f"a weight times its cost of {cost} is no double", FEW, proof(
        FEW, [fewest([], -15, 1, cost_wrong_yes=cost)], weight={"index": 1},
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
