"""Compiled parts of the search for the fewest mistakes."""
