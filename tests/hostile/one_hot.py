"""Small tables of categories with rare levels, as CSV."""

import numpy as np

WIDE_EVERY = 20  # of these tables one has more than a hundred levels, most of one row or two


def csv(seed: int) -> bytes:
    """Return a table of one to three categories with rare levels and up to two numbers.

    Labels follow a line with little noise or much, or not at all; a level may have one label only,
    rows may come twice, and a column may follow from another one.
    """
    r = np.random.default_rng((13, seed))
    wide = seed % WIDE_EVERY == 0
    both = wide and r.random() < 0.5  # most levels have both labels
    n = int(r.integers(270, 300) if both else r.integers(135, 220) if wide else r.integers(4, 41))
    columns, score = [], np.zeros(n)
    for c in range(1 if wide else int(r.integers(1, 4))):
        k = int(r.integers(130, min(n, 180) + 1)) if wide else int(r.integers(2, 9))
        share = np.arange(1.0, k + 1) ** -r.uniform(0, 2)
        codes = r.choice(k, n, p=share / share.sum())
        if both:
            codes = np.arange(n) % k
        elif wide:
            codes[:k] = np.arange(k)
        if not (c or both):
            codes[0], codes[-1] = 0, 1  # else there may be no feature
        if c and r.random() < 0.2:
            codes = r.permutation(9)[columns[0]] % k  # follows from the first
        columns.append(codes)
        score += r.normal(size=max(k, 9))[codes]
    texts = [[f"L{code}" for code in codes.tolist()] for codes in columns]
    for _ in range(int(r.integers(0, 3))):
        values = r.integers(-8, 9, n) / r.choice([1, 4])
        values += r.choice([0.0, 1000.0, 0.1])
        texts.append([repr(float(v)) for v in values])
        score += r.normal() * values
    score += r.choice([0, 0.3, 2, 50]) * r.normal(size=n)
    yes = score > np.median(score)
    if both:
        yes = np.arange(n) // k % 2 == (r.random(n) < 0.001)
    if r.random() < 0.4:
        codes = columns[int(r.integers(0, len(columns)))]
        yes[codes == codes[int(r.integers(0, n))]] = r.random() < 0.5
    yes[0] = not yes[1:].all()
    yes[-1] = yes[-1] if yes.any() and not yes.all() else not yes[-1]
    order = np.arange(n)
    if r.random() < 0.3:
        order = np.append(order, r.integers(0, n, n // 3))
    rows = [[*(t[i] for t in texts), "yes" if yes[i] else "no"] for i in order.tolist()]
    header = [f"c{j}" for j in range(len(texts))]
    return "\n".join(",".join(row) for row in [[*header, "y"], *rows]).encode() + b"\n"
