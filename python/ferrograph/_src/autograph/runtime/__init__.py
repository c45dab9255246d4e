"""What converted code calls: each construct looks at its operands, and does as Python or stages."""
