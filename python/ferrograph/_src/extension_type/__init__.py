"""``ExtensionType``: user-defined classes that functions and operations treat as values."""
