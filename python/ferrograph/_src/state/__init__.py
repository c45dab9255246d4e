"""What keeps its identity while its value changes: variables, tensor arrays, modules."""
