"""Saved models: functions, variables and the objects around them, in files."""
