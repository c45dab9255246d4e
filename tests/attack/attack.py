"""The whole attack, whose options ``whole.py`` has: ``make attack``."""

import sys
from pathlib import Path

# The table of operations, which programs are drawn from, and the limits of processes.
sys.path[:0] = [str(Path(__file__).parent.parent / "ops"), str(Path(__file__).parent.parent)]

from whole import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
