"""Reports: functions of a verdict."""

from separatrix.report.as_json import to_json
from separatrix.report.text import to_text

__all__ = ["to_json", "to_text"]
