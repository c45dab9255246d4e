"""Sparse tensors: the elements that are not zero, and their coordinates.

One module imports all, so that the methods of the class are there.
"""

from . import methods
