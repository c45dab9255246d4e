"""Recorded behaviour of tensorflow 2.21 at the edges of each dtype.

`cases.py` says what is computed, `record.py` computes it there and writes the `.json` files beside
it, and `test_recorded.py` computes it here.
"""
