"""The verdict on a table: which line, how many mistakes, separable or not, and warnings.

In reading order: `judging` (the door, and from there to the verdict), `asked` (questions, rows and
folds), `comparison` (the learners side by side), `selection`, `fewest`, `findings`, `bounds`,
`verdict` (what comes out).
"""

from separatrix.verdict.bounds import Bound
from separatrix.verdict.candidates import Candidate, JointResult, LearnerResult
from separatrix.verdict.judging import judge
from separatrix.verdict.verdict import MulticlassVerdict, Verdict

__all__ = [
    "Bound",
    "Candidate",
    "JointResult",
    "LearnerResult",
    "MulticlassVerdict",
    "Verdict",
    "judge",
]
