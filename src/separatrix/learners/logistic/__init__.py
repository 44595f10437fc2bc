"""The least cross-entropy of a line: objective, solvers, certificate."""
