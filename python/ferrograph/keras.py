"""The installed Keras, on ferrograph: ``fg.keras``, or ``import ferrograph.keras``.

It is imported when it is first asked for. ModuleNotFoundError where it is not installed.
"""

import sys
from typing import TYPE_CHECKING, Any

from ._src.compat.keras import load

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # whatever the installed one has


sys.modules[__name__] = load()
