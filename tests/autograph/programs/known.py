"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

FAULTS: dict[str, str] = {}
