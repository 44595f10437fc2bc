"""Answers for the rows of a table, by a model file, and why.

In reading order: `answers` (of a model to rows), `explaining` (a score as the sum of its parts),
`agreeing` (whether all separating lines say the same), `writing` (as CSV and Parquet, of a table of
any size), `frames` (of data frames).
"""

from separatrix.predicting.writing import answers_csv, write_answers

__all__ = ["answers_csv", "write_answers"]
