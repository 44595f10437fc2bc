"""Answers for the rows of a table, by a model file, and why.

In reading order: `answers` (the CSV), `explaining` (a score as the sum of its parts), `agreeing`
(whether all separating lines say the same), `in_blocks` (of tables larger than memory).
"""

from separatrix.predicting.answers import answers_csv

__all__ = ["answers_csv"]
