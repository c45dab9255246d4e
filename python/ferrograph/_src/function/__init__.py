"""``function``: signatures, traces, guards, and calls that miss the trace cache."""
