"""Compiled walks: PLA, pocket and their relatives."""
