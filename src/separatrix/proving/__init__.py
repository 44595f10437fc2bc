"""Proof files: written here, checked by `verify.py` alone."""
