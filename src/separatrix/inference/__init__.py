"""After the verdict: what can be said of each coefficient, and with what certainty.

In reading order: `design` (the rows in independent columns, and covariances), `maximum` (the
maximum likelihood, attained or not), `methods` (one row for each way of estimating),
`coefficient_table` and `table` (what people read), `figures` (of the whole model), `printing`.
"""
