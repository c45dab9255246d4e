"""Conversion of Python source to calls that stage what depends on tensors."""
