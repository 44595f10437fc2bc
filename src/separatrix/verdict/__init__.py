"""The verdict on a table: which line, how many mistakes, separable or not, and what to beware of.

`judge` runs everything and returns plain data; how it is shown is the report's business.
"""

from separatrix.verdict.judging import Verdict, judge
from separatrix.verdict.panel import Contestant, LearnerResult

__all__ = ["Contestant", "LearnerResult", "Verdict", "judge"]
