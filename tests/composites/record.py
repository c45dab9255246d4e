"""Records what tensorflow gives for the cases and programs of this folder.

    python record.py [NAME ...]      under a Python that has tensorflow, 2.21.0 when recorded

Writes ``recorded/NAME.json``. Cases that tensorflow refuses are left out; a part of a program that
raises is recorded as the class of the error.
"""

import importlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
CASES = ("ragged_values",)
PROGRAMS = ("guide_programs",)


def cases(tf, module):
    """The plain result of each case by its key."""
    found, values = {}, module.values(tf)
    for key, names, call in module.cases():
        try:
            found[key] = module.plain(call(tf, *[values[name] for name in names]))
        except Exception:
            continue
    return found


def main(names):
    import tensorflow as tf

    (HERE / "recorded").mkdir(exist_ok=True)
    for name in names or CASES + PROGRAMS:
        module = importlib.import_module(name)
        found = cases(tf, module) if name in CASES else module.outcomes(tf)
        lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        (HERE / "recorded" / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
