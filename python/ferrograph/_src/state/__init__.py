"""Objects with state: variables, tensor arrays, modules."""
