"""What a model file says of the ways its columns were read, and what it may not say."""

import json

import pytest

from separatrix import InputError, judge, load, read_table, save
from separatrix.model.checksum import KEY, checksum

TABLE = "since;pay;home;x;y\n" + "".join(
    f"{1 + k % 28:02d}.01.2025;€ {k},5;{['yes', 'Yes', 'NO', 'no'][k % 4]};{k if k % 5 else ''};"
    f"{'no' if (k * 7) % 11 < 5 else 'yes'}\n"
    for k in range(40)
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "t.csv").write_text(TABLE)
    table = read_table(
        folder / "t.csv", "y", parse=["money", "dates"], fold_case=True, missing="level"
    )
    verdict = judge(table, fewest_nodes=5)
    save(verdict.model, folder / "m.json")
    return table, (folder / "m.json").read_text()


def test_recipes_come_back_as_they_were(written, tmp_path):
    table, text = written
    (tmp_path / "m.json").write_text(text)
    assert [recipe.column for recipe in table.recipes] == ["since", "pay", "home", "x"]
    assert load(tmp_path / "m.json").table_.recipes == table.recipes


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"first": "2025-13-01"}),
        (0, {"first": 5}),
        (0, {"first": "20250101"}),
        (0, {"order": "any"}),
        (0, {"parts": []}),
        (0, {"column": "pay"}),
        (0, {"column": "other"}),
        (0, {"kind": "other"}),
        (0, {"more": 1}),
        (1, {"decimal": ";"}),
        (1, {"unit": None}),
        (1, {"kind": "levels"}),
        (2, {"fold": 1}),
        (2, {"kept": 5}),
        (2, {"column": "x"}),
        (3, {"indicator": False}),
        (3, {"indicator": "yes"}),
    ],
)
def test_recipes_that_no_table_has_are_refused(written, tmp_path, place, change):
    data = json.loads(written[1])
    data["table"]["recipes"][place] |= change
    data[KEY] = checksum(data)
    (tmp_path / "m.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="no model file that this version can use"):
        load(tmp_path / "m.json")
