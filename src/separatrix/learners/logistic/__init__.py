"""The least cross-entropy of a line: objective, solvers, certificate.

In reading order: `cross_entropy` is the driver, `problem` what is asked and returned, `objective`
the function; `newton` is the method for most tables, in `newton_coordinates` (dense, or one-hot
with a category eliminated), with `line_search`;
`far_columns` are fitted about their means. `subsampled` is the method for many rows, led by a few
`drawn_rows` and, on wide tables, a `quantised` copy, and finished by `reads`; `newton_cg` is that
for wide tables with a penalty; both have `lbfgs`. `certify` makes the dual point that bounds the
gap, `no_optimum` the line taken where the likelihood has no maximum.
"""
