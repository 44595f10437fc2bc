"""Likelihood intervals: where twice the log-likelihood falls by q, and the certificate of it."""
