"""Why a learner stopped: every fit says one of these."""

from enum import Enum


class Stopped(Enum):
    """The reason; ``str()`` of it is a sentence."""

    CLEAN_PASS = "a whole pass met no mistake"  # noqa: S105  # a pass over the rows
    NOTHING_COUNTED = "no mistake with a weight is left; rows of weight 0 were not all looked at"
    CLEAN_UNDER_RULE = (
        "a whole pass met no mistake under the chosen sign(0), though zero scores count as mistakes"
    )
    UPDATES_SPENT = "the budget of updates was spent"
    PASSES_SPENT = "the budget of passes was spent"
    TIME_SPENT = "the time limit was reached"
    DECISIONS_SPENT = "the budget of rows decided in exact arithmetic was spent"
    INTERRUPTED = "it was interrupted; the best answer so far was kept"
    NOTHING = "there is nothing to learn"
    ONE_STEP = "the minimum was computed in one step"
    SMALL_GRADIENT = "the gradient is no longer than tol"
    OVERFLOW = "the next update would overflow float64; the weights before it were kept"
    LOWER_BOUND = "no line makes fewer mistakes: the count met its proven lower bound"
    CERTIFIED = "the certified gap reached tol"
    CERTIFIED_OF_OTHERS = (
        "the certified gap reached tol, of the other columns: collinear ones were left out"
    )
    SMALL_STEP = "the last step was no longer than tol standard errors"
    STEPS_SPENT = "the budget of steps was spent before the gap reached tol"
    PRECISION = "no step in double precision makes the error smaller"
    SEPARABLE = "the data are separable, so no finite optimum exists; a separating line was taken"
    ROUNDED = (
        "no finite optimum exists, and doubles hold no line found that puts every decided row on "
        "its own side"
    )
    PROVEN = "no line makes fewer mistakes: the bounds met"
    FRACTIONS = "a line makes fewer, but its weights are fractions that doubles do not hold"
    NODES_SPENT = "the budget of nodes was spent"
    PRECISION_OF_BOXES = "some boxes of weights are too small to be halved, and not decided"
    TOUCHING = "the data are quasi-completely separated, so no finite optimum exists"

    def __str__(self) -> str:
        return self.value
