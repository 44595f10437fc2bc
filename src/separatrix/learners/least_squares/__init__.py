"""Least squares for every X: normal equations where they are safe, else orthogonal columns."""
