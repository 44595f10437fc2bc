"""From a loan table to SQL: every command is the one that the previous one printed."""

import csv
import datetime
import io
import math
import random
import re
import shlex
from pathlib import Path

import pytest

from tests.exporting.databases import WAYS
from tests.exporting.selects import answered

COLUMNS = ("id", "since", "amount", "rate", "purpose", "owns", "branch", "status")
RARE = {5: "boat", 77: "boat", 130: "wedding", 400: "moon"}  # purposes of a handful of rows


def loans(n, seed, one_in):
    """Rows as a bank's export has them: dates, thousands, a blank cell in about one row of some."""
    chance = random.Random(seed)
    for k in range(n):
        amount, rate = chance.lognormvariate(8.5, 0.8), round(chance.uniform(2, 12), 2)
        day = datetime.date(2015, 1, 1) + datetime.timedelta(chance.randrange(3000))
        purpose, owns = chance.choice(["car", "home", "study"]), chance.choice(["yes", "no"])
        z = 0.35 * (rate - 7) + (amount - 7000) / 6000 + (0.8 if purpose == "car" else -0.4)
        z -= 0.7 * (owns == "yes") + (day.year - 2019) * 0.2
        status = "default" if chance.random() < 1 / (1 + math.exp(-z)) else "paid"
        cells = [f"L-{seed}{k:05d}", f"{day:%d/%m/%Y}", f"{amount:,.2f}", str(rate),
                 RARE.get(k, purpose), owns, "main", status]  # fmt: skip
        if chance.randrange(one_in) == 0:
            cells[chance.randrange(2, 5)] = ""
        yield cells


def printed(text, name):
    """Return the words of the one `separatrix NAME` that a command has printed."""
    lines = re.sub(r" \\\n *", " ", text).splitlines()
    found = [line.partition(f"separatrix {name} ")[2] for line in lines]
    (words,) = {rest for rest in found if rest} - {"MODEL --scorecard TABLE"}
    return [name, *shlex.split(words.replace("NEW.csv", "new.csv"))]


@pytest.mark.parametrize("one_in", [15, 6])  # few rows with a blank are left out, many are kept
def test_each_command_prints_the_next(run, tmp_path, monkeypatch, one_in):
    monkeypatch.chdir(tmp_path)
    old, new = list(loans(700, 1, one_in)), [row[:-1] for row in loans(200, 2, one_in)]
    new[3][4] = "yacht"  # a purpose that no old loan had
    for name, head, rows in (
        ("loans.csv", COLUMNS, [*old, *old[20:27]]),
        ("new.csv", COLUMNS[:-1], new),
    ):
        with Path(name).open("w", newline="") as stream:
            csv.writer(stream).writerows([head, *rows])

    code, out, err = run("check", "loans.csv", "--label", "Status")
    assert (code, err) == (0, "")
    plain = " ".join(out.split())
    for fact in ("column is 'status', not 'Status'", "Yes is 'default' (--yes): the event",
                 "7 rows repeat an earlier one", "lines 702, 703, ", "'branch' (one value only)",
                 "Levels of fewer than 5 rows (--group-rare): 'purpose'"):  # fmt: skip
        assert fact in plain
    command = printed(out, "learn")
    keeps = "--missing level " if one_in == 6 else ""
    assert " ".join(command) == (
        f"learn loans.csv --label status --yes default --parse dates,thousands {keeps}"
        "--group-rare 5 --drop id --drop branch --model loans.model.json "
        "--report loans.report.html"
    )
    code, out, err = run(*command)
    assert code == 0, err
    code, answers, err = run(*printed(out, "predict"))
    assert code == 0, err
    rows = list(csv.DictReader(io.StringIO(answers)))
    blank = 0 if keeps else sum("" in row for row in new)
    assert (len(rows), sum(not row["answer"] for row in rows)) == (200, blank)
    code, sql, err = run(*printed(err, "export"))
    assert code == 0, err
    want = [(row["answer"] or None, float(row["score"]) if row["score"] else None) for row in rows]
    kinds = ["REAL" if name == "rate" else "TEXT" for name in COLUMNS[:-1]]
    for way in ("any, SQLite", "any, DuckDB"):
        made = WAYS[way][1](COLUMNS[:-1], list(zip(*new, strict=True)), "new", kinds)
        assert answered(made, sql) == want
