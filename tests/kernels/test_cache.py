"""Machine code on disk: never stale, never half, never needed. Real processes, real folders."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from separatrix.kernels import _cache
from separatrix.kernels._jit import compiled
from tests.scratch_kernels import ANSWERS, CALLEE, PROGRAM, environment, make_package, run

COMPILED = [f"INFO {_cache.COMPILING}", ANSWERS]
LOADED = [ANSWERS]


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Return a package and the cache that its first run has filled."""
    folder = tmp_path_factory.mktemp("warm")
    make_package(folder)
    assert run(folder, folder / "cache") == COMPILED
    return folder


@pytest.fixture
def package(warm, tmp_path):
    """Return a copy of the warm cache; the package itself stays where it was."""
    shutil.copytree(warm / "cache", tmp_path / "cache")
    return warm, tmp_path / "cache"


def files(cache: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def test_the_second_run_loads_and_writes_nothing(package):
    folder, cache = package
    before = files(cache)
    assert len(before) == 6  # three kernels, for whole numbers and for doubles
    assert run(folder, cache) == LOADED
    assert files(cache) == before


def test_an_interrupt_while_code_is_loaded_comes_after_it(package):
    """LLVM forgot it where it asked for the code, and a kernel without code was called."""
    before = """
import signal, sys
def at_callback(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "_raw_object_cache_getbuffer":
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)
from separatrix.kernels.caller import three
sys.setprofile(at_callback)
try:
    three(0.5)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(*package, before) == ["interrupted", ANSWERS]


def test_damaged_files_are_compiled_again_with_one_line(package):
    folder, cache = package
    whole = files(cache)
    another = whole[min(whole)]
    damages = [
        lambda _: b"",
        lambda code: code[:-1],
        lambda code: code[:-500] + bytes([code[-500] ^ 1]) + code[-499:],
        lambda code: bytes([code[0] ^ 128]) + code[1:],
        lambda _: b"\x80\x04K\x01." * 100,  # a pickle of somebody else's
        lambda _: another,  # the code of another kernel
    ]
    for path, damage in zip(sorted(whole), damages, strict=True):
        path.write_bytes(damage(whole[path]))
    assert run(folder, cache) == COMPILED
    assert [path.stat().st_size for path in whole] == [len(code) for code in whole.values()]
    assert run(folder, cache) == LOADED


def test_files_that_another_version_of_numba_wrote_are_compiled_again(package):
    folder, cache = package
    other = "import numba; numba.__version__ = '0.1.0'\n"
    assert run(folder, cache, before=other) == COMPILED
    assert run(folder, cache) == COMPILED


def test_an_edit_in_a_callee_is_seen_by_its_callers(package):
    folder, cache = package
    make_package(folder, CALLEE.replace("x + 1", "x + 5"))
    found = run(folder, cache)
    make_package(folder)
    assert found == [COMPILED[0], "7 7.5 6 5"]


def test_an_edit_compiles_the_callers_again_and_nothing_else(package):
    folder, cache = package
    written = {path: path.stat().st_mtime_ns for path in files(cache)}
    caller = folder / "separatrix" / "kernels" / "caller.py"
    text = caller.read_text()
    caller.write_text(text + "# a comment\n")
    found = run(folder, cache)
    caller.write_text(text)
    assert found == COMPILED
    again = {path.name for path, time in written.items() if path.stat().st_mtime_ns != time}
    assert {name.split("-")[0] for name in again} == {"caller.two", "caller.three"}


def not_read(lines: list[str], others: Path) -> None:
    compiled_and_not_kept(lines, f"another user can write to the folder: '{others}'")


def test_nothing_is_read_where_another_user_can_write(package):
    folder, cache = package
    (kept,) = {path.parent for path in files(cache)}
    kept.chmod(0o777)
    not_read(run(folder, cache), kept)
    kept.chmod(0o755)
    assert run(folder, cache) == LOADED


@pytest.mark.skipif(os.getuid() != 0, reason="needs the right to give files away")
def test_nothing_is_read_that_another_user_owns(package):
    folder, cache = package
    (kept,) = {path.parent for path in files(cache)}
    os.chown(kept, 12345, -1)
    not_read(run(folder, cache), kept)
    os.chown(kept, 0, 12345)
    kept.chmod(0o775)
    not_read(run(folder, cache), kept)
    kept.chmod(0o755)
    assert run(folder, cache) == LOADED


@pytest.fixture
def shipped(warm, tmp_path):
    """Return a package with machine code of the best level that this processor has."""
    if not _cache.levels():
        pytest.skip("no processor of the level x86-64-v3")
    shutil.copytree(warm / "separatrix", tmp_path / "separatrix")
    target = f"""
import os
os.environ.update(NUMBA_CPU_NAME={_cache.levels()[0]!r}, NUMBA_CPU_FEATURES="")
"""
    assert run(tmp_path, tmp_path / "made", target) == COMPILED
    code = tmp_path / "separatrix" / "kernels" / "machine_code"
    code.mkdir()
    made = files(tmp_path / "made")
    for path, content in made.items():
        (code / path.name).write_bytes(content)
    sums = [f"{sha256(made[path]).hexdigest()}  {path.name}\n" for path in made]
    (code / "SHA256SUMS").write_text("".join(sums))
    return tmp_path, code


def test_code_that_came_with_the_package_is_loaded_until_its_file_is_edited(shipped):
    folder, _ = shipped
    assert run(folder, folder / "cache") == LOADED
    assert not (folder / "cache").exists()
    target = "import os\nos.environ.update(NUMBA_CPU_NAME='generic', NUMBA_CPU_FEATURES='')\n"
    assert run(folder, folder / "cache", target) == COMPILED  # another processor was asked for
    make_package(folder, CALLEE.replace("x + 1", "x + 5"))
    assert run(folder, folder / "edited")[-1] == "7 7.5 6 5"


def test_code_that_the_list_of_hashes_does_not_name_is_not_loaded(shipped):
    folder, code = shipped
    lines = (code / "SHA256SUMS").read_text().splitlines()
    forged = [f"{0:064x}{line[64:]}" if "callee.one" in line else line for line in lines]
    (code / "SHA256SUMS").write_text("\n".join(forged))
    assert run(folder, folder / "cache") == COMPILED
    assert {path.name.split("-")[0] for path in files(folder / "cache")} == {"callee.one"}
    (code / "SHA256SUMS").write_bytes(b"\xff no list\n\n" + bytes(9))
    assert run(folder, folder / "damaged") == COMPILED
    (code / "SHA256SUMS").unlink()
    assert run(folder, folder / "others") == COMPILED
    assert len(files(folder / "others")) == 6


def test_an_edit_while_a_process_runs_is_not_kept_under_the_old_text(tmp_path):
    kernels = make_package(tmp_path)
    edited = CALLEE.replace("x + 1", "x + 5")
    before = f"""
from separatrix.kernels import _jit
open({str(kernels / "callee.py")!r}, "w").write({edited!r})
"""
    assert run(tmp_path, tmp_path / "cache", before)[-1] == "7 7.5 6 5"
    make_package(tmp_path)
    assert run(tmp_path, tmp_path / "cache") == COMPILED


def test_the_cache_is_beside_the_source_else_in_the_users_folder(tmp_path):
    kernels = make_package(tmp_path)
    assert run(tmp_path) == COMPILED
    assert list((kernels / "__pycache__").glob("*.nbc"))
    assert not (tmp_path / "home").exists()
    shutil.rmtree(kernels / "__pycache__")
    (kernels / "__pycache__").write_text("no folder can be made here")
    assert run(tmp_path) == COMPILED
    assert list((tmp_path / "home" / "separatrix").rglob("*.nbc"))
    assert run(tmp_path) == LOADED


def test_after_a_run_killed_while_it_writes_two_at_once_fill_one_cache(warm, tmp_path):
    cache, most_bytes = tmp_path / "cache", 3000
    limits = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, {most_bytes}))
"""
    command, settings = [sys.executable, "-c", limits + PROGRAM], environment(warm, cache)
    killed = subprocess.run(command, env=settings, stdout=subprocess.PIPE, check=False)
    assert killed.returncode == -signal.SIGXFSZ
    (left,) = files(cache).items()
    assert (left[0].suffix, len(left[1])) == (".tmp", most_bytes)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(run, warm, cache) for _ in range(2)]
    assert all(one.result()[-1] == ANSWERS for one in both)
    assert run(warm, cache) == LOADED


