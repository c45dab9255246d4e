"""The namespace of the Python array API standard, on tensors."""
