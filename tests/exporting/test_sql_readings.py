"""Every reading that `check` can propose, in exported SELECTs: the scores of `predict`."""

import datetime
import itertools
import re
import shutil
import sys
import warnings

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix import InputError, LogisticRegression, to_sql
from separatrix.exporting.cells import SPACES, folds
from separatrix.exporting.dialects import DIALECTS
from separatrix.tables import read_rows
from separatrix.tables.frames import raw_of_frame
from separatrix.tables.read import rows_of_raw
from separatrix.tables.recipes import Amounts
from tests.exporting.databases import DATABASES, WAYS, answered, learned, postgresql
from tests.hostile.profile import cases

OWN = {name: way for name, way in WAYS.items() if way[0] != "any"}
UNITS = ["$5", "$ 5", "-$5", "$-5", "$ - 5", "($5)", "( $ 5 )", "5$", "5 $", "+5 $", "(5 $)",
         "−$5", "−5", "-5", "+5", "--5", "-$-5", "-(5)", "(-5)", "(5", "5)", "$5$", "$ 5 $",
         "€5", "US$5", "5 -", "5-", "$", "()", "", "?", "NA", None]  # fmt: skip
NUMBERS = ["1,000", "1,000.5", "1,000.", ".5", "5.", ".", ",", "0,100", "00,100", "1,00",
           "1,0000", "0001,000", "12,345,678.9", "1,234,5", "1'000", "1’000.25", "1 000",
           "1\u202f000", "1  000", "1,000'000", "1.000", "1.000,5", "1.000.000", "1.000.000,5",
           "12,5", "1,5.5", "1..5", "1.5.5", "1e5", "g5", "5g", "0g", "1,000g", "9" * 64,
           "9" * 65, "٣", "1_000", "#5", "5#", "#", "x", "0", "-0", "007.50", "inf", "5 5",
           "5 000 000", "1 0", "\u00a05", "5\t"]  # fmt: skip
DATES = ["2025-08-31", "2025/8/1", "2025.12.1", "2025-8/31", "31/08/2025", "1.9.2025",
         "31-8-2025", "31.02.2025", "29.2.2024", "29.2.2023", "29.2.1900", "29.2.2000",
         "2024-02-30", "0000-01-01", "0001-01-01", "9999-12-31", "2025-13-01", "2025-00-10",
         "2025-01-00", "31.4.2025", "30.4.2025", "08/31/2025", "12/11/2025", "13/13/2025",
         "1/1/25", "20250831", "2025-08-311", "12025-08-31", "x2025-08-31", "2025-08-31x",
         "2025-8-1-", "", "?", "-", None, "soon", "5", "٣/8/2025"]  # fmt: skip
TIMES = ["T10:30", " 10:30", ", 10:30", " T 10:30:05", " 10:30:05.25", " 9:05:05,123456789",
         "T1030", " 10:30 am", " 10:30\u202fPM", " 10:30 p.m.", " 10:30A.M", " 10:30 aM. +01:00",
         "T10:30Z", "T10:30+0100", "T10:30 -01:00", "T10:30+1", "T10:30z", " 10:30:", " 10:3",
         " 110:30", "T", " T", " 10:30 a m", " 10:30 AMPM", "T10:30ZZ", "T10:30Z+0100",
         " 10:30:05.", " 10:30\n", " 10:30 \nAM", " 10:30 #", " 10:30 A", " 10:30ZAM",
         " 10:30:00.0.0", " 25:99:99", "\t10:30", " \u00a010:30"]  # fmt: skip

TIMED = [
    day + time for day in ("2025-08-31", "1/9/2025", "2025.8.3", "13/12/2025") for time in TIMES
]


