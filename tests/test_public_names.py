"""What users import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import separatrix


def test_all_is_sorted_and_every_name_is_there():
    assert separatrix.__all__ == sorted(separatrix.__all__)
    for name in separatrix.__all__:
        assert getattr(separatrix, name) is not None
    assert set(separatrix.__all__) <= set(dir(separatrix))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        separatrix.nonsense  # noqa: B018


def test_importing_the_package_imports_nothing_heavy():
    heavy = "('numba', 'numpy', 'sklearn')"
    program = f"import separatrix, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
