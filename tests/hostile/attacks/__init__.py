"""Proofs built by hand to deceive `verify.py` or to exhaust it, each under the name of its attack.

`ATTACKS` maps names to functions that return (table, proof file, what may be answered).
"""

from tests.hostile.attacks import exhausting, false_claims, reading
from tests.hostile.attacks.building import ATTACKS, NO, REFUSED

__all__ = ["ATTACKS", "NO", "REFUSED", "exhausting", "false_claims", "reading"]
