"""Answers for the rows of a table, by a model file, and why."""

from separatrix.predicting.writing import answers_csv, write_answers

__all__ = ["answers_csv", "write_answers"]
