"""Objects whose tensors are saved and restored: checkpoints, by the graph of the objects."""
