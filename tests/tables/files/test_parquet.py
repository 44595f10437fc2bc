"""Tables in Parquet files."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from separatrix.data import InputError
from separatrix.tables import fit_encoding, read_rows, read_table
from tests.tables.files import PLAIN, parquet, values


def test_parquet_types(tmp_path):
    path = parquet(
        tmp_path / "t.parquet",
        i=pa.array([1, 2, 3], pa.int8()),
        f=pa.array([0.1, 0.2, 0.3], pa.float32()),
        d=pa.array([Decimal("0.1"), Decimal("2.5"), Decimal("-3.3")], pa.decimal128(20, 4)),
        s=["1.5", "2.5", "3"],
        b=[True, False, True],
        c=pa.array(["7", "8", "7"]).dictionary_encode(),
        label=[0, 1, 1],
    )
    table = read_table(path, "label")
    assert values(table, "d") == [0.1, 2.5, -3.3]
    assert values(table, "f") == [float(np.float32(v)) for v in (0.1, 0.2, 0.3)]
    assert values(table, "s") == [1.5, 2.5, 3]
    assert values(table, "b") == ["true", "false", "true"]
    assert values(table, "c") == ["7", "8", "7"]
    assert (table.no, table.yes) == ("0", "1")
    encoding = fit_encoding(table.columns, "drop")
    rows = read_rows(path, encoding, known_extra=["label"])
    assert np.array_equal(
        encoding.encode(rows.columns, rows.lines, rows.line_word),
        encoding.encode(table.columns, table.lines),
    )


def test_parquet_that_cannot_be_used(tmp_path, write):
    path = parquet(tmp_path / "n.parquet", a=[[1], [2]], b=[1, 2], label=["no", "yes"])
    with pytest.raises(InputError, match=r"'a' holds 'list.*neither numbers nor text.*drop="):
        read_table(path, "label")
    path = parquet(tmp_path / "i.parquet", a=[1.0, float("inf")], label=["no", "yes"])
    with pytest.raises(InputError, match="row 2, column 'a': 'inf' is infinite"):
        read_table(path, "label")
    whole = path.read_bytes()
    for broken in (whole[:-20], b"PAR1", b"PAR1" + b"\0" * 40 + b"PAR1", whole[:60] + whole[90:]):
        with pytest.raises(InputError, match="broken Parquet file"):
            read_table(write(broken, "b.parquet"), "label")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_table(write(PLAIN), "label", format="parquet")
    with pytest.raises(InputError, match="format must be csv or parquet or svmlight"):
        read_table(write(PLAIN), "label", format="xml")
    path = parquet(tmp_path / "e.parquet", a=pa.array([], pa.int64()))
    with pytest.raises(InputError, match="no rows"):
        read_table(path, "a")
