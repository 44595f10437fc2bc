"""Proofs of the fewest mistakes, made by hand out of steps."""

from separatrix import verify

# on the face v_1 = 1 the first is wrong where v_0 <= 3/4, the second where v_0 >= 1/4; on the other
# faces one row is wrong everywhere. A cell is 1/16 there, from v_0 = -1.
THREE_ROWS = [[4, -3], [-4, 1], [0, 1]]

CUT, CLOSED, COVERED, PACKED, LEMMA, SPLIT = range(6)


def lemma(bound, faces, *, ids=(), columns=(0, 1), relations=(), chart=((1, 0), (0, 1))):
    """A lemma by boxes, about all rows unless `ids` are given."""
    return [[*ids], [*columns], [*relations], [[*line] for line in chart], bound, faces]


def shown(rows, weights, *lemmas, columns=(0, 1), relations=()) -> int:
    return verify.mistakes_shown(rows, weights, [[*columns], [*relations], [*lemmas]])


# the first three cancel
CANCELLING = [[1, 0], [0, 1], [-1, -1], [5, 3], [10, 6]]

CORE = [0, 1, 1, 1, 2, 1]
