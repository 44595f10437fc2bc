"""The verdict on a table: which line, how many mistakes, separable or not, and warnings.

`judge` runs everything and returns plain data; how it is shown is the report's business. A table of
two labels is one yes / no question, of more labels several. In reading order: `judging` (the door),
`asked` (questions, rows and folds of a table in memory or read in blocks), `judged` (from there to
the verdict); `cases` (a table as features), `question` (is it separable?), `sampled` (some rows of
many), `pairs` (which questions), `joint` (their lines together), `candidates` (the learners),
`training` (rows to learn from), `columns` and `scaling` (what PLA and pocket see), `comparison`
(all of them side by side), `folds`, `mistakes`, `selection` (which of them to take), `fewest` (the
fewest mistakes of any line), `findings` (warnings), `bounds` (what theory says of E_out), `verdict`
(what comes out).
"""

from separatrix.verdict.bounds import Bound
from separatrix.verdict.candidates import Candidate, LearnerResult
from separatrix.verdict.joint import JointResult
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
