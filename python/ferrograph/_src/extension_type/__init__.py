"""``ExtensionType``: classes of the program's own that functions and operations treat as values."""
