"""How many cases tests run that corrupt, kill or draw: some on every run, more when asked.

``SEPARATRIX_HOSTILE=long pytest`` runs the long profile. Both draw from fixed seeds,
and the short one runs the first cases of the long one.
"""

import os

from hypothesis import settings

LONG = os.environ.get("SEPARATRIX_HOSTILE") == "long"


def cases(short: int, long: int) -> int:
    return long if LONG else short


def examples(usual: int) -> settings:
    """Return settings that draw half as many examples as is usual here, or ten times as many."""
    return settings(max_examples=cases(-(-usual // 2), 10 * usual))
