"""The learner around the search: what it adopts, warns of and keeps."""

import numpy as np
import pytest

from separatrix import MinimumErrorClassifier, NotConvergedWarning, Stopped
from tests.zero_one.tables import beside_a_plane

XOR = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
X = np.random.default_rng(0).standard_normal((300, 6))
Y = np.where(X[:, 0] + np.random.default_rng(1).standard_normal(300) > 0, 1, 0)


def test_xor_needs_one_mistake():
    model = MinimumErrorClassifier().fit(XOR, [0, 1, 1, 0])
    assert (model.n_errors_, model.lower_bound_, model.proven_) == (1.0, 1.0, True)
    assert model.stopped_ is Stopped.PROVEN
    assert (model.predict(XOR) != [0, 1, 1, 0]).sum() == 1
    assert model.certificate_.verify(XOR, [0, 1, 1, 0])


def test_a_line_that_doubles_do_not_hold_is_not_said_to_be_learned():
    rows, y = beside_a_plane()
    with pytest.warns(NotConvergedWarning, match="fractions"):
        model = MinimumErrorClassifier(time_limit=None).fit(rows, y)
    assert model.n_errors_ == (model.predict(rows) != y).sum() > 0
    assert (model.lower_bound_, model.proven_) == (0.0, False)
    assert model.stopped_ is Stopped.FRACTIONS


def test_costs_choose_the_kind_of_mistake():
    free_yes = MinimumErrorClassifier(cost_wrong_yes=0.25).fit(XOR, [0, 1, 1, 0])
    assert free_yes.n_errors_ == 0.25
    assert free_yes.predict(XOR).sum() == 3


def test_a_limit_warns_and_keeps_the_best_line():
    with pytest.warns(NotConvergedWarning, match="between"):
        model = MinimumErrorClassifier(time_limit=None, max_nodes=50).fit(X, Y)
    assert model.stopped_ is Stopped.NODES_SPENT
    assert model.n_errors_ == (model.predict(X) != Y).sum()
    assert 0 <= model.lower_bound_ < model.n_errors_
