"""The fewest mistakes of any line: an exact branch and bound with proofs.

A core is an infeasible subset: rows that no line puts right together. In reading order:
`minimum_errors`, `problem`, `limits`, `strategy` (the driver) and `bracket`, `presolve`,
`local_search` (the primal heuristic), `disjoint_cores` (of rows of any source, by tiles),
`branch_and_bound`, `branch_and_price` and `core_packing`, `levels` (of sparse tables),
`enumeration` (few rows or dimensions, or floats that fail), `proof` (written for `verify.py`).
"""
