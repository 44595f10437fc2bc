"""Checks a proof that every line makes mistakes of some weight: whole numbers, nothing else.

Standard library only, and nothing of ours, so that a stranger can read all of it. The claim is
about rows z_n of integers with weights: for every w != 0 the rows with z_n.w <= 0 weigh at least so
much. A proof is

    [columns, relations, lemmas]

columns     that say all there is to say about the rows left after merging (`merged`), because
relations   give for every other column j a vector b, b[j] != 0, zero in all other columns not
            chosen, with z.b = 0 for each of the rows: its part of a score can be made up for
lemmas      each about some of the rows and for all of their directions; the last about all rows

    [rows, columns, relations, chart, bound, faces]

rows        whose mistakes are counted, by their place; [] stands for all of them
columns, relations     as above, for these rows, among the columns chosen above
chart       r x r integers, not singular: w = chart v; every direction v meets the surface of the
            cube max |v_j| = 1, whose 2 r faces are cut into boxes
bound       what is shown
faces       for each face (v_0 = 1, v_0 = -1, v_1 = 1, ...) what is done with its boxes, as integers

A lemma of three entries, [bound, parts, cores], is about all rows and shown by `packed`.

A box is a product of intervals; a row is wrong in all of it when the greatest value of its score
there is not positive. `Face` says what may be done with a box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

CUT, CLOSED, COVERED, PACKED, LEMMA, SPLIT = range(6)
PRIME = (1 << 61) - 1
ONE = 1 << 50  # the length that stands for 1 in positions of box ends

Row = list[int]


class Refused(Exception):  # noqa: N818
    """The proof does not hold."""


def require(condition: bool) -> None:
    """Refuse the proof unless the condition holds."""
    if not condition:
        raise Refused


def check(rows: Sequence[Row], weights: Sequence[int], proof: Any, claimed: int) -> bool:  # noqa: ANN401
    """Return whether the proof shows that every w makes mistakes of at least the claimed weight.

    Parameters
    ----------
    rows : N rows of integers, z_n = y_n (1, x_n) with each column multiplied by a positive number
    weights : N integers >= 0
    proof : as above; anything else is refused
    claimed : an integer
    """
    try:
        require(all(type(a) is int for a in _leaves(proof)) and type(claimed) is int)
        base, kept = merged(rows, weights)
        if claimed <= base:
            return True
        columns, relations, parts = proof
        short = reduced([z for z, _ in kept], columns, relations)
        kept = [(z, weight) for z, (_, weight) in zip(short, kept, strict=True)]
        lemmas: list[tuple[frozenset[int], int]] = []
        for part in parts:
            if len(part) == 3:
                lemmas.append(packed(kept, *part))
            else:
                lemmas.append(Problem(kept, part).settled(lemmas))
        everything, bound = lemmas[-1]
        return len(everything) == len(kept) and claimed <= base + bound
    except (Refused, IndexError, KeyError, TypeError, ValueError, StopIteration, AttributeError):
        return False


def _leaves(proof: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield everything in nested lists that is no list."""
    waiting = [proof]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
        else:
            yield item


def merged(rows: Sequence[Row], weights: Sequence[int]) -> tuple[int, list[tuple[Row, int]]]:
    """Return the weight of the mistakes that all lines make, and the rows left with weights.

    A row of zeros is a mistake of every line; of rows z and -z one always is, so the lesser weight
    counts and the rest stays. Equal rows become one. In the order of their first appearance.
    """
    base = 0
    net: dict[tuple[int, ...], int] = {}
    for row, weight in zip(rows, weights, strict=True):
        require(weight >= 0)
        first = next((a for a in row if a), 0)
        if first == 0:
            base += weight
        elif weight:
            sign = 1 if first > 0 else -1
            key = tuple(sign * a for a in row)
            before = net.get(key, 0)
            if before * sign < 0:
                base += min(abs(before), weight)
            net[key] = before + sign * weight
    return base, [([a if w > 0 else -a for a in z], abs(w)) for z, w in net.items() if w]


def reduced(rows: Sequence[Row], columns: Row, relations: Sequence[Row]) -> list[Row]:
    """Return the rows in the chosen columns, once the relations show that these suffice."""
    width = len(rows[0])
    require(len(set(columns)) == len(columns) and all(0 <= j < width for j in columns))
    others = [j for j in range(width) if j not in columns]
    require(len(relations) == len(others))
    for j, relation in zip(others, relations, strict=True):
        require(len(relation) == width and relation[j] != 0)
        require(all(relation[i] == 0 for i in others if i != j))
        require(not any(sum(map(int.__mul__, z, relation)) for z in rows))
    return [[z[j] for j in columns] for z in rows]


