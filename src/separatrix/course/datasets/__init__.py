"""Data with a known target, and real tables to try things on.

`points` (numbers with a margin and noise), `stories` (the two examples of the course: who gets a
credit card, who graduates; makers by name; tables and the files made of them), `demos`
(scikit-learn's bundled real tables).
"""

from separatrix.course.datasets.demos import Demo, load_demo
from separatrix.course.datasets.points import (
    NoisyPoints,
    SeparablePoints,
    make_noisy,
    make_separable,
)
from separatrix.course.datasets.stories import (
    MadeTable,
    made_by_name,
    make_credit,
    make_graduation,
    points_table,
)
