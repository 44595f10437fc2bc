"""The fewest mistakes of any line: an exact branch and bound with proofs.

`minimum_errors.py` is the public function, `strategy.py` the driver. `presolve.py` merges rows;
`local_search.py` is the primal heuristic; `branch_and_bound.py` explores boxes of weights, shared
among `workers.py`; `branch_and_price.py` packs cores, which are infeasible subsets: rows that no
line puts right together. `enumeration.py` is for tables on which floats fail; `proof.py` writes the
lower bound down for `verify.py`.
"""
