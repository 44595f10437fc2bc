"""Model files: versioned JSON that says everything a prediction needs, and is safe to load.

Loading builds objects from a closed list of classes; nothing is ever executed. In reading order:
`kinds` (what there is), `joining` (a line as a model, lines for many labels), `writing`, `strict`
(JSON that is safe to read), `reading` (every part checked).
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
