"""Record what tensorflow 2.21 computes: run it with tensorflow-cpu and mpmath installed.

python tests/ops/recorded/record.py [new]    with "new", only cases that have no record yet
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from recorded import compare, truth  # noqa: E402
from recorded.signs import CASES  # noqa: E402

# What is said where there is no such kernel.
ABSENT = ("Could not find device", "is not in the list of allowed values")


# Digits that tell the numbers of a dtype apart.
DIGITS = {"float16": 5, "bfloat16": 5, "float32": 9, "complex64": 9}


def short(value, dtype):
    """A value with no more digits than its dtype has."""
    if isinstance(value, list):
        return [short(part, dtype) for part in value]
    if isinstance(value, bool):
        return int(value)
    return float(f"{value:.{DIGITS[dtype]}g}") if dtype in DIGITS else value


def record(module, case):
    """The outcome, and the true values where the recorded ones are not accurate.

    None where there is no such kernel.
    """
    out = compare.outcome(module, case)
    if isinstance(out, dict):
        absent = any(text in out["text"] for text in ABSENT)
        return None if absent else {"out": {"error": out["error"]}}
    true = truth.corrections(case, out) if case.exact else None
    out = [[dtype, shape, [short(v, dtype) for v in values]] for dtype, shape, values in out]
    return {"out": out, "true": true} if true else {"out": out}


def main():
    """Write one file."""
    import tensorflow as tf

    path = HERE / "edges.json"
    known = json.loads(path.read_text()) if sys.argv[1:] == ["new"] else {}
    entries = {key: known.get(key) or record(tf, case) for key, case in CASES.items()}
    entries = {key: entry for key, entry in entries.items() if entry}
    dumps = json.JSONEncoder(separators=(",", ":")).encode
    lines = [f"{dumps(key)}:{dumps(entry)}" for key, entry in sorted(entries.items())]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(entries), "cases")


if __name__ == "__main__":
    main()
