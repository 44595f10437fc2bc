"""A model file that was learned from a table."""

import numpy as np
import pytest

from separatrix import LogisticRegression, read_table, save
from separatrix.model import TableModel
from separatrix.tables import fit_encoding
from tests.predicting.files import TABLE


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    table = read_table(tmp_path / "t.csv", label="pays", missing="fill")
    encoding = fit_encoding(table.columns, "fill")
    X = encoding.encode(table.columns, table.lines)
    model = LogisticRegression().fit(X, np.where(table.y > 0, "yes", "no"))
    model.table_ = TableModel(encoding, table.label, table.extra)
    save(model, tmp_path / "m.json")
    return tmp_path, model, X
