"""The least cross-entropy of a line.

In reading order: `problem`; `cross_entropy` chooses a method by the shape of the table: `careful`,
Newton's method by reads of all rows (`newton`), of small ones, `subsampled` of larger ones
(`drawn_rows`, `objective`, `lbfgs`, `line_search`; `quantised` if rows are long), which ends in
`newton` where no subsample will do, `newton_cg` of wide tables with a penalty, `levels` of
categories. `certify` bounds gaps; `far_columns` and `no_optimum` say what is returned where doubles
are too coarse, or no optimum exists.
"""
