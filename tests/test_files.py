"""Files out: all or none, each of them whole, nothing left behind."""

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from separatrix.data import InputError
from separatrix.files import STAGING, write_atomically, write_together


def holds(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_new_and_former_files_are_written_together(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    names = [str(tmp_path / name) for name in "cab"]
    write_together(dict(zip(names, ["1", b"2", "\N{OWL}"], strict=True)))
    assert holds(tmp_path) == {"c": "1", "a": "2", "b": "\N{OWL}"}
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o666 & ~mask
    assert len(list(tmp_path.iterdir())) == 3


@pytest.fixture
def frozen(tmp_path):
    """A file that cannot be replaced, though its folder and its mode say that it can."""
    path = tmp_path / "frozen"
    path.write_text("old")
    if subprocess.run(["chattr", "+i", path], capture_output=True, check=False).returncode:
        pytest.skip("this file system or user cannot make a file immutable")
    yield path
    subprocess.run(["chattr", "-i", path], check=True)


def test_a_failure_between_two_names_puts_the_former_files_back(tmp_path, frozen, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("old")
    inode = (tmp_path / "a").stat().st_ino
    contents = dict.fromkeys(("a", "b", "frozen", "c"), "new")
    with pytest.raises(InputError, match=r"cannot write 'frozen': .*not permitted"):
        write_together(contents)
    assert holds(tmp_path) == {"a": "old", "frozen": "old"}
    assert (tmp_path / "a").stat().st_ino == inode
    assert len(list(tmp_path.iterdir())) == 2


def test_one_file_under_two_names_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match="name one file"):
        write_together({str(tmp_path / "a"): "1", str(tmp_path / "link"): "2"})
    assert not (tmp_path / "a").exists()


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "new"


def test_a_folder_left_by_a_dead_process_goes_with_the_next_write(tmp_path):
    left = tmp_path / f"{STAGING}dead"
    left.mkdir()
    (left / "new").write_text("half")
    write_atomically(tmp_path / "a", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_folder_of_the_user_that_is_named_alike_stays(tmp_path):
    notes = tmp_path / f"{STAGING}notes"
    notes.mkdir()
    (notes / "mine").write_text("keep")
    write_atomically(tmp_path / "a", "new")
    assert (notes / "mine").read_text() == "keep"


def test_four_writers_at_once_leave_whole_files_and_nothing_else(tmp_path):
    write_together({str(tmp_path / name): "old" for name in "ab"})

    def write(k):
        for _ in range(25):
            write_together({str(tmp_path / name): f"{k}" * 1000 for name in "ab"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    found = holds(tmp_path)
    assert set(found) == {"a", "b"}
    assert all(text in {f"{k}" * 1000 for k in range(4)} for text in found.values())
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_changes_nothing(tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator can mount a small disk")
    try:
        (disk / "a").write_text("old")
        monkeypatch.chdir(disk)
        with pytest.raises(InputError, match="cannot write 'b': No space left"):
            write_together({"a": "new", "b": "x" * 10**6})
        monkeypatch.chdir(tmp_path)
        assert holds(disk) == {"a": "old"}
        assert len(list(disk.iterdir())) == 1
    finally:
        subprocess.run(["umount", disk], check=True)
