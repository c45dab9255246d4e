"""Runs all cases of this folder in one process, and prints what failed as JSON: by file and name,
the traceback, empty where it passed.
"""

import importlib
import json
import traceback
from pathlib import Path


def outcome(case):
    """The traceback of a case that fails, else nothing."""
    try:
        case()
    except Exception:
        return traceback.format_exc()
    return ""


found = {}
for path in sorted(Path(__file__).parent.glob("*.py")):
    if path.stem != "run":
        module = importlib.import_module(path.stem)
        for name, case in vars(module).items():
            if name.startswith("case_"):
                found[f"{path.stem}.{name}"] = outcome(case)
print(json.dumps(found))
