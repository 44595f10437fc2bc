"""Whether a line separates the rows: float solvers propose, exact arithmetic decides.

`decide.py` holds `separability`; the other files are its steps.
"""
