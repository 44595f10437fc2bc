"""Model files: versioned JSON that says everything a prediction needs, and is safe to load.

A file holds the learner's name and parameters, its labels and weights (decimal text that reads back
to the same doubles) and, for a model learned from a table, how every column becomes features. Many
labels are many such learners and the rule that joins them. A SHA-256 of the content shows whether
it was changed. Loading builds objects from a closed list of classes; unknown or repeated keys,
numbers that are not finite, other versions, files too large or too deep, and parts that contradict
each other are refused. Nothing is ever executed.

In reading order: `kinds` (what there is), `joining` (a line as a model, lines for many labels, and
what those who write a model in another language need), `parts` (a learner as JSON), `writing`,
`strict` (JSON that is safe to read), `reading` (every part checked).
"""

from separatrix.model.joining import (
    RULES,
    Lines,
    joined,
    lines_of,
    n_questions,
    single,
    table_of,
    with_threshold,
)
from separatrix.model.kinds import Origin, TableModel
from separatrix.model.reading import load
from separatrix.model.strength import STRONGEST_FIRST, features_of, strengths, strongest_first
from separatrix.model.writing import save, text_of
