"""The averaged perceptron: where its walk ends."""

import numpy as np

from separatrix import AveragedPerceptron, Stopped
from tests.learners.tables import weights

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_a_budget_of_updates_ends_the_average_where_it_ends_the_walk():
    model = AveragedPerceptron(max_updates=2).fit(AND, [0, 0, 0, 1])
    # rows 0 (a tie: mistake) and 3 are corrected at visits 1 and 4; row 0 is wrong again at 5
    assert (model.n_updates_, model.n_visits_, model.stopped_) == (2, 4, Stopped.UPDATES_SPENT)
    assert weights(model).tolist() == [-0.75, 0.25, 0.25]


def test_no_pass_at_all_is_the_start():
    model = AveragedPerceptron(max_iter=0, init=[1.0, 2.0, 3.0]).fit(AND, [0, 0, 0, 1])
    assert weights(model).tolist() == [1.0, 2.0, 3.0]
    assert model.certificate_ is None
