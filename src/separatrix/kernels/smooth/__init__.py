"""Compiled passes over the rows for the smooth error measures."""
