"""Sparse tensors: the elements that are not zero, and their coordinates."""
