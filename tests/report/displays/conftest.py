"""Axes to draw on, and tables to draw."""

import pytest

import separatrix as sx
from tests.report.displays.drawn import new_axes


@pytest.fixture
def ax():
    return new_axes()


@pytest.fixture(scope="session")
def iris():
    X, y, names = sx.load_demo("iris_versicolor_virginica")
    return X, y, names


@pytest.fixture(scope="session")
def separated():
    made = sx.make_separable(60, 2, margin=0.02, seed=21)
    return made.X, made.y, made.target
