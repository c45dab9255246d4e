"""Functions with the names and conventions of NumPy, on tensors: its dtypes, promotion and
arguments."""
