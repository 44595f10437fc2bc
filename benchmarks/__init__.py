"""Speed, measured against the peers in one run; never in a timed test.

`python -m benchmarks` prints one table. To add a peer: one small file in `adapters/` and one entry
in a row of `tasks.py`.
"""
