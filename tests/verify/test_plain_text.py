"""The fast reading of plain text and far scores, against the slow one and fractions."""

import hashlib
import json
import random

import pytest

from separatrix.verify import CannotCheck, read_table
from tests.verify.by_hand import csv_of, proof_of

CELLS = [
    "1", "-2.5", "+.5", "3.", "1e-300", "-0", " 7 ", "\t8", "1_000", "nan", "inf", "1e999",
    "1\x1c", "", "?", ".", "-", "1e", "0x1", "\u00a05", "\u0661", "1\x0b", "E5", "--1",
]  # fmt: skip


def read(text, d):
    """What is read of a table, or that it cannot be."""
    data = text.encode()
    proof = proof_of(csv_of([(0,) * d + ("n",)]), [{}])
    proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    try:
        table = read_table(data, json.loads(json.dumps(proof)))
    except CannotCheck as why:
        return str(why)
    return table.points, table.y, table.lines, table.n_read


GOOD = {"1", "-2.5", "+.5", "3.", "1e-300", "-0", " 7 ", "\t8", "1\x0b"}  # blanks around are cut


def unreadable(rows):
    """Rows without a gap, which take part, that hold something other than numbers."""
    return [r for r in rows if not {"", "?"} & set(r[:-1]) and set(r[:-1]) - {*GOOD, "2"}]


def test_plain_text_is_read_as_quoted_text_is():
    draw = random.Random(5)
    read_well = 0
    for _ in range(400):
        d = draw.randrange(1, 4)
        rows = [["1"] * d + ["y"], ["2"] * d + ["n"]]
        for _ in range(draw.randrange(3)):
            cells = [draw.choice(CELLS if draw.random() < 0.3 else CELLS[:6]) for _ in range(d)]
            rows.append([*cells, draw.choice("yn")])
        head = ",".join([*(f"x{j}" for j in range(d)), "answer"])
        gap = draw.choice(["\n", "\n\n"])
        plain = gap.join([head, *(",".join(row) for row in rows)]) + draw.choice(["", "\n"])
        quoted = gap.join([head, *(",".join(f'"{c}"' for c in row) for row in rows)]) + "\n"
        found = read(plain, d)
        assert found == read(quoted, d) == read(plain.replace("\n", "\r\n"), d), plain
        assert isinstance(found, str) == bool(unreadable(rows)), plain
        read_well += not isinstance(found, str)
    assert 100 < read_well < 390


@pytest.mark.parametrize("delimiter", ["\n", "\r"])
def test_lines_do_not_separate_cells(delimiter):
    data = csv_of([(0, "n"), (1, "y")])
    proof = proof_of(data, [])
    proof["table"]["dialect"]["delimiter"] = delimiter
    with pytest.raises(CannotCheck, match="'delimiter'"):
        read_table(data, proof)
