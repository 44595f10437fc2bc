"""Where bytes come from: files that change, pipes, devices and what is not a table."""

import os
from pathlib import Path

import pytest

from separatrix.data import InputError
from separatrix.tables import read_table
from separatrix.tables.files.source import refuse_changed
from tests.tables.files import PLAIN


def test_a_file_that_changes_while_it_is_read_is_refused(write):
    path = write(PLAIN)
    before = path.stat()
    with path.open("a") as file:
        file.write("50,4.5,no\n")
    with pytest.raises(InputError, match=r"changed while it was read.*copy it first"):
        refuse_changed("t.csv", before, path.stat(), before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    after = path.stat()
    with pytest.raises(InputError, match="changed"):  # a byte more than the size that was told
        refuse_changed("t.csv", after, after, after.st_size + 1)
    refuse_changed("t.csv", after, after, after.st_size)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_a_file_that_is_longer_than_it_says_is_refused():
    with pytest.raises(InputError, match="changed while it was read"):
        read_table("/proc/self/status", "label")


def test_a_directory_a_fifo_and_a_device_are_refused(tmp_path):
    with pytest.raises(InputError, match="is a directory, not a regular file"):
        read_table(tmp_path, "label")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(InputError, match="is a FIFO"):
        read_table(fifo, "label")
    with pytest.raises(InputError, match="is a device"):
        read_table("/dev/zero", "label")
    with pytest.raises(InputError, match=r"'absent.csv' cannot be read"):
        read_table(tmp_path / "absent.csv", "label")
    with pytest.raises(InputError, match="cannot be read"):
        read_table("a\0b", "label")


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"PK\x03\x04", b"ARROW1"])
def test_files_that_are_no_tables(write, start):
    with pytest.raises(InputError, match="is not a table: it is"):
        read_table(write(start + b"\0\0\0"), "label")
