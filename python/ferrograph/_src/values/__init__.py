"""Arguments and results of operations: dtypes, shapes, specs, structures, composites, errors."""
