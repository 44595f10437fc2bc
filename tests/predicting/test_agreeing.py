"""Whether all separating lines give a row the same answer."""

import csv
import io
import json

import numpy as np
import pytest

from separatrix import InputError, SeparatrixWarning, agree, load
from separatrix.model.strict import sealed
from separatrix.predicting import answers_csv, writing
from separatrix.predicting.writing import learned_table
from separatrix.tables import fit_encoding
from tests.predicting.files import SEPARABLE, learned_file


def agreeing(folder, new, **options):
    (folder / "new.csv").write_text(new)
    options = {"learned_from": folder / "t.csv", **options}
    text = answers_csv(folder / "m.json", folder / "new.csv", **options)
    return [row["separating_lines"] for row in csv.DictReader(io.StringIO(text))]


def test_whether_all_separating_lines_agree(tmp_path):
    table = learned_file(tmp_path)
    new = "age,sex\n10,f\n22,f\n31,f\n35,f\n44,f\n60,f\n46,m\n"
    found = agreeing(tmp_path, new)
    X = fit_encoding(table.columns, "drop").encode(table.columns, table.lines)
    points = [[22.0, 0], [31, 0], [35, 0], [44, 0], [46, 1]]
    words = {"yes": "all say yes", "no": "all say no", "undecided": "the data do not decide"}
    want = [words[a] for a in agree(X, table.y, points)]
    assert [found[1], found[2], found[3], found[4], found[6]] == want
    assert len(set(found)) == 3


def test_whether_lines_agree_is_said_in_the_words_of_the_labels(tmp_path):
    new = "age,sex\n10,f\n35,f\n60,m\n20,f\n"  # the last one is also said to be good
    for rows in ("", "20,f,good\n"):
        content = SEPARABLE.replace("yes", "good").replace("no", "bad") + rows
        table = learned_file(tmp_path, content)
        assert (table.no, table.yes) == ("bad", "good")
        who = "all with the fewest mistakes" if rows else "all"
        undecided = "the data do not decide"
        assert agreeing(tmp_path, new) == [
            f"{who} say bad", undecided, f"{who} say good", f"{who} say bad"
        ]  # fmt: skip


def test_lines_are_asked_of_the_table_that_was_learned_from_and_of_no_other(tmp_path):
    learned_file(tmp_path)
    (tmp_path / "u.csv").write_text(SEPARABLE.replace("31", "32"))
    with pytest.raises(InputError, match=r"is not the table.*SHA-256 is .* the model remembers"):
        agreeing(tmp_path, "age,sex\n10,f\n", learned_from=tmp_path / "u.csv")
    # a model that does not remember it
    data = json.loads((tmp_path / "m.json").read_text())
    del data["table"]["origin"]
    (tmp_path / "m.json").write_text(json.dumps(sealed(data)))
    with pytest.warns(SeparatrixWarning, match="taken on trust"):
        assert agreeing(tmp_path, "age,sex\n22,f\n") == ["all say no"]


def test_a_row_left_undecided_by_a_limit_is_not_called_undecided_by_the_data(tmp_path, monkeypatch):
    r = np.random.default_rng(0)
    X, y = r.standard_normal((40, 5)).round(3), r.integers(0, 2, 40)
    lines = [",".join(map(str, [*x, "yn"[k]])) for x, k in zip(X.tolist(), y, strict=True)]
    learned_file(tmp_path, "\n".join(["a,b,c,d,e,pays", *lines]), yes="y")
    monkeypatch.setattr(writing, "MOST_NODES", 1)
    with pytest.warns(SeparatrixWarning, match="undecided: limit: .*is open"):
        assert agreeing(tmp_path, "a,b,c,d,e\n1,2,3,4,5\n") == ["undecided: limit"]


def test_where_the_fewest_mistakes_are_open_that_is_said(tmp_path):
    learned_file(tmp_path, SEPARABLE + "20,f,yes\n")
    many = "age,sex\n" + "10,f\n" * 201
    with pytest.warns(SeparatrixWarning, match="open for every row: 201 rows would take long"):
        assert agreeing(tmp_path, many) == ["open"] * 201


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SEPARABLE.replace(",", ";").replace(";f", ",5;f"), {"decimal": ",", "delimiter": ";"}),
        (SEPARABLE.replace("40,m", "?,m"), {"missing": "fill"}),
        (SEPARABLE.replace("40,m", "?,m"), {"missing": "drop"}),
        (SEPARABLE + "33,m,\n", {"unlabelled": "drop"}),
        (SEPARABLE.replace("44,f,yes", "44,f,Yes"), {"fold_labels": True}),
        (SEPARABLE + "70,m,perhaps\n", {"yes": "yes"}),
        (SEPARABLE.replace("f,", "1,").replace("m,", "2,"), {"text": ["sex"]}),
    ],
    ids=["dialect", "fill", "drop", "unlabelled", "folded", "rest", "text"],
)
def test_the_table_is_read_again_as_it_was_read_then(tmp_path, text, options):
    table = learned_file(tmp_path, text, **options)
    model = load(tmp_path / "m.json")
    again = learned_table(model, tmp_path / "t.csv", {})
    assert again.y.tolist() == table.y.tolist()
    assert again.lines.tolist() == table.lines.tolist()
    encode = model.table_.encoding.encode
    assert (encode(again.columns, again.lines) == encode(table.columns, table.lines)).all()
