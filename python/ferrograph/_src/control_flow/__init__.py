"""Control flow on tensors as functions: conditionals, loops, maps and folds over rows."""
