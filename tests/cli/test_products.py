"""Products of columns on the command line."""

import csv
import io
import json

RING = "a,c,where\n" + "".join(
    f"{a},{c},{'in' if a * a + b * b < 5 else 'out'}\n"
    for a in range(-4, 5)
    for b, c in ((0, "p"), (2, "q"), (4, "r"))
)


def test_xor_becomes_separable_in_products_of_two(run, tmp_path):
    (tmp_path / "xor.csv").write_text("a,b,y\n" + "0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n" * 6)
    plain = json.loads(run("learn", tmp_path / "xor.csv", "--label", "y", "--json")[1])
    assert (plain["separability"]["verdict"], plain["table"]["degree"]) == ("overlapping", 1)
    model = tmp_path / "m.json"
    code, out, _ = run(
        "learn", tmp_path / "xor.csv", "--label", "y", "--degree", 2, "--json", "--model", model
    )
    verdict = json.loads(out)
    assert code == 0
    assert verdict["separability"]["verdict"] == "separable"
    assert verdict["table"]["features"] == ["a", "b", "a b"]
    assert verdict["table"]["products"] == [[0], [1], [0, 1]]
    assert "rounded to a double" in verdict["separability"]["in_words"]
    (tmp_path / "new.csv").write_text("a,b\n0,0\n0,1\n1,0\n1,1\n")
    _, out, _ = run("predict", model, tmp_path / "new.csv")
    assert [r["answer"] for r in csv.DictReader(io.StringIO(out))] == ["no", "yes", "yes", "no"]


def test_products_of_categories_and_their_text(run, tmp_path):
    (tmp_path / "t.csv").write_text(RING)
    code, out, _ = run("learn", tmp_path / "t.csv", "--label", "where", "--degree", 2, "--full")
    assert code == 0
    assert "each rounded to a double." in " ".join(out.split())
    assert "2 columns as 6 features" in out
    for name in ("a^2", "a c=q", "a c=r"):
        assert f"  {name}\n" in out
    assert "c=q c=r" not in out
