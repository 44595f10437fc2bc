"""What users import."""

import gc
import inspect

import pytest

import separatrix
from tests.processes import python


def test_all_is_sorted_and_every_name_is_there():
    assert separatrix.__all__ == sorted(separatrix.__all__)
    for name in separatrix.__all__:
        assert getattr(separatrix, name) is not None
    assert set(dir(separatrix)) < set(separatrix.__all__)
    hidden = sorted(set(separatrix.__all__) - set(dir(separatrix)))
    assert "PlaneDisplay" in hidden
    assert "Multipliers" in hidden
    assert {"judge", "separability", "animate", "read_table"} <= set(dir(separatrix))


def test_what_is_exported_has_a_docstring():
    missing = []
    for name in separatrix.__all__:
        thing = getattr(separatrix, name)
        members = inspect.getmembers(thing, inspect.isroutine) if inspect.isclass(thing) else []
        said = {name: thing, **{w: m for w, m in members if not w.startswith("_")}}
        missing += [(name, word) for word, of in said.items() if not inspect.getdoc(of)]
    assert missing == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        separatrix.nonsense  # noqa: B018


def test_importing_the_package_imports_nothing_heavy():
    heavy = "('matplotlib', 'numba', 'numpy', 'sklearn')"
    program = f"import separatrix, sys; print([m for m in {heavy} if m in sys.modules])"
    assert python("-c", program).stdout.strip() == "[]"


def test_libraries_that_arrays_may_do_without_are_loaded_when_they_are_used():
    program = """
import sys
sys.modules["pandas"] = None  # which loads pyarrow itself
from separatrix import Perceptron, judge
print([m for m in ("numba", "flint", "pyarrow") if m in sys.modules])
Perceptron().fit([[0.0], [1.0]], [0, 1])
print([m for m in ("numba", "flint", "pyarrow") if m in sys.modules])
"""
    assert python("-c", program).stdout.split("\n")[:2] == ["[]", "['numba']"]


COLLECTORS = """
import gc, numba, os, pandas, scipy.stats, sklearn.base  # what takes long is there already
for before in ("", "gc.disable()", "gc.freeze()", "gc.disable(); gc.freeze()"):
    if not (child := os.fork()):
        exec(before)
        from separatrix import vc_bound
        print(gc.isenabled(), gc.get_freeze_count() > 0, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_the_garbage_collector_is_left_as_it_was_found():
    said = python("-c", COLLECTORS).stdout.splitlines()
    assert said == ["True False", "False False", "True True", "False True"]


def test_a_failed_import_leaves_the_collector_on():
    from separatrix._loading import load

    with pytest.raises(ModuleNotFoundError):
        load("separatrix.no_such_module")
    assert gc.isenabled()
