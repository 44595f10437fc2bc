"""Tables in real databases, and models learned from files."""

import csv
import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager

import duckdb
import numpy as np
import pyarrow as pa

from separatrix import read_classes, read_table
from separatrix.model import Origin, TableModel
from separatrix.tables import NumberColumn, fit_encoding
from separatrix.tables.cells import NUMBER
from tests.shared_data import DATA, manifest


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def in_sqlite(names, columns, table="t", kinds=None):
    con = sqlite3.connect(":memory:")
    kinds = kinds or [""] * len(names)
    made = ", ".join(f"{quoted(n)} {kind}" for n, kind in zip(names, kinds, strict=True))
    con.execute(f"CREATE TABLE {quoted(table)} ({made})")
    marks = ", ".join("?" * len(names))
    con.executemany(
        f"INSERT INTO {quoted(table)} VALUES ({marks})",  # noqa: S608
        list(zip(*columns, strict=True)),
    )
    return con


def in_duckdb(names, columns, table="t", kinds=None):
    con = duckdb.connect()
    con.register(table, pa.table(dict(zip(names, map(pa.array, columns), strict=True))))
    return con


DATABASES = {"sqlite": in_sqlite, "duckdb": in_duckdb}


def in_typed_duckdb(names, columns, table="t", kinds=None):
    """Columns of numbers as such, as DuckDB reads a file: the missing ones are NULL."""
    kinds = kinds or [""] * len(names)
    typed = [
        [float(v) if NUMBER.fullmatch(str(v)) else None for v in cells]
        if kind in ("REAL", "NUMERIC")
        else cells
        for kind, cells in zip(kinds, columns, strict=True)
    ]
    return in_duckdb(names, typed, table)


# every dialect in every database that it is for
WAYS = {
    "sqlite": ("sqlite", in_sqlite),
    "duckdb": ("duckdb", in_duckdb),
    "any, SQLite": ("any", in_sqlite),
    "any, DuckDB": ("any", in_typed_duckdb),
}


def learned(path, learner, missing="drop", degree=1, **options):
    """A learner fitted on a file as `learn` would, and its table and features."""
    table = read_table(path, missing=missing, **options)
    return _fitted(learner, table, np.where(table.y > 0, table.yes, table.no), degree)


def learned_classes(path, learner, missing="drop", degree=1, **options):
    """Likewise of three labels or more."""
    data = read_classes(path, missing=missing, **options)
    return _fitted(learner, data.base, np.array(data.names)[data.codes], degree)


def _fitted(learner, table, labels, degree):
    encoding = fit_encoding(table.columns, table.missing, degree)
    X = encoding.encode(table.columns, table.lines)
    learner.fit(X, labels)
    origin = Origin(table.sha256, table.format, table.dialect, table.weight_column)
    learner.table_ = TableModel(encoding, table.label, table.extra, origin, table.recipes)
    return learner, table, X


def public(name):
    """Path, options of `read_table`, names and rows of text of a public table."""
    entry = next(e for e in manifest() if e["name"] == name)
    path = DATA / entry["file"]
    if path.suffix == ".dat":
        rows = [line.split() for line in path.read_text().splitlines()]
        names = [f"column {k + 1}" for k in range(len(rows[0]))]
        return path, {"label": "last", "yes": "1", "header": False}, names, rows, 1
    with path.open(newline="") as stream:
        names, *rows = csv.reader(stream)
    return path, {"label": "label", "yes": "yes"}, names, rows, 2


def answered(con, sql):
    return con.execute(sql).fetchall()


def numbers_of(table):
    return {c.name for c in table.columns if isinstance(c, NumberColumn)}


@contextmanager
def postgresql():
    """A server of its own in a folder of its own; yields the function from SQL to rows of text."""
    commands = {"cwd": "/", "capture_output": True, "text": True}
    with tempfile.TemporaryDirectory() as where:
        if os.geteuid() == 0:  # it refuses to run as root
            commands["user"] = "nobody"
            shutil.chown(where, "nobody")
        made = ["initdb", "-D", f"{where}/data", "-A", "trust", "-U", "tests", "--no-sync"]
        subprocess.run(made, check=True, **commands)
        settings = f"-c listen_addresses='' -k {where} -c fsync=off"
        server = ["pg_ctl", "-D", f"{where}/data", "-w", "-l", f"{where}/log"]
        start = [*server, "-o", settings, "start"]
        subprocess.run(start, check=True, **commands)

        def rows(sql):
            client = ["psql", "-h", where, "-U", "tests", "-d", "postgres", "-AtqX", "-F\t"]
            shown = subprocess.run(
                client, input=sql, check=True, capture_output=True, text=True, timeout=60
            )
            return [line.split("\t") for line in shown.stdout.splitlines()]

        try:
            yield rows
        finally:
            subprocess.run([*server, "-m", "immediate", "stop"], check=True, **commands)
