"""``python -m ferrograph``: the program ``ferrograph``, where scripts are not on the path."""

import sys

from ._src.interfaces.command import main

if __name__ == "__main__":
    sys.exit(main())
