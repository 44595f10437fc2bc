"""What databases disagree about, as a table: a new one is an entry here.

"any" is what SQLite, DuckDB and PostgreSQL have in common. Their own dialects are shorter, and do
more with columns of text: tabs and line feeds around a cell are taken off as well as spaces, and
DuckDB's gives no answer for a cell that is not a number instead of failing the whole SELECT.

Templates take {c}, a column's quoted name behind that of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

BLANKS = "' ' || {char}(9) || {char}(10) || {char}(11) || {char}(12) || {char}(13)"
BLANKS_OF_SQL_SERVER = BLANKS.format(char="nchar").replace("||", "+")
LETTERS = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'"
TERMS_IN_A_SUM = 200  # SQLite and DuckDB refuse expressions deeper than 1000


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database."""

    name: str  # as its makers write it
    finite: str  # whether the double {v} is finite; not true for NaN and NULL
    number: str  # a cell as a double, given {c}: NULL or an error where it holds no number
    text: str  # a cell as text without the blanks around it, given {c}
    is_text: str  # whether the column {c} holds text; "" where this database cannot say
    most_columns: int  # of one SELECT
    double: str = "{v}"  # a double, given its decimal text {v}
    # text {c} with A to Z in lower case; other letters may be, or not
    lower: str = f"translate({{c}}, {LETTERS})"
    fold: Callable[[str], str] = str.lower  # what two names have in common that are one to it
    longest_name: int | None = None  # in bytes: what stands behind is cut off
    empty_names: bool = False  # whether a column may be called ""
    translate: bool = True  # whether it has translate(text, from, to)
    string: str = "'{v}'"  # a literal of text, given {v} with its quotes doubled
    materialized: str = "MATERIALIZED "
    truth: tuple[str, str] = ("FALSE", "TRUE")  # false and true as values

    def text_of(self, value: str) -> str:
        return self.string.format(v=value.replace("'", "''"))

    def texts_of(self, values: Iterable[str]) -> str:
        """Return literals with commas between."""
        return ", ".join(map(self.text_of, values))

    def replaced(self, text: str, old: str, new: str) -> str:
        return f"replace({text}, {self.texts_of((old, new))})"

    def left(self, text: str, characters: str) -> str:
        return f"ltrim({text}, {self.text_of(characters)})"

    def right(self, text: str, characters: str) -> str:
        return f"rtrim({text}, {self.text_of(characters)})"

    def stripped(self, text: str, characters: str) -> str:
        """Return a text without these characters at either end."""
        return self.left(self.right(text, characters), characters)


def _ascii_lower(name: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in name)


def _first_63_bytes(name: str) -> str:
    return name.encode()[:63].decode("utf-8", "ignore")


DIALECTS: Mapping[str, Dialect] = {
    "any": Dialect(
        name="one of SQLite, DuckDB and PostgreSQL",
        double="CAST({v} AS DOUBLE PRECISION)",
        finite="abs({v}) <= CAST(1.7976931348623157e+308 AS DOUBLE PRECISION)",
        # to SQLite, text that is not a number equals no number: the others refuse it themselves,
        # but for 1_000, which DuckDB reads as 1000
        number="CASE WHEN CAST({c} AS DOUBLE PRECISION) = {c} "
        "AND CAST({c} AS VARCHAR) NOT LIKE '%!_%' ESCAPE '!' "
        "THEN CAST({c} AS DOUBLE PRECISION) END",
        text="trim(CAST({c} AS VARCHAR), ' ')",  # without ' ', DuckDB takes off no-break spaces too
        is_text="",
        # İ is i to DuckDB, and two signs to `predict`; a Turkish PostgreSQL needs its own dialect
        lower="lower(replace({c}, 'İ', 'i\u0307'))",
        fold=_ascii_lower,
        most_columns=1600,
        empty_names=True,
        translate=False,
    ),
    "sqlite": Dialect(
        name="SQLite",
        finite="abs({v}) < 9e999",
        # text that is a number equals its value, because the CAST lends the other side its type;
        # NUMERIC keeps whole numbers beyond 2^53 as they are
        number="CASE WHEN CAST({c} AS NUMERIC) = {c} THEN CAST({c} AS REAL) END",
        text=f"trim(CAST({{c}} AS TEXT), {BLANKS.format(char='char')})",
        is_text="typeof({c}) = 'text'",
        lower="lower({c})",
        fold=_ascii_lower,
        most_columns=2000,
        empty_names=True,
        translate=False,
    ),
    "duckdb": Dialect(
        name="DuckDB",
        finite="isfinite({v})",
        number="CASE WHEN NOT contains(CAST({c} AS VARCHAR), '_') "  # 1_000 is 1000 to it
        "THEN TRY_CAST({c} AS DOUBLE) END",
        text=f"trim(CAST({{c}} AS VARCHAR), {BLANKS.format(char='chr')})",
        is_text="typeof({c}) = 'VARCHAR'",
        most_columns=10_000,
    ),
    "postgresql": Dialect(
        name="PostgreSQL",
        double="{v}::float8",  # a bare literal is a decimal, and would be added as one
        finite="abs({v}) < 'Infinity'::float8",
        number="CAST({c} AS float8)",
        text=f"trim(CAST({{c}} AS text), {BLANKS.format(char='chr')})",
        is_text="pg_typeof({c})::text IN ('text', 'character varying', 'character')",
        fold=_first_63_bytes,
        longest_name=63,
        most_columns=1600,
    ),
    "sqlserver": Dialect(
        name="SQL Server",
        finite="abs({v}) <= 1.7976931348623157e+308",
        # '' and '+' are 0 to it, and 1d5 is 100000
        number="CASE WHEN CONVERT(nvarchar(4000), {c}) LIKE '%[0-9]%' "
        "AND CONVERT(nvarchar(4000), {c}) NOT LIKE '%[^0-9.eE+ -]%' "
        "AND CONVERT(nvarchar(4000), {c}) NOT LIKE '%[eE+-]' "
        "AND CONVERT(nvarchar(4000), {c}) NOT LIKE '[eE]%' THEN TRY_CONVERT(float, {c}) END",
        text="ltrim(rtrim(CONVERT(nvarchar(4000), {c}, 23) COLLATE Latin1_General_100_BIN2, "
        f"{BLANKS_OF_SQL_SERVER}), {BLANKS_OF_SQL_SERVER})",  # 23: dates as 2025-08-31
        is_text="CONVERT(nvarchar(128), SQL_VARIANT_PROPERTY({c}, 'BaseType')) LIKE '%char'",
        most_columns=4096,
        string="N'{v}'",
        materialized="",
        truth=("CAST(0 AS bit)", "CAST(1 AS bit)"),
    ),
}


def identifier(name: str) -> str:
    """Return a name in double quotes, those in it doubled: whatever it holds, it is a name."""
    return '"' + name.replace('"', '""') + '"'


def decimal(value: float) -> str:
    """Return the shortest decimal text that reads back to the same double, with an exponent."""
    written = repr(float(value))
    return written if "e" in written else f"{written.removesuffix('.0')}e0"
