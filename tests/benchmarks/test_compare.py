"""Before and after: medians, which way is better, and what is marked."""

from benchmarks.compare import compared


def rows(line, name, *values, **more):
    return [{"line": line, "figures": {name: value}, **more} for value in values]


def test_figures_are_compared_by_their_medians_and_answers_by_their_hashes():
    best = "best peer / ours"
    before = [
        *rows("a", "seconds", 1.0, 9.0, 2.0, seed=0, digest="x"),
        *rows("b", "seconds", 1.0, seed=0, digest="x"),
        *rows("c", best, 3.0),
        *rows("gone", "seconds", 1.0),
        {"row": "seed 0", "about": {}},
    ]
    after = [
        *rows("c", best, 1.5),
        *rows("b", "seconds", 1.4, seed=0, digest="y"),
        *rows("a", "seconds", 1.0, seed=0, digest="x"),
        *rows("new", "seconds", 1.0),
    ]
    assert compared(before, after) == [
        ("a", "seconds", "2", "1", "2.00x", "the same", ""),
        ("b", "seconds", "1", "1.4", "0.71x", "OTHERS", ""),
        ("c", best, "3", "1.5", "0.50x", "", "below 0.67x"),
    ]
