"""``function``: signatures, traces, guards and the calls that find none."""
