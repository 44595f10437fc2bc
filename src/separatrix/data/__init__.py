"""The door: whatever arrays the caller has become one checked Sample, or a clear refusal.

This is the only room that validates arrays. Everything behind a `Sample` may assume that X is
finite float64 (C-ordered, or canonical CSR), that y holds -1 and +1, and that lengths agree;
learners that only walk along rows keep float32. What each kind of input gets is row by row in
`tests/data/`. In reading order: `refusals` (what is raised, in the words of Python or of a
command), `points` (X, dense or sparse), `sample` (y, both, and what learners call).
"""

from separatrix.data.points import (
    LARGEST_EXACT_INTEGER,
    Floats,
    Points,
    as_rows,
    dense,
    disjoint_runs,
    in_form,
    in_full,
    is_sparse,
    may_be_sparse,
    nonzeros_in,
    rows_at,
    runs_between,
    stacked,
    to_points,
)
from separatrix.data.refusals import (
    InputError,
    InputTypeError,
    NoFiniteOptimumWarning,
    SeparatrixWarning,
    describe_counts,
    ignored,
    joined,
    quiet,
    require_memory,
    shortened,
    typed,
    warn,
)
from separatrix.data.sample import (
    LARGEST_WEIGHT,
    Labels,
    Sample,
    constant_of,
    is_label,
    read_arrays,
    read_batch,
    read_classes,
    read_labels,
    read_numbers,
    read_pair,
    read_points,
    read_regression,
    read_sample,
    read_weight,
    refuse_look_alikes,
    refuse_missing,
    signs_of,
)
