"""The least cross-entropy of a line.

In reading order: `problem`; `minimise` chooses a method by the shape of the table; `subsampled` is
that of dense tables (with `drawn_rows`, `objective`, `lbfgs`, and `quantised` of wide ones);
`newton` goes on where no subsample will do, `newton_cg` is for wide tables with a penalty, `levels`
for categories; `certify` bounds gaps; `far_columns` and `no_optimum` say what is returned where
doubles are too coarse, or no optimum exists.
"""
