"""A second opinion in plain Fractions, by Fourier and Motzkin: slow, short, and none of ours."""

from fractions import Fraction


def signed(X, y, x0):
    """The rows z_n as Fractions."""
    head = [Fraction(1)] if x0 else []
    return [
        [int(s) * a for a in head + [Fraction(float(v)) for v in x]]
        for x, s in zip(X, y, strict=True)
    ]


def strict_line_exists(rows):
    """Whether some w has z.w > 0 for every row: eliminate the last weight, then the one before."""
    rows = [tuple(r) for r in rows]
    while rows and rows[0]:
        up = [r for r in rows if r[-1] > 0]
        down = [r for r in rows if r[-1] < 0]
        kept = {r[:-1] for r in rows if r[-1] == 0}
        for a in up:
            for b in down:
                mixed = [p * -b[-1] + q * a[-1] for p, q in zip(a[:-1], b[:-1], strict=True)]
                top = max((abs(m) for m in mixed), default=Fraction(1)) or Fraction(1)
                kept.add(tuple(m / top for m in mixed))
        rows = list(kept)
    return not rows  # what is left is 0 > 0, once for every row


def verdict(rows):
    """The three-way verdict: touching when some row can be positive with the others >= 0."""
    if strict_line_exists(rows):
        return "separable"
    return "touching" if any(half_line_exists(rows, n) for n in range(len(rows))) else "overlapping"


def half_line_exists(rows, n):
    """Whether some w has Zw >= 0 and z_n.w > 0."""
    marked = {(tuple(r), i == n) for i, r in enumerate(rows)}
    while marked and next(iter(marked))[0]:
        up = [(r, s) for r, s in marked if r[-1] > 0]
        down = [(r, s) for r, s in marked if r[-1] < 0]
        kept = {(r[:-1], s) for r, s in marked if r[-1] == 0}
        for a, s in up:
            for b, t in down:
                mixed = [p * -b[-1] + q * a[-1] for p, q in zip(a[:-1], b[:-1], strict=True)]
                top = max((abs(m) for m in mixed), default=Fraction(1)) or Fraction(1)
                kept.add((tuple(m / top for m in mixed), s or t))
        marked = kept
    return not any(strict for _, strict in marked)


def diverging(rows, x0):
    """{index: direction} and aliased indices, from the definition."""
    width = len(rows[0])
    found, aliased = {}, []
    for j in range(width):
        unit = [Fraction(int(i == j)) for i in range(width)]
        minus = [-a for a in unit]
        both_ways = rows + [[-a for a in r] for r in rows]
        if half_line_exists([*both_ways, unit], len(both_ways)):
            aliased.append(j)
            continue
        up = half_line_exists([*rows, unit], len(rows))
        down = half_line_exists([*rows, minus], len(rows))
        if up or down:
            found[j] = int(up) - int(down)
    shift = 0 if x0 else 1
    return {j + shift: a for j, a in found.items()}, tuple(j + shift for j in aliased)


def combination(X, y, rows, multipliers, x0):
    """sum of multipliers times z, column by column."""
    z = signed(X, y, x0)
    return [
        sum(m * z[n][j] for n, m in zip(rows, multipliers, strict=True)) for j in range(len(z[0]))
    ]


def scores(X, y, weights, x0):
    """y w.(x0, x) for every row."""
    exact = [Fraction(w) if isinstance(w, Fraction) else Fraction(float(w)) for w in weights]
    exact = exact if x0 else exact[1:]
    return [sum(a * b for a, b in zip(z, exact, strict=True)) for z in signed(X, y, x0)]
