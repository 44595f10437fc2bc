"""The verdict on a table: which line, how many mistakes, separable or not, and what to beware of.

`judge` runs everything and returns plain data; how it is shown is the report's business. In reading
order: `folds`, `panel` (the learners), `findings` (what to beware of), `bounds` (what theory says
of E_out), `question` (one yes / no question), `asking`, `joint` and `multiclass` (many labels),
`judging` (the door).
"""

from separatrix.verdict.bounds import Bound
from separatrix.verdict.joint import JointResult
from separatrix.verdict.judging import judge
from separatrix.verdict.multiclass import MulticlassVerdict
from separatrix.verdict.panel import Contestant, LearnerResult
from separatrix.verdict.question import Verdict

__all__ = [
    "Bound",
    "Contestant",
    "JointResult",
    "LearnerResult",
    "MulticlassVerdict",
    "Verdict",
    "judge",
]
