"""The fewest mistakes of any line: an exact branch and bound with proofs.

A core is an infeasible subset: rows that no line puts right together. In reading order:
`minimum_errors`, `problem` (and presolve), `limits`, `strategy` (the bracket, and the driver),
`local_search` (the primal heuristic), `disjoint_cores` (of rows of any source, by tiles),
`branch_and_bound`, `branch_and_price` and `core_packing`, `levels` (of sparse tables),
`enumeration` (few rows or dimensions, or floats that fail), `proof` (written for `verify.py`).

Lower bounds of tables in memory are gathered by `strategy.Bracket`: of a refusal (`_separated`),
equal rows of both labels (`presolve`), finished boxes (`BranchAndBound.bound`), disjoint cores
(`_pack_apart`), packed cores (`_pack`), enumeration. Larger tables have disjoint cores of
their tiles (`minimum_errors._in_tiles`), sparse ones packings by levels (`_in_levels`).
"""