def packed(
    kept: Sequence[tuple[Row, int]], bound: int, parts: int, cores: list[Row]
) -> tuple[frozenset[int], int]:
    """Return all rows and the bound that cores show which share no weight.

    A core is [amount, row, multiplier, row, multiplier, ...]: its combination vanishes, so that one
    of its rows is wrong for every w, and takes amount / parts from the weight of each of its rows.
    """
    require(parts > 0)
    left = [weight * parts for _, weight in kept]
    total = 0
    for amount, *pairs in cores:
        together = [0] * len(kept[0][0])
        rows, multipliers = pairs[::2], pairs[1::2]
        require(amount >= 0 and all(a >= 0 for a in multipliers) and any(multipliers))
        require(len(set(rows)) == len(rows) and all(0 <= i < len(kept) for i in rows))
        for i, a in zip(rows, multipliers, strict=True):
            together = [g + a * q for g, q in zip(together, kept[i][0], strict=True)]
            left[i] -= amount
            require(left[i] >= 0)
        require(not any(together))
        total += amount
    require(total > (bound - 1) * parts)
    return frozenset(range(len(kept))), bound


class Problem:
    """One lemma: the rows in its chart, as columns, and their weights."""

    def __init__(self, kept: Sequence[tuple[Row, int]], parts: Sequence[Any]) -> None:
        rows, columns, relations, chart, bound, faces = parts
        self.ids = rows or list(range(len(kept)))
        require(len(set(self.ids)) == len(self.ids))
        require(all(0 <= i < len(kept) for i in self.ids))
        self.weight = [kept[i][1] for i in self.ids]
        short = reduced([kept[i][0] for i in self.ids], columns, relations)
        require(len(chart) == len(columns) and all(len(line) == len(chart) for line in chart))
        require(determinant(chart) != 0)
        turned = list(zip(*chart, strict=True))
        charted = [[sum(map(int.__mul__, z, line)) for line in turned] for z in short]
        # rows of the same bit length, so that multipliers of cores are small
        bits = [max(map(abs, z)).bit_length() for z in charted]
        most = max(bits)
        self.rows = [[a << most - b for a in z] for z, b in zip(charted, bits, strict=True)]
        self.columns = [list(column) for column in zip(*self.rows, strict=True)]
        self.bound, self.faces = bound, faces

    def settled(self, lemmas: list[tuple[frozenset[int], int]]) -> tuple[frozenset[int], int]:
        """Return the rows and the bound, once every face is shown to reach it."""
        require(len(self.faces) == 2 * len(self.columns))
        for number, steps in enumerate(self.faces):
            Face(self, lemmas).follow(number, iter(steps))
        return frozenset(self.ids), self.bound


def determinant(matrix: list[Row]) -> int:
    """Return the determinant modulo PRIME: when it is not 0, neither is the determinant."""
    table, value = [[a % PRIME for a in line] for line in matrix], 1
    for k in range(len(table)):
        pivot = next((i for i in range(k, len(table)) if table[i][k]), None)
        if pivot is None:
            return 0
        table[k], table[pivot] = table[pivot], table[k]
        value = value * table[k][k] % PRIME
        inverse = pow(table[k][k], -1, PRIME)
        for i in range(k + 1, len(table)):
            factor = table[i][k] * inverse % PRIME
            table[i] = [(a - factor * b) % PRIME for a, b in zip(table[i], table[k], strict=True)]
    return value


# A box: its ends, the weight of the rows wrong in all of it, and the open rows with the greatest
# and the least value of their scores in it.
Box = tuple[Row, Row, int, list[tuple[int, int, int]]]


