"""Data with a known target, and real tables to try things on.

`points` (numbers with a margin and noise), `stories` (the two examples of the course: who gets a
credit card, who graduates), `table` (what stories are, and the files made of them), `demos`
(scikit-learn's bundled real tables), `by_name` (what the command line calls).
"""

from separatrix.course.datasets.by_name import made_by_name
from separatrix.course.datasets.demos import Demo, load_demo
from separatrix.course.datasets.points import (
    NoisyPoints,
    SeparablePoints,
    make_noisy,
    make_separable,
)
from separatrix.course.datasets.stories import make_credit, make_graduation
from separatrix.course.datasets.table import MadeTable, points_table
