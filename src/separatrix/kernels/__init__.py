"""Compiled loops: arrays in, arrays out. Nothing here imports from the rest of the package.

Every loop that visits rows one by one is a free Numba function. Two ideas run through all of them:

- *rows* is either a C-ordered (N, d) float64 array or the three arrays of a canonical CSR matrix
  ``(data, indices, indptr)``; `rows.py` is the one place that knows the difference;
- weights are always (1+d,), w_0 first, and ``x0`` is 1.0 with an intercept, 0.0 without.
"""
