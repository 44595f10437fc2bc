"""Likelihood intervals: where twice the log-likelihood falls by q, and the certificate of it.

`intervals` finds the ends, by `search` along a coefficient; finite ends are bounded by `by_reads`,
with a proof by `proof`. Of infinite ones `faces` says which way, by a line of the rows' divergence
(`separatrix.separation.divergence`), which `certificates.divergence` checks exactly; `proof` writes
it, and `check_likelihood_intervals` of `verify.py` checks it again.
"""
