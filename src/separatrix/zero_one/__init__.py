"""The fewest mistakes of any line: an exact branch and bound with proofs.

A core is an infeasible subset: rows that no line puts right together. In reading order:

- `minimum_errors` is the public function, `problem` its question and `limits` what it may spend;
- `strategy` is the driver and raises the lower bound where the gap stays open, `bracket` has the
  bounds so far;
- `presolve` merges equal rows, `local_search` is the primal heuristic;
- `branch_and_bound` explores boxes of weights in coordinates that fit the rows, shared among
  `workers`; the rules that prune a box are in `kernels/zero_one/boxes.py`;
- `branch_and_price` generates cores as columns, `core_packing` packs them (the master program is
  its `solve_master`, the pricing `kernels/zero_one/pricing.py`);
- `enumeration` settles two and three dimensions, few rows, and tables on which floats fail, in
  whole numbers;
- `proof` writes the lower bound down for `verify.py`.
"""