class Face:
    """The boxes of one face, the last one first."""

    def __init__(self, problem: Problem, lemmas: list[tuple[frozenset[int], int]]) -> None:
        self.problem, self.lemmas = problem, lemmas
        self.stack: list[Box] = []

    def follow(self, number: int, steps: Iterator[int]) -> None:
        """Do what the proof says until no box is left."""
        self._begin(number)
        while self.stack:
            box = self.stack.pop()
            what, j, cells = self._step(steps)
            while what == CUT:
                box = self._cut(j, cells // 64, cells % 64, box)
                what, j, cells = self._step(steps)
            if what == CLOSED:
                require(box[2] >= self.problem.bound)
            elif what == COVERED:
                low, high = box[0][j], box[1][j]
                middle = low + cells * _cell(low, high)
                self._close_slab(j, low, middle, box)
                self._close_slab(j, middle, high, box)
            elif what == PACKED:
                self._close_by_cores(box, steps)
            elif what == LEMMA:
                self._close_by_lemma(box, j)
            else:
                require(what == SPLIT)
                self._split(j, cells, box)
        require(next(steps, None) is None)

    def _step(self, steps: Iterator[int]) -> tuple[int, int, int]:
        what, j, cells = next(steps), next(steps), next(steps)
        require(j >= 0 and (j < len(self.problem.columns) or what == LEMMA))
        return what, j, cells

    def _begin(self, number: int) -> None:
        """Put the whole face on the stack, unless it reaches the bound already."""
        fixed, side = number // 2, ONE if number % 2 == 0 else -ONE
        low, high = [-ONE] * len(self.problem.columns), [ONE] * len(self.problem.columns)
        low[fixed] = high[fixed] = side
        wrong, rows = 0, []
        for i, z in enumerate(self.problem.rows):
            middle = z[fixed] * side
            reach = (sum(map(abs, z)) - abs(z[fixed])) * ONE
            if middle + reach <= 0:
                wrong += self.problem.weight[i]
            elif middle - reach <= 0:
                rows.append((i, middle + reach, middle - reach))
        if wrong < self.problem.bound:
            self.stack.append((low, high, wrong, rows))

    def _cut(self, j: int, at_low: int, at_high: int, box: Box) -> Box:
        """Return the box without slabs of so many cells, which reach the bound."""
        low, high = box[0][j], box[1][j]
        cell = _cell(low, high)
        a, b = low + at_low * cell, high - at_high * cell
        if at_low:
            self._close_slab(j, low, a, box)
        if at_high:
            self._close_slab(j, b, high, box)
        return self._narrowed(j, a, b, box)

    def _close_slab(self, j: int, a: int, b: int, box: Box) -> None:
        """Require that rows of enough weight are wrong where v_j is in [a, b] at an end."""
        low, high, wrong, rows = box
        require(low[j] <= a <= b <= high[j] and (a == low[j] or b == high[j]))
        z, weight = self.problem.columns[j], self.problem.weight
        move = high[j] - b if a == low[j] else low[j] - a
        wrong += sum([weight[i] for i, top, _ in rows if top <= z[i] * move])
        require(wrong >= self.problem.bound)

    def _narrowed(self, j: int, a: int, b: int, box: Box) -> Box:
        """Return the part of the box where v_j is in [a, b]."""
        low, high, wrong, rows = box
        require(low[j] <= a <= b <= high[j])
        z, weight = self.problem.columns[j], self.problem.weight
        up, down = a - low[j], high[j] - b
        kept = []
        for i, top, least in rows:
            q = z[i]
            new, lowest = (
                (top - q * down, least + q * up) if q > 0 else (top + q * up, least - q * down)
            )
            if new <= 0:
                wrong += weight[i]
            elif lowest <= 0:
                kept.append((i, new, lowest))
        return [*low[:j], a, *low[j + 1 :]], [*high[:j], b, *high[j + 1 :]], wrong, kept

    def _split(self, j: int, kept: int, box: Box) -> None:
        """Halve the box; halves not kept must reach the bound, the others come next."""
        low, high, _, _ = box
        cell = _cell(low[j], high[j])
        middle = low[j] + cell * ((high[j] - low[j]) // cell // 2)
        require(low[j] < middle < high[j])
        for side, (a, b) in enumerate(((low[j], middle), (middle, high[j]))):
            half = self._narrowed(j, a, b, box)
            if kept >> side & 1:
                self.stack.append(half)
            else:
                require(half[2] >= self.problem.bound)

    def _top(self, i: int, low: Row, high: Row) -> int:
        return _greatest(self.problem.rows[i], low, high)

    def _close_by_cores(self, box: Box, steps: Iterator[int]) -> None:
        """Each core has a row that is wrong at any one point of the box; no weight counts twice."""
        low, high, wrong, rows = box
        left: dict[int, int] = {}
        size = next(steps)
        while size:
            require(size > 0)
            core = [(next(steps), next(steps)) for _ in range(size)]
            require(all(0 <= i < len(self.problem.rows) and a >= 0 for i, a in core))
            require(any(a > 0 for _, a in core))
            require(len({i for i, _ in core}) == size)
            together = [0] * len(low)
            for i, a in core:
                together = [g + a * q for g, q in zip(together, self.problem.rows[i], strict=True)]
            require(_greatest(together, low, high) <= 0)
            for i, _ in core:
                left.setdefault(i, self.problem.weight[i])
            least = min(left[i] for i, _ in core)
            wrong += least
            for i, _ in core:
                left[i] -= least
            size = next(steps)
        still_open = {i for i, _, _ in rows}
        for i, rest in left.items():  # those wrong everywhere were counted whole
            if i not in still_open and self._top(i, low, high) <= 0:
                wrong -= self.problem.weight[i] - rest
        require(wrong >= self.problem.bound)

    def _close_by_lemma(self, box: Box, number: int) -> None:
        """All directions, hence all points of the box, make the lemma's mistakes on its rows."""
        low, high, wrong, rows = box
        require(0 <= number < len(self.lemmas))
        ids, bound = self.lemmas[number]
        require(ids <= set(self.problem.ids))
        still_open = {i for i, _, _ in rows}
        for i, name in enumerate(self.problem.ids):
            if name in ids and i not in still_open and self._top(i, low, high) <= 0:
                wrong -= self.problem.weight[i]
        require(wrong + bound >= self.problem.bound)


def _greatest(z: Row, low: Row, high: Row) -> int:
    """Return the greatest value of z.v in the box."""
    return sum([a * (b if a > 0 else c) for a, b, c in zip(z, high, low, strict=True)])


def _cell(low: int, high: int) -> int:
    """Return the power of two that goes 32 to 63 times into a side."""
    require(high - low >= 64)
    return 1 << (high - low).bit_length() - 6
