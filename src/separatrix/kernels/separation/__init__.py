"""Compiled parts of the decision on separability."""
