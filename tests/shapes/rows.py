"""The rows of the operations' table as cases of static shapes."""

import pathlib
import sys

from shapes.tracing import Case

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ops"))

from families import ROWS  # noqa: E402
from table import Vary  # noqa: E402

__all__ = ["ROW_CASES"]


def _cases():
    """By operation, shapes of the arguments and number; twice where some do not vary."""
    found = {}
    for row in ROWS:
        arrays = row.at(row.main)
        fixed = frozenset(i for i, a in enumerate(row.args) if not isinstance(a, Vary))
        name = f"{row.op} {'/'.join(','.join(map(str, a.shape)) for a in arrays)}"
        number = sum(key.startswith(f"{name} #") for key in found)
        for kind, places in (("", frozenset()), (" const", fixed)):
            if kind and not 0 < len(fixed) < len(arrays):
                continue
            found[f"{name} #{number}{kind}"] = Case(row.call, arrays, places, row.state)
    return found


ROW_CASES = _cases()
