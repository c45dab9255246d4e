"""The same function for many rows at once."""
