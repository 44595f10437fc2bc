"""Sizes of memory, and the blocks that fit into them."""

import numpy as np
import pytest

from separatrix import InputError
from separatrix.scale import budget
from separatrix.scale.files.converting import Converter
from separatrix.scale.tables_of_files import first_rows, open_table
from separatrix.tables.options import Reading
from separatrix.tiles import TILE


@pytest.mark.parametrize(("asked", "size"), [
    ("512MB", 512_000_000), ("1.5 GiB", 3 << 29), (10**9, 10**9), ("2gb", 2 * 10**9),
])  # fmt: skip
def test_sizes_are_read_with_their_unit(asked, size):
    assert budget.memory_in_bytes(asked) == budget.memory_budget(asked) + budget.STARTED == size


@pytest.mark.parametrize("asked", ["", "much", "-1GB", "3 GHz", "1MB", "511MB", "1e9", "nan"])
def test_other_sizes_are_refused(asked):
    with pytest.raises(InputError, match="--memory"):
        budget.memory_in_bytes(asked)


def test_processes_share_a_size():
    assert budget.memory_in_bytes("1536MB", 3) == 512 * 10**6
    with pytest.raises(InputError, match="1536MB is the least that works for 3 processes"):
        budget.memory_in_bytes("1GB", 3)


@pytest.mark.parametrize("d", [1, 20, 3000])
def test_blocks_are_whole_tiles_within_the_budget(d):
    rows = budget.rows_per_block(8 * d + 16, 10**9)
    assert rows % TILE == 0
    assert rows * (8 * d + 16) <= max(budget.LARGEST_BLOCK, TILE * (8 * d + 16))
    assert budget.memory_budget() > 10**8


def test_a_file_that_is_too_wide_is_refused_before_it_is_read_or_written(tmp_path, monkeypatch):
    names = ",".join(f"x{j}" for j in range(14_000))
    path = tmp_path / "wide.csv"
    path.write_text(f"{names}\n{names}\n")
    with pytest.raises(InputError, match=r"524MB is the least that works for wide.csv, of 14,000"):
        first_rows(path, Reading(header=True), "512MB")
    assert first_rows(path, Reading(header=True), "524MB")[0].lines.size == 1
    rows = np.arange(1.0, 20 * 1500 + 1).reshape(20, 1500)
    path.write_text(f"{','.join(names.split(',')[:1500])},y\n")
    with path.open("a") as file:
        file.writelines(f"{','.join(map(str, row))},{k % 2}\n" for k, row in enumerate(rows))
    monkeypatch.delattr(Converter, "_write")
    with pytest.raises(InputError, match=r"MB is the least that works for wide.csv, of 1,500"):
        open_table(path, "y", memory="512MB", scratch=tmp_path)
