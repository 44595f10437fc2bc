"""Settings of every test run: the same examples each time, and no clock in a verdict."""

import gc
import os
import signal
from compileall import compile_dir
from typing import Any

import pytest
from hypothesis import settings

from separatrix.kernels._machine import available_memory, cores
from tests.hostile.profile import examples
from tests.touched import SRC, OneMinute, touched

gc.set_threshold(200_000)  # as in a command: 8 % less time in a whole run, 10 % in collecting it
settings.register_profile(
    "separatrix", examples(100), deadline=None, derandomize=True, database=None
)
settings.load_profile("separatrix")

# A shell that starts the tests in the background has interrupts ignored, for all its children too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

WORKER_MEMORY = 3 << 29  # bytes; a worker of a whole run has 1.3 GB at its end


MANY = 500  # tests of a run in one process that will need most kernels


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--touched", nargs="?", const="HEAD", metavar="REF",
        help="run for a minute what the changes since REF (HEAD) touch, the nearest tests first",
    )  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Choose the files of `--touched` before workers are started; they have the same."""
    if config.option.touched:
        given = getattr(config, "workerinput", None)
        config.args[:] = given["touched"] if given else touched(config.option.touched)
        config.option.dist = "load"  # in the order of their distance
        if not config.args:
            pytest.exit("no test is touched", returncode=0)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node: Any) -> None:
    """Tell a worker the files of `--touched`."""
    node.workerinput["touched"] = node.config.args


def pytest_configure(config: pytest.Config) -> None:
    """Skip what `--touched` has not begun in time."""
    if config.option.touched:
        config.pluginmanager.register(OneMinute())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Spread a whole run over the cores; a named part (a file, a folder, `-k`) is one process.

    There is one worker more than cores: some of them wait for browsers, clusters and clocks.
    """
    option = config.option
    whole = option.touched or config.args == config.getini("testpaths")
    if not whole or option.keyword or option.markexpr or option.collectonly or option.usepdb:
        return 0
    room = available_memory()
    most = cores() + 1 if room is None else min(cores() + 1, room // WORKER_MEMORY)
    return most if most > 1 else 0


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile kernels and modules before workers start, instead of within each of them."""
    if session.config.getoption("numprocesses", None):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands would compile all they import
        compile_dir(SRC, quiet=2)
        _compile_all()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile them on all cores before many tests of one process, too."""
    gc.freeze()  # what is there now stays: 6 % less time in a whole run
    config = session.config
    alone = not hasattr(config, "workerinput") and not config.option.collectonly
    if alone and len(session.items) >= MANY:
        _compile_all()


def _compile_all() -> None:
    from separatrix.kernels.warm_up import compile_all

    compile_all()


@pytest.fixture
def run(capfdbinary, monkeypatch):
    """Run a command line in this process: exit code, stdout, stderr."""

    from separatrix import cli

    def call(*arguments):
        with pytest.raises(SystemExit) as left:
            cli.main([str(a) for a in arguments])
        out, err = capfdbinary.readouterr()
        return left.value.code, out.decode(), err.decode()

    monkeypatch.setenv("COLUMNS", "100")
    return call
