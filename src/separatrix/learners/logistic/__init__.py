"""The least cross-entropy of a line.

In reading order: `problem`; `cross_entropy` chooses a method by the shape of the table: Newton's
method by reads of all rows (`newton`), of small ones, `subsampled` of larger ones (`drawn_rows`,
`objective`, `steps`), which ends in `newton` where no subsample will do, `newton_cg` of wide tables
with a penalty, `levels` of categories. `no_optimum` says what is returned where no optimum exists.
"""
