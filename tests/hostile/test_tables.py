"""Random hostile tables: read as a reader of a few lines reads them, and judged as they are.

Every table is written to a file, some of them damaged. Those that are refused are refused with an
`InputError`; of the others every cell, every verdict, every count of mistakes and every bound on
the fewest mistakes is found again in fractions.
"""

import csv
import io
import random
from fractions import Fraction

import pytest

from separatrix import InputError, judge, read_table, separability
from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.tables import CategoryColumn, fit_encoding
from tests.hostile.profile import cases
from tests.separation import oracle

TABLES = cases(60, 2000)
AT_ONCE = 20
WIDEST = 3  # features that the oracles take: with 9 rows and 5 they need minutes
MISSING = {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "."}
BLANKS = " \t\n\r\v\f"
LABELS = (("no", "yes"), ("0", "1"), ("-1", "1"), ("b a", 'q"q'), ("nein", "für"), ("n;o", "y,es"))
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")
DAMAGE = (
    b'"', b"'", b"\x00", b"\xff", b"\r", b"\n\n", b",", b";", b"\t", b"1e999", b"-inf", b"0x10",
    b"2020-01-01", b"1,5", b"1'000", b"\xd9\xa3", b"\xe2\x80\xae", b"NA", b"=1+1", b" ", b"9" * 400,
)  # fmt: skip


# ---------------------------------------------------------------- making them


SIZES = ("1e308", "-1.7e308", "5e-324", "1e-308", "0", "-0.0", "1", "1e-400", "3E+2", "+.5", "7.")
CELLS = (
    lambda draw: str(draw.randint(-2, 2)),
    lambda draw: f"{draw.uniform(-9, 9):.{draw.randint(1, 17)}f}",
    lambda draw: draw.choice(SIZES),
    lambda _: "4.25",
    lambda draw: draw.choice(("a", "b ", " c", "ä,b", "x\ny", "A")),
    lambda draw: draw.choice(("1", "2", "3", "", "NA", "?")),
    lambda draw: draw.choice(("true", "false")),
    lambda draw: str(2**53 + draw.randint(0, 2)),
    lambda draw: f"{'0' * draw.randint(0, 2)}{draw.randint(0, 3)}{' ' * draw.randint(0, 2)}",
)


def a_column(draw, n):
    cell = CELLS[draw.randrange(len(CELLS))]
    return [cell(draw) for _ in range(n)]


def a_table(draw):
    """Header and rows: duplicated columns, rows that contradict, labels anywhere."""
    n, d = draw.randint(2, 8), draw.randint(1, 3)
    columns = [a_column(draw, n) for _ in range(d)]
    if d > 1 and draw.random() < 0.2:
        columns[1] = list(columns[0])
    names = draw.choice(LABELS)
    labels = [draw.choice(names) for _ in range(n)]
    labels[:2] = names
    rows = [list(row) for row in zip(*columns, labels, strict=True)]
    if draw.random() < 0.3:  # the same point with both labels
        rows.append([*rows[0][:-1], names[1]])
    header = [*(f"c{j}" for j in range(d)), "label"]
    if draw.random() < 0.3:
        header, rows = header[::-1], [row[::-1] for row in rows]
    return header, rows


def a_file(draw):
    """Bytes of a table, and options to read it."""
    header, rows = a_table(draw)
    text = io.StringIO(newline="")
    end, quoting = draw.choice(["\n", "\r\n"]), draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    delimiter = draw.choice([",", ",", ";", "\t", "|"])
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    for row in [header, *rows]:
        text.write(end * (draw.random() < 0.1))
        writer.writerow(row)
    data = text.getvalue().encode(draw.choice(ENCODINGS), "replace")
    for _ in range(draw.choice([0, 0, 1, 1, 3])):
        data = damaged(draw, data)
    options = asked(draw)
    return data, draw.choice(["last", "column 1"]) if "header" in options else "label", options


def damaged(draw, data):
    at = draw.randrange(len(data) + 1)
    how = draw.randrange(4)
    if how == 0:
        return data[:at] + draw.choice(DAMAGE) + data[at:]
    if how == 1:
        return data[:at] + data[at + draw.randint(1, 9) :]
    if how == 2:
        return data[:at] or b","
    lines = data.split(b"\n")
    lines.insert(draw.randrange(len(lines)), draw.choice(lines))
    return b"\n".join(lines)


