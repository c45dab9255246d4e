"""Record what tensorflow 2.21 computes: run it with tensorflow-cpu and mpmath installed."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from recorded import compare, truth  # noqa: E402
from recorded.calls import CASES  # noqa: E402


def record(module, case):
    """The outcome, and the true values where the recorded ones are not accurate."""
    entry = {"out": compare.outcome(module, case)}
    if case.exact and isinstance(entry["out"], list):
        true = truth.corrections(case, entry["out"])
        if true:
            entry["true"] = true
    return entry


def absent(entry):
    """Whether there is no such kernel: nothing is recorded then."""
    return isinstance(entry["out"], dict) and entry["out"]["error"] == "NotFoundError"


def main():
    """Write one file."""
    import tensorflow as tf

    entries = {key: record(tf, case) for key, case in CASES.items()}
    entries = {key: entry for key, entry in entries.items() if not absent(entry)}
    dumps = json.JSONEncoder(separators=(",", ":")).encode
    lines = [f"{dumps(key)}:{dumps(entry)}" for key, entry in sorted(entries.items())]
    (HERE / "edges.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(entries), "cases")


if __name__ == "__main__":
    main()
