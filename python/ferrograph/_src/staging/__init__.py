"""From Python values that depend on tensors to regions of the graph. Knows nothing of syntax."""
