"""One-hot tables that `verify` reads without their zeros, and the same with them."""

from dataclasses import replace
from random import Random

from separatrix import verify
from tests.verify.by_hand import opened


def one_hot(kind: str, levels: int = 131, rows: int = 280, seed: int = 0) -> bytes:
    """A CSV of a city, a kind of shop and two numbers: separable, touching or overlapping."""
    draw = Random(seed)
    lines = []
    for n in range(rows):
        city, shop = n % levels, draw.randrange(4)
        a, b = draw.randrange(-40, 41) / 8, draw.choice([0, 0, 0, 1.5])
        score = a + (city % 7) - 3 + shop / 4
        yes = score > 0 if kind == "separable" else draw.random() < (score > 0) * 0.6 + 0.2
        if kind == "touching" and city % 5 == 0:
            yes = city % 2 == 0
        if kind == "overlapping":
            yes = n < levels  # each level has both answers
        lines.append(f"c{city},s{shop},{a},{b},{'yes' if yes else 'no'}\n")
    return ("city,shop,a,b,answer\n" + "".join(lines)).encode()


def with_zeros(table: verify.Table) -> verify.Table:
    """The same rows, all of their numbers kept."""
    columns = {}
    for j in range(table.width):
        known = dict(zip(*table.columns.get(j, ((), ())), strict=True))
        columns[j] = range(table.n), [known.get(n, 0.0) for n in range(table.n)]
    filled = replace(table)
    filled.columns = columns
    return filled


def both_ways(proof: bytes, data: bytes) -> tuple[list[str], list[str]]:
    """What is proven of the rows without their zeros, and of those with them."""
    told = verify.read_proof(proof)
    (question,) = verify.questions(told, opened(data, told.data))
    rows = question.table
    sparse, dense = (
        verify.checked(question._replace(table=one)) for one in (rows, with_zeros(rows))
    )
    return sparse, dense
