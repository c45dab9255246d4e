"""The installed Keras, on ferrograph: ``fg.keras``, or ``import ferrograph.keras``.

It is imported when it is first asked for. ModuleNotFoundError where it is not installed.
"""

import sys

from ._src.face.keras import load

sys.modules[__name__] = load()
