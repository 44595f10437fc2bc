"""Before and after: medians, which way is better, and what is marked."""

import json

import pytest
from benchmarks.compare import compared, main


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


def test_two_files_or_one_with_both_sides(tmp_path, monkeypatch, capsys):
    one, two, both = (tmp_path / name for name in ("one", "two", "both"))

    def write(path, written):
        named = [{"row": f"{k}", "code": "", **row} for k, row in enumerate(written)]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in named))

    write(one, rows("a", "seconds", 1.0))
    write(two, rows("a", "seconds", 2.0))
    write(both, [*rows("a (before)", "seconds", 2.0), *rows("a", "seconds", 1.0)])
    for files, code, said in (
        ((one, two), True, "0.50x           below 0.67x"),
        ((two, one), False, "2.00x"),
        ((both,), False, "2.00x"),
        ((one,), True, "no row has a figure before and after"),
    ):
        monkeypatch.setattr("sys.argv", ["compare", *map(str, files)])
        with pytest.raises(SystemExit) as left:
            main()
        assert bool(left.value.code) == code
        assert said in f"{capsys.readouterr().out}{left.value.code}"
