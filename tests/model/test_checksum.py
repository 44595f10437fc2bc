"""A file knows when it was changed."""

import hashlib
import json

import pytest

from separatrix import InputError, load
from tests.model.files import from_a_table

CHANGES = {
    "weight": lambda d: d["weights"].__setitem__(1, d["weights"][1] + 1.0),
    "term": lambda d: d["table"]["monomials"]["terms"].reverse(),
    "parameter": lambda d: d["parameters"].update(fit_intercept=1),
    "dialect": lambda d: d["table"]["origin"]["dialect"].update(delimiter=";"),
    "label": lambda d: d["labels"]["values"].reverse(),
    "level": lambda d: d["table"]["columns"][1]["levels"].__setitem__(2, "x"),
    "version of the checksum": lambda d: d.update(sha256=d["sha256"].upper()),
    "checksum": lambda d: d.update(sha256="0" * 64),
    "checksum of another kind": lambda d: d.update(sha256=7),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(tmp_path, name):
    data = from_a_table(tmp_path)
    CHANGES[name](data)
    (tmp_path / "m").write_text(json.dumps(data))
    with pytest.raises(InputError, match="changed after it was written"):
        load(tmp_path / "m")


def test_a_file_of_another_layout_is_the_same_file(tmp_path):
    data = from_a_table(tmp_path)
    before = load(tmp_path / "m")
    backwards = dict(reversed(data.items()))
    for layout in ({"indent": 7}, {"separators": (",", ":")}, {"ensure_ascii": True}):
        (tmp_path / "m").write_text(json.dumps(backwards, **layout))
        assert load(tmp_path / "m").coef_.tolist() == before.coef_.tolist()


def test_the_checksum_is_what_the_handbook_says(tmp_path):
    data = from_a_table(tmp_path)
    said = data.pop("sha256")
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == said
