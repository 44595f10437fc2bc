"""A model file that was learned from a table."""

import pytest

from separatrix import LogisticRegression, save
from tests.exporting.databases import learned
from tests.predicting.files import TABLE


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    model, _, X = learned(tmp_path / "t.csv", LogisticRegression(), "fill", label="pays")
    save(model, tmp_path / "m.json")
    return tmp_path, model, X
