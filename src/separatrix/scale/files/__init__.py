"""Tables of files that are no plain numbers: read in chunks and converted once to scratch files.

In reading order: `chunks` (raw cells, a chunk at a time), `distinct` (a column's values: numbers,
or codes of its distinct texts), `converting` (the passes, and the source that comes of them).
"""