@pytest.fixture
def model_of(tmp_path):
    """A model of a column of these texts, learned from a file."""

    def make(cells, degree=1, delimiter="|", **options):
        path = tmp_path / "t.csv"
        rows = [f"{cell}|{k}|{'ny'[k % 2]}" for k, cell in enumerate(cells)]
        path.write_text("\n".join(["c|n|label", *rows]) + "\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            options = {"missing": "drop", "delimiter": "|"} | options
            model, *_ = learned(
                path, LogisticRegression(C=1.0), degree=degree, label="label", **options
            )
        return model

    return make


def predicted(model, cells, tmp_path):
    """The score of each cell, in a file with n = 3; None where `predict` refuses it alone."""
    table, path, n = model.table_, tmp_path / "new.parquet", [3.0] * len(cells)
    try:
        if len(cells) > 1 or table.decimal != ".":
            kind = pa.string() if set(cells) == {None} else None
            pq.write_table(pa.table({"c": pa.array(cells, kind), "n": n}), path)
            rows = read_rows(path, table.encoding, recipes=table.recipes, decimal=table.decimal)
        else:  # a frame takes a tenth of the time of a file, and has no decimal mark of its own
            c = pl.Series(cells, dtype=pl.String if cells == [None] else None)
            raw = raw_of_frame(pl.DataFrame({"c": c, "n": n}))
            rows = rows_of_raw(raw, table.encoding, (), table.recipes, match_names=True)
        return model.decision_function(table.encoding.encode(rows.columns, rows.lines)).tolist()
    except InputError:
        if len(cells) == 1:
            return [None]
        return [score for cell in cells for score in predicted(model, [cell], tmp_path)]


def in_database(model, cells, way, kinds=("TEXT", "REAL")):
    dialect, make = way
    con = make(
        ["k", "c", "n"], [list(range(len(cells))), cells, [3.0] * len(cells)], kinds=["", *kinds]
    )
    return [
        score
        for *_, score in sorted(answered(con, to_sql(model, "t", dialect=dialect, keep=["k"])))
    ]


def assert_answers(model, cells, want, ways=WAYS):
    """Assert that databases give the scores wanted; "any" takes no tabs off."""
    for name, way in ways.items():
        got = in_database(model, cells, way)
        some = zip(cells, got, want, strict=True)
        same = [c for c, g, w in some if g == w or (way[0] == "any" and c != c.strip("\t\n"))]
        assert same == cells, (
            name,
            [row for row in zip(cells, got, want, strict=True) if row[0] not in same],
        )


AMOUNTS = {
    "money": (["$1,000.50", "$2", "$ 3", "$-4", "($5)", "6"], {"parse": ["money", "thousands"]}),
    "euros": (["€ 1.730,50", "€ 2", "3 €", "-4", "€ 5", "6 €"], {"parse": ["money"]}),
    "thousands": (["10,204.60", "1,000", "3", "4.5", "5", "6"], {"parse": ["thousands"]}),
    "commas": (["10.204,60", "1.000,0", "3", "4,5", "5", "6"], {"parse": ["thousands"]}),
    "percent": (["3.64 %", "10 %", "-2%", "(4 %)", "5%", "6%"], {"parse": ["percent", "money"]}),
    "rupees": (["Rs 5", "Rs 6", "Rs 7", "8", "Rs 9", "5 Rs"], {"parse": ["money"]}),
    "francs": (["Fr. 5", "Fr.6", "Fr. 7.5", "8", "Fr. 9", "5 Fr."], {"parse": ["money"]}),
}


def amounts_with(unit):
    return [*NUMBERS, *(t and t.replace("$", unit) for t in UNITS),
            *(f"{s}{unit}{n}" for n in NUMBERS for s in ("", "-")),
            *(f"{n} {unit}" for n in NUMBERS), "Rs.5", "Rs..5", "Rs5", "5.Rs", "Fr..5",
            "Fr.5"]  # fmt: skip


def with_each(kinds, hows):
    """Each kind with one of the ways, in turn, and the first with all; in a long run all pairs."""
    in_turn = zip(kinds, itertools.cycle(hows), strict=False)
    short = [*in_turn, *((next(iter(kinds)), how) for how in hows[1:])]
    return cases(short, list(itertools.product(kinds, hows)))


MISSING = ["drop", "fill", "level"]


@pytest.mark.parametrize(("kind", "missing"), with_each(AMOUNTS, MISSING))
def test_amounts(model_of, tmp_path, kind, missing):
    texts, options = AMOUNTS[kind]
    texts = texts if missing == "drop" else [*texts, "", "?"]
    model = model_of(texts, missing=missing, **options)
    how = next(r.how for r in model.table_.recipes if r.column == "c")
    cells = [*texts, *amounts_with(how.unit or "$")]
    want = predicted(model, cells, tmp_path)
    assert sum(score is not None for score in want) > 10
    assert_answers(model, cells, want, OWN if how.decimal == "," else WAYS)


DAYS = {
    "day-first": ["31/08/2025", "1/9/2025", "2.9.2025", "2025-09-05", "3/9/2025", "04/09/2025"],
    "month-first": ["08/31/2025", "9/1/2025", "9/2/2025", "2025-09-05", "9/3/2025", "09/04/2025"],
    "year-first": [
        "2025-08-31", "2025/09/01", "2025-9-2 10:30", "2025-09-05", "2025-09-03", "2025-09-04",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("order", "missing"), with_each(DAYS, MISSING))
def test_dates(model_of, tmp_path, order, missing):
    texts = DAYS[order] if missing == "drop" else [*DAYS[order], "", "NA"]
    model = model_of(texts, parse=["dates"], missing=missing)
    assert model.table_.recipes[0].how.order == order
    cells = [*texts, *DATES, *TIMED]
    want = predicted(model, cells, tmp_path)
    assert sum(score is not None for score in want) > 20
    assert_answers(model, cells, want)


def test_every_day_of_centuries(model_of):
    model = model_of(DAYS["day-first"], parse=["dates"])
    first = datetime.date.fromisoformat(model.table_.recipes[0].how.first)
    days = [datetime.date.fromordinal(k) for k in range(1, 3652059, 373)]
    cells = [f"{d.day}/{d.month}/{d.year:04}" for d in days]
    X = [[float((d - first).days), 3.0] for d in days]
    want = model.decision_function(X).tolist()
    assert_answers(model, cells, want)


LEVELS = {
    "fold": (["Yes", "yes", "YES ", "no", "No", "n", "y", "maybe so"], {"fold_case": True}),
    "words": (["Yes", "yes", "Y", "no", "No", "n", "y", "YES"], {"fold_case": True}),
    "german": (["Straße", "STRASSE", "ÄHRE", "ähre", "New  York", "new\u00a0york", "fine", "Fine"],
               {"fold_case": True}),
    "greek": (["ΟΔΟΣ", "οδός", "Οδος", "οδος", "ΤΡΕΙΣ", "τρεις", "ЩИ", "щи"], {"fold_case": True}),
    "rare": (["a", "a", "b", "b", "c", "it's", "a", "b"], {"group_rare": 2}),
    "folded and rare": (["Bonn", "bonn", "BONN", "Ulm", "ulm", "Köln", "koeln", "bonn"],
                        {"fold_case": True, "group_rare": 2}),
    "all rare": (["a", "b", "c", "d", "e", "f", "g", "h"], {"group_rare": 2}),
    "plain": (["a", "a", "b", "b", "c", "C", "a", "b"], {}),
    "codes": (["1", "01", "1", "2", "2", "3", "01", "3"], {"text": ["c"], "group_rare": 2}),
}  # fmt: skip
SPELLINGS = [str.upper, str.lower, str.title, str.swapcase, lambda t: f"\u00a0 {t}\u3000",
             lambda t: f" {t}", lambda t: t.replace(" ", "\u2003\t "),
             lambda t: t.replace("ss", "ẞ"), lambda t: t + "\u0307",
             lambda t: t.replace("s", "ſ").replace("i", "İ"), lambda t: t.replace("fi", "ﬁ"),
             lambda t: t.replace("k", "\u212a"), lambda t: t.replace(" ", "")]  # fmt: skip


def spelled(texts):
    new = [
        *texts, "", "NA", "n/a", "none", "NONE", "?", "-", "other", "(rare)", "(missing)", "Y", "i",
    ]  # fmt: skip
    return [*dict.fromkeys([*new, *(how(t) for how in SPELLINGS for t in new)]), None]


@pytest.mark.parametrize(
    ("kind", "how"), with_each(LEVELS, [("drop", 1), ("fill", 2), ("level", 1), ("level", 2)])
)
def test_levels(model_of, tmp_path, kind, how):
    (texts, options), (missing, degree) = LEVELS[kind], how
    texts = texts if missing == "drop" else [*texts, "", "NA", "?"]
    model = model_of(texts, degree, missing=missing, **options)
    cells = spelled(texts)
    want = predicted(model, cells, tmp_path)
    assert sum(score is not None for score in want) > 2
    assert_answers(model, cells, want)


@pytest.mark.parametrize("missing", MISSING)
def test_plain_numbers_with_a_decimal_comma_or_missing(model_of, tmp_path, missing):
    for decimal, texts in (
        (".", ["1.5", "2", "30", "4", "5.25", "6"]),
        (",", ["1,5", "2", "30", "4", "5,25", "6"]),
    ):
        model = model_of(
            [*texts, *([""] if missing != "drop" else [])], missing=missing, decimal=decimal
        )
        cells = [
            *texts, "1.5", "1,5", "1.000", "1,000", "1.000,5", " 7 ", "", "NA", "x", "1e3", "-,5",
            None,
        ]  # fmt: skip
        want = predicted(model, cells, tmp_path)
        assert_answers(
            model, cells, want, OWN if decimal == "," else {"": WAYS["any, SQLite"], **OWN}
        )


def test_columns_of_numbers_and_dates_are_read_as_such(model_of, tmp_path):
    numbers = [1.125, 2.5, None, 1e20, float("nan"), -3.0]
    for cells, options, numbers_too in (
        (["1.000,5", "2", "3"] * 2, {"parse": ["thousands"]}, True),
        (["€ 1.000", "2", "€ 3"] * 2, {"parse": ["money"]}, True),
        (["1 %", "2 %", "3,5 %"] * 2, {"parse": ["percent"]}, False),
        (["1,5", "2", "3"] * 2, {"decimal": ","}, True),
    ):
        model = model_of([*cells, ""], missing="fill", **options)
        assert model.table_.decimal == "," or model.table_.recipes
        want = predicted(model, numbers, tmp_path)
        assert [w is not None for w in want] == [
            numbers_too, numbers_too, True, numbers_too, True, numbers_too,
        ]  # fmt: skip
        for dialect, make in OWN.values():
            assert in_database(model, numbers, (dialect, make), ["REAL", "REAL"]) == want
    model = model_of(DAYS["day-first"], parse=["dates"])
    days = [
        datetime.date(2025, 9, 30),
        datetime.datetime(2024, 2, 29, 10, 30),
        datetime.date(1, 1, 1),
    ]
    want = [predicted(model, [day], tmp_path)[0] for day in days]
    for day, score in zip(days, want, strict=True):
        for dialect in ("any", "duckdb"):
            assert in_database(model, [day], (dialect, DATABASES["duckdb"])) == [score]


@pytest.mark.skipif(shutil.which("initdb") is None, reason="PostgreSQL is not installed")
def test_postgresql_reads_them_all(model_of, tmp_path):
    tables = [
        *((texts, options, None) for texts, options in AMOUNTS.values()),
        *((texts, {"parse": ["dates"]}, [*DATES, *TIMED]) for texts in DAYS.values()),
        *((texts, options, spelled(texts)) for texts, options in LEVELS.values()),
    ]
    script, want = [], []
    for k, (texts, options, others) in enumerate(tables):
        model = model_of([*texts, ""], missing="level", **options)
        how = next(r.how for r in model.table_.recipes if r.column == "c")
        cells = others or amounts_with(how.unit or "$")
        script.append(f"CREATE TABLE t{k} (k int, c text, n float8);")
        values = (f"({j}, {'NULL' if c is None else literal(c)}, 3)" for j, c in enumerate(cells))
        script.append(f"INSERT INTO t{k} VALUES {', '.join(values)};")  # noqa: S608
        scores = predicted(model, cells, tmp_path)
        for dialect in ["postgresql"] + ["any"] * (
            not isinstance(how, Amounts) or how.decimal == "."
        ):
            inner = to_sql(model, f"t{k}", dialect=dialect, keep=["k"])
            script.append(f"SELECT '{dialect} {k}', k, score FROM ({inner}) AS s ORDER BY k;")  # noqa: S608
            want += [(f"{dialect} {k}", c, s) for c, s in zip(cells, scores, strict=True)]
    with postgresql() as rows:
        got = rows("\n".join(script))
    assert len(got) == len(want)
    wrong = [
        (name, cell, score, there)
        for (name, cell, score), (*_, there) in zip(want, got, strict=True)
        if there != ("" if score is None else there)
        or (score is not None and float(there or "nan") != score)
    ]
    assert [w for w in wrong if not (w[0].startswith("any") and w[1] != w[1].strip("\t\n"))] == []


def test_the_text_for_sql_server_is_that_of_duckdb_but_for_four_templates(model_of, tmp_path):
    """No server runs here: all but how a cell becomes text or a number is run in DuckDB."""
    server, duck = DIALECTS["sqlserver"], DIALECTS["duckdb"]
    for texts, options, cells in [
        (*AMOUNTS["euros"], amounts_with("€")),
        (DAYS["day-first"], {"parse": ["dates"]}, [*DATES, *TIMED]),
        *((*LEVELS[kind], spelled(LEVELS[kind][0])) for kind in ("german", "folded and rare")),
    ]:
        model = model_of([*texts, ""], missing="level", **options)
        sql = to_sql(model, "t", dialect="sqlserver", keep=["k"])
        assert not any(word in sql for word in ("||", "MATERIALIZED", "TRUE", "::", "trim(BOTH"))
        for name in ("text", "is_text", "number"):
            for source in ('"t"."c"', '"t"."n"'):
                own, other = (getattr(way, name).format(c=source) for way in (server, duck))
                sql = sql.replace(own, other)
        assert not any(word in sql for word in ("nvarchar", "COLLATE", "VARIANT", "TRY_CONVERT"))
        rows = [list(range(len(cells))), cells, [3.0] * len(cells)]
        con = DATABASES["duckdb"](["k", "c", "n"], rows)
        got = sorted(answered(con, re.sub(r"\bN'", "'", sql)))
        assert [score for *_, score in got] == predicted(model, cells, tmp_path)


def test_white_space_and_letters_with_case_are_all_there_are():
    every = [chr(k) for k in range(sys.maxunicode + 1)]
    assert {*SPACES, " "} == {c for c in every if c.isspace()}
    assert [c for c, _ in folds()] == [c for c in every[0x80:] if c != c.casefold()]


def literal(text):
    return "'" + text.replace("'", "''") + "'"