def compiled_and_not_kept(lines: list[str], reason: str) -> None:
    said, not_kept, answers = lines
    assert [said, answers] == COMPILED
    assert not_kept.startswith("WARNING cannot keep compiled kernels (")
    assert reason in not_kept
    assert "NUMBA_CACHE_DIR" in not_kept


def test_folders_and_limits_that_take_nothing(warm, tmp_path):
    (tmp_path / "file").write_text("a file")
    compiled_and_not_kept(run(warm, tmp_path / "file"), "Not a directory")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    compiled_and_not_kept(run(warm, tmp_path / "cache", limit), "File too large")
    assert files(tmp_path / "cache") == {}


@contextlib.contextmanager
def mounted(folder: Path, options: str):
    """Mount a file system in memory, which takes the rights of an administrator."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_folder_is_read_all_the_same(package, tmp_path):
    warm, cache = package
    with mounted(tmp_path / "disk", "size=4m"):
        shutil.copytree(cache, tmp_path / "disk", dirs_exist_ok=True)
        remount = ["mount", "-o", "remount,ro", str(tmp_path / "disk")]
        subprocess.run(remount, check=True)
        assert run(warm, tmp_path / "disk") == LOADED


def test_settings_of_the_compiler_have_code_of_their_own(package):
    folder, cache = package
    checked = "import os; os.environ['NUMBA_BOUNDSCHECK'] = '1'\n"
    assert run(folder, cache, before=checked) == COMPILED
    assert run(folder, cache, before=checked) == LOADED
    assert run(folder, cache) == LOADED


def test_what_a_killed_process_left_is_removed_once_it_is_old(package):
    folder, cache = package
    (kept,) = {path.parent for path in files(cache)}
    old, young = kept / "a.nbc.1.tmp", kept / "a.nbc.2.tmp"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    shutil.copy(young, next(kept.glob("caller.three*")))  # so that something is written
    assert run(folder, cache) == COMPILED
    assert (old.exists(), young.exists()) == (False, True)


def test_functions_that_the_text_of_the_kernels_does_not_tell_apart_are_not_kept():
    def adder(amount):
        @compiled
        def add(x):
            return x + amount

        return add

    assert (adder(1)(1), adder(2)(1)) == (2, 3)
    assert adder(1)._cache.folders == ()
