"""How many cases tests run that corrupt, kill or draw: a few on every run, all of them when asked.

``SEPARATRIX_HOSTILE=long pytest`` runs the long profile. Both draw from fixed seeds,
and the short one runs the first cases of the long one.
"""

from __future__ import annotations

import os

LONG = os.environ.get("SEPARATRIX_HOSTILE") == "long"


def cases(short: int, long: int) -> int:
    """Return the number of cases of this run."""
    return long if LONG else short
