"""Likelihood intervals: where twice the log-likelihood falls by q, and what proves it.

`intervals` finds all ends, by `search` along a coefficient, of those that diverge beside the rows
that go (`faces`). `bounds` show a finite end by a few reads (`by_reads`), or `proof`
writes what `check_likelihood_intervals` of `verify.py` checks exactly. Of infinite ends `faces`
says which way, by a line of the rows' divergence (`separatrix.separation.divergence`).
"""
