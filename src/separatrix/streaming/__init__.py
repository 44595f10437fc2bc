"""Rows that come once and are not kept: online learners, and whether a line still separates.

In reading order: `stream` (whatever yields rows, and what runs), `monitor` (whether the rows so far
are separable, proven, and what is known of rows that are gone).
"""

from separatrix.streaming.monitor import Contradiction, Monitor
from separatrix.streaming.stream import Stream, StreamVerdict, watch

__all__ = ["Contradiction", "Monitor", "Stream", "StreamVerdict", "watch"]
