"""The fewest mistakes of any line: an exact branch and bound with proofs.

`minimum_errors.py` is the way in; `branch_and_bound.py` searches, `workers.py` shares the search
among threads, `branch_and_price.py` packs infeasible subsets (cores).
"""
