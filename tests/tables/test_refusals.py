"""Files that are no tables of two labels: each is refused with the place and the way out."""

import pytest

from separatrix.data import InputError
from separatrix.tables import MISSING_TOKENS, read_table
from tests.tables.files import PLAIN

ROWS = "".join(f"{k},{k},no\n" for k in range(99_000))  # large enough for the fast reader
LONG = "x" * 200_000
WEIGHTS = {
    "1 -2 1": r"line 3, column 'w': the weight is negative \(-2.0\)",
    "1 nan 1": "line 3, column 'w': the weight is missing", "0 0 0": "zero in every row",
    "1 inf 1": "line 3, column 'w': 'inf' is infinite",
    "1 x 1": "line 3, column 'w': 'x' is not a number",
    "true false true": "line 2, column 'w': 'true' is not a number",
}  # fmt: skip
DATES = ("2020-01-31", "2020-01-31T10:00", "31/01/2020", "1.2.2020", "12:30", "3 Jan 2020",
         "January 3, 2020", "2020-01")  # fmt: skip
REFUSED = [
    # the text
    *((content, {}, "t.csv is empty") for content in ("", "\n\n  \n", b"\xef\xbb\xbf")),
    ("a,label\n", {}, "header line and no rows"),
    ('a,b,label\n1,"two\nlines",no\n3,4\n5,6,yes\n', {},
     "t.csv, line 4: 2 fields where the first line has 3"),
    (f"a,b,label\n{ROWS}1,2,3,yes\n", {}, "line 99002: 4 fields"),
    (f"a,b,label\n1,2,no\n{LONG},3,yes\n", {}, "line 3: a field is longer than 131,072"),
    (f"a,b,label\n{ROWS}{LONG},3,yes\n", {}, "line 99002: a field is longer than 131,072"),
    ("a,b,a,label\n1,2,3,no\n", {}, r"2 columns are called 'a' \(columns 1 and 3\)"),
    (b"a,label\n\x001,no\n", {}, r"byte 8 is NUL.*encoding=.utf-16-le"),
    ("a,label\n1\0,no\n".encode("utf-16-be"), {"encoding": "utf-16-be"}, "byte 18 is NUL"),
    *((b"a,label\n+A,no\n\xff", {"encoding": codec}, "encoding|utf-7")
      for codec in ("klingon", "zip", "rot13", "utf-7")),
    *((PLAIN, {"delimiter": mark}, "delimiter must be one character")
      for mark in ("", ",,", "\n", '"')),
    ('a,label\n1,no\n"2,yes\n3,no\n', {}, "line 3: a quote is opened.*quote"),
    ('a,label\n"x"y,no\nz,yes\n', {}, "line 2: a closing quote is followed"),
    # its cells
    ("a,b,label\n1,,no\n,2,yes\n", {}, r"every row.*'a' \(1\), 'b' \(1\).*missing=.fill"),
    ("a,b,label\n,1,no\nNA,2,yes\n", {}, r"'a' has no value in any row.*drop=\['a'\]"),
    ("label\nno\nyes\n", {}, "no feature column left"),
    *((f"a,label\n1,no\n{text},yes\n", {}, f"line 3, column 'a': '{text}' is infinite.*drop")
      for text in ("inf", "-Infinity", "1e999", "INF")),
    *((f"a,label\n{text},no\n1,yes\n", {}, "line 2, column 'a'")  # that parsers might let pass
      for text in ("1_000", "٣", "0x10", "1e", "--1", "1 2", "1d5", "-nan", "1.2.3")),
    *((f"a,label\n{text},no\n{text},yes\n", {}, "line 2, column 'a'")
      for text in ("1_000", "٣", "0x10", "1d5", "1 000")),
    *((f'a;label\n"{text}";no\n"{text}";yes\n', {},
       r"line 2, column 'a'.*date or a time.*text=\['a'\].*drop") for text in DATES),
    # labels and other columns
    ("a,label\n1,no\n", {}, "one label only"),
    ("a,label\n1,yes\n2,yes\n", {}, "one label only, 'yes'"),
    ("a,label\n1,yes\n2,yes\n?,no\n", {}, "one label only, 'yes'.*rows of 'no' lack a value"),
    (PLAIN, {"yes": "maybe"}, "yes='maybe'.*'no', 'yes'"),
    ("a,label\n" + "".join(f"{k},{k / 7}\n" for k in range(40)), {}, "continuous.*measurements"),
    *((f"a,label\n1,x\n2,{token}\n", {}, "never guessed") for token in MISSING_TOKENS),
    (PLAIN, {"label": "lable"}, r"no column 'lable' \(label\).*'label'"),
    (PLAIN, {"label": None}, "label=NAME.*'age', 'income', 'label'"),
    *((PLAIN, {option: name}, rf"'incme' \({option}\).*'income'")
      for option, name in (("drop", ["incme"]), ("weight", "incme"), ("group", "incme"),
                           ("text", ["incme"]))),
    *(("a,w,label\n" + "".join(f"1,{w},{y}\n" for w, y in zip(weights.split(), ("no", "yes", "yes"),
                                                             strict=True)),
       {"weight": "w"}, words) for weights, words in WEIGHTS.items()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "options", "words"), REFUSED, ids=lambda given: str(given)[:40]
)
def test_what_cannot_be_read_is_refused(write, content, options, words):
    with pytest.raises(InputError, match=words):
        read_table(write(content), **{"label": "label", **options})
