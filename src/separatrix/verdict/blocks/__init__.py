"""The verdict on a table that is read in blocks: the learners that learn so, and the whole screen.

In reading order: `views` (rows of a fold, standardised columns), `figures` (what reads of all rows
say of columns and of lines), `sampled` (some rows, for pictures), `judging`.
"""
