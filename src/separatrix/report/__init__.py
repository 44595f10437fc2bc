"""Reports: functions of a verdict."""
