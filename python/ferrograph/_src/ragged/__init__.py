"""Ragged tensors: rows of different lengths.

One module imports all, so that the methods of the class are there.
"""

from . import methods