def asked(draw):
    """Options, most of them left alone."""
    options = {"missing": "fill"} if draw.random() < 0.3 else {}
    for name, some in (
        ("decimal", [","]), ("text", [["c0"]]), ("fold_labels", [True]), ("quote", ["'", ""]),
        ("encoding", ENCODINGS), ("header", [False]),
    ):  # fmt: skip
        if draw.random() < 0.1:
            options[name] = draw.choice(some)
    return options


# ---------------------------------------------------------------- reading them again


def records(data, dialect):
    """{line at which a record starts: its cells}, by the csv module."""
    text = data.decode(dialect.encoding).removeprefix("\ufeff")
    if dialect.delimiter == "whitespace":
        return {k: line.split() for k, line in enumerate(text.splitlines(), start=1)}
    quoting = {"quotechar": dialect.quote} if dialect.quote else {"quoting": csv.QUOTE_NONE}
    delimiter = dialect.delimiter
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **quoting)
    found, start = {}, 1
    for cells in reader:
        found[start] = [cell.strip(BLANKS) for cell in cells]
        start = reader.line_num + 1
    return found


def number(cell, decimal):
    return float(Fraction(cell.replace(decimal, ".")))


def reread(data, table):
    """Every cell of every row that is kept, and its label, against the csv module and fractions."""
    dialect = table.dialect
    found = records(data, dialect)
    names = next(cells for cells in found.values() if any(cells)) if dialect.header else None
    for k, line in enumerate(table.lines.tolist()):
        cells = found[line]
        place = names.index if names else lambda name: int(name.removeprefix("column ")) - 1
        label = cells[place(table.label)]
        said = table.yes if table.y[k] > 0 else table.no
        assert same_label(label, said), (label, said)
        for column in table.columns:
            cell = cells[place(column.name)]
            if column.missing[k]:
                assert cell in MISSING
            elif isinstance(column, CategoryColumn):
                assert column.levels[column.codes[k]] == cell
            else:
                assert column.values[k] == number(cell, dialect.decimal)


def same_label(written, said):
    try:
        return Fraction(written) == Fraction(said)
    except ValueError:
        return written.casefold() == said.casefold()


# ---------------------------------------------------------------- judging them again


def rejudged(table):
    """The verdict, the mistakes of every line and the fewest of all, in fractions."""
    X = fit_encoding(table.columns, table.missing).encode(table.columns, table.lines)
    found = judge(table, fewest_nodes=200)
    rows = oracle.signed(X, table.y, 1.0)
    verdict, bracket = found.separability.verdict, found.fewest_mistakes
    if X.shape[1] <= WIDEST:
        fewest = fewest_mistakes([tuple(row) for row in rows], [1] * len(rows))
        assert (verdict == "separable") == (fewest == 0)
        assert verdict == oracle.truth(rows).verdict
        assert bracket.exact_lower <= fewest <= bracket.exact_upper
        assert not bracket.proven or bracket.exact_lower == fewest == bracket.exact_upper
    assert verdict == separability(X, table.y).verdict
    assert found.separability.verify(X, table.y)
    for result in found.results:
        wrong = sum(a <= 0 for a in oracle.scores(X, table.y, result.weights, 1.0))
        assert result.n_errors == wrong, result.name
        assert result.e_in == pytest.approx(wrong / len(rows))
    return verdict


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize("first", range(0, TABLES, AT_ONCE))
def test_tables_are_read_and_judged_or_refused(tmp_path, first):
    accepted, verdicts = 0, set()
    for seed in range(first, first + AT_ONCE):
        data, label, options = a_file(random.Random(seed))
        path = tmp_path / f"{seed}.csv"
        path.write_bytes(data)
        try:
            table = read_table(path, label, **options)
            verdicts.add(rejudged(table))
        except InputError:
            continue
        except Exception as error:
            error.add_note(f"seed {seed}: {label!r}, {options}, {data!r}")
            raise
        accepted += 1
        reread(data, table)
    assert accepted > 0
    assert "undecided" not in verdicts
