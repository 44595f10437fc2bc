"""Whether a line separates the rows: float solvers propose, exact arithmetic decides (`decide`)."""
