"""The fewest mistakes of any line: an exact branch and bound with proofs.

A core is an infeasible subset: rows that no line puts right together. In reading order:

- `minimum_errors` is the public function, `problem` its question and `limits` what it may spend;
- `strategy` is the driver, `bracket` the bounds so far;
- `presolve` merges equal rows, `local_search` is the primal heuristic;
- `branch_and_bound` explores boxes of weights in the `coordinates` that fit the rows, shared among
  `workers`; the rules that prune a box are in `kernels/zero_one/boxes.py`;
- `branch_and_price` generates cores as columns, `core_packing` packs them (the master program is
  its `solve_master`, the pricing `kernels/zero_one/pricing.py`), `ascent` raises the lower bound
  where the gap stays open;
- `sweep` (two and three dimensions), `few_rows` and `enumeration` (tables on which floats fail)
  settle it in whole numbers;
- `proof` writes the lower bound down for `verify.py`.
"""
