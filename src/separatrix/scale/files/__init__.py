"""Tables of files that are no plain numbers: read in chunks and converted once to scratch files.

In reading order: `chunks` (raw cells, a chunk at a time), `converting` (the passes), `encoded` (the
source that comes of them).
"""
