"""`separatrix.plain` is ordinary Python: the standard library and its own files, nothing else."""

import ast
import re
import sys
from pathlib import Path

import pytest

import separatrix.plain

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "plain.md"
FILES = sorted(Path(separatrix.plain.__file__).parent.glob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_imported_but_the_standard_library_and_plain_files(path):
    for module in imported(path):
        ours = module.startswith("separatrix.plain.")
        assert ours or module.split(".")[0] in sys.stdlib_module_names, module


def test_the_reading_order_names_every_file_once():
    listed = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    assert sorted(listed) == [path.stem for path in FILES if path.stem != "__init__"]


def test_a_file_needs_nothing_that_stands_below_it():
    order = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    for path in FILES:
        for module in imported(path):
            if module.startswith("separatrix.plain."):
                assert order.index(module.split(".")[-1]) < order.index(path.stem), path.stem


def test_the_handbook_shows_every_file_in_reading_order():
    order = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    shown = re.findall(r"/plain/(\w+)\.py$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown == order
