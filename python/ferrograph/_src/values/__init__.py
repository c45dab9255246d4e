"""What operations take and give: dtypes, shapes, specs, structures, composites, errors."""
