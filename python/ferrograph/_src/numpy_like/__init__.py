"""Functions of NumPy's names and ways over tensors: its dtypes, its promotion, its arguments."""
