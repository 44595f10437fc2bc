"""The averaged perceptron: the naive mean over visits, PLA's own walk, what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from separatrix import AveragedPerceptron, Multipliers, Perceptron, Separation, Stopped
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables
from tests.learners.paths import weights

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@examples(40)
@given(table=integer_tables())
def test_the_walk_is_plas(table):
    X, y = table
    mean = AveragedPerceptron(max_iter=30, learning_rate=0.3).fit(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        pla = Perceptron(max_iter=30, learning_rate=0.3).fit(X, y)
    assert mean.trace_.rows.tolist() == pla.trace_.rows.tolist()
    assert np.array_equal(mean.last_coef_, pla.coef_)
    assert (mean.n_iter_, mean.stopped_) == (pla.n_iter_, pla.stopped_)
    kind = Separation if mean.stopped_ is Stopped.CLEAN_PASS else Multipliers
    assert isinstance(mean.certificate_, kind)
    assert mean.certificate_.verify(X, y)
    dense = weights(mean)
    sparse = AveragedPerceptron(max_iter=30, learning_rate=0.3).fit(sp.csr_array(X), y)
    assert np.array_equal(weights(sparse), dense)


def test_a_budget_of_updates_ends_the_average_where_it_ends_the_walk():
    model = AveragedPerceptron(max_updates=2).fit(AND, [0, 0, 0, 1])
    # rows 0 (a tie: mistake) and 3 are corrected at visits 1 and 4; row 0 is wrong again at 5
    assert (model.n_updates_, model.n_visits_, model.stopped_) == (2, 4, Stopped.UPDATES_SPENT)
    assert weights(model).tolist() == [-0.75, 0.25, 0.25]


def test_no_pass_at_all_is_the_start():
    model = AveragedPerceptron(max_iter=0, init=[1.0, 2.0, 3.0]).fit(AND, [0, 0, 0, 1])
    assert weights(model).tolist() == [1.0, 2.0, 3.0]
    assert model.certificate_ is None
