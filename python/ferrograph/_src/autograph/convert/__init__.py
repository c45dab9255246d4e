"""From the source of a function to the syntax tree of its converted form."""
