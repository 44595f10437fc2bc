"""The walks of the perceptron family: one row after another, weights turned at mistakes.

A fit goes from `run` (`Run.walk`, over the blocks of the rows) through `walk_block` and slices to a
kernel of `separatrix.kernels.walks`, and ends in `outcome`; `searches` look for a mistake among all
rows (random order, pocket), `partial_fit` goes on from a fit, `counts` keeps the updates of rows,
`tuning` says when float32 helps.
"""
