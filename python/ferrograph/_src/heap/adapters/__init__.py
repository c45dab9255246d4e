"""Type adapters: how the objects of each Python type are copied, compared and restored."""
