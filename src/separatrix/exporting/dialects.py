"""What databases disagree about, as a table: a new one is an entry here.

"any" is what SQLite, DuckDB and PostgreSQL have in common. Their own dialects are shorter, and do
more with columns of text: tabs and line feeds around a cell are taken off as well as spaces, and
DuckDB's gives no answer for a cell that is not a number instead of failing the whole SELECT.

Templates take {c}, a column's quoted name behind that of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

BLANKS = "' ' || {char}(9) || {char}(10) || {char}(11) || {char}(12) || {char}(13)"
TERMS_IN_A_SUM = 200  # SQLite and DuckDB refuse expressions deeper than 1000


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database.

    Parameters
    ----------
    name : str
        As its makers write it.
    double : str
        A double, given its decimal text {v}.
    finite : str
        Whether the double {v} is finite; not true for NaN and NULL.
    number : str
        A cell as a double, given {c}: NULL or an error where it holds no number.
    text : str
        A cell as text without the blanks around it, given {c}.
    fold : callable
        What two names have in common that are one to this database.
    longest_name : int or None
        In bytes: what stands behind is cut off.
    most_columns : int
        Of one SELECT.
    empty_names : bool
        Whether a column may be called "".
    """

    name: str
    double: str
    finite: str
    number: str
    text: str
    fold: Callable[[str], str]
    longest_name: int | None
    most_columns: int
    empty_names: bool


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
        fold=_ascii_lower,
        longest_name=None,
        most_columns=1600,
        empty_names=True,
    ),
    "sqlite": Dialect(
        name="SQLite",
        double="{v}",
        finite="abs({v}) < 9e999",
        # text that is a number equals its value, because the CAST lends the other side its type;
        # NUMERIC keeps whole numbers beyond 2^53 as they are
        number="CASE WHEN CAST({c} AS NUMERIC) = {c} THEN CAST({c} AS REAL) END",
        text=f"trim(CAST({{c}} AS TEXT), {BLANKS.format(char='char')})",
        fold=_ascii_lower,
        longest_name=None,
        most_columns=2000,
        empty_names=True,
    ),
    "duckdb": Dialect(
        name="DuckDB",
        double="{v}",
        finite="isfinite({v})",
        number="CASE WHEN NOT contains(CAST({c} AS VARCHAR), '_') "  # 1_000 is 1000 to it
        "THEN TRY_CAST({c} AS DOUBLE) END",
        text=f"trim(CAST({{c}} AS VARCHAR), {BLANKS.format(char='chr')})",
        fold=str.lower,
        longest_name=None,
        most_columns=10_000,
        empty_names=False,
    ),
    "postgresql": Dialect(
        name="PostgreSQL",
        double="{v}::float8",  # a bare literal is a decimal, and would be added as one
        finite="abs({v}) < 'Infinity'::float8",
        number="CAST({c} AS float8)",
        text=f"trim(CAST({{c}} AS text), {BLANKS.format(char='chr')})",
        fold=_first_63_bytes,
        longest_name=63,
        most_columns=1600,
        empty_names=False,
    ),
}


def identifier(name: str) -> str:
    """Return a name in double quotes, those in it doubled: whatever it holds, it is a name."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a string literal."""
    return "'" + value.replace("'", "''") + "'"


def decimal(value: float) -> str:
    """Return the shortest decimal text that reads back to the same double, with an exponent.

    With one it is a double to every database; DuckDB reads a plain 0.1 as DECIMAL.
    """
    written = repr(float(value))
    return written if "e" in written else f"{written.removesuffix('.0')}e0"
