"""Model files: versioned JSON that says everything a prediction needs, and is safe to load.

Loading builds objects from a closed list of classes; nothing is ever executed. In reading order:
`lines` (what a model is, lines for many labels), `writing`, `strict` (JSON that is safe to read),
`reading` (every part checked).
"""

from separatrix.model.lines import (
    RULES,
    STRONGEST_FIRST,
    Lines,
    Origin,
    TableModel,
    features_of,
    joined,
    lines_of,
    n_questions,
    single,
    strengths,
    strongest_first,
    table_of,
    with_threshold,
)
from separatrix.model.reading import load
from separatrix.model.writing import save, text_of
