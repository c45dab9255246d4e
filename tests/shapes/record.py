"""Record the static shapes that tensorflow 2.21 infers: run it where tensorflow-cpu is installed.

``recorded.json`` has, by case and variant, the shapes of the results, or nothing where the trace is
refused. A case that tensorflow cannot trace at all is left out.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from shapes.tracing import static  # noqa: E402


def of_case(tf, case):
    """The texts of each variant; None for a refusal."""
    found = {}
    for name, shapes in case.variants().items():
        try:
            found[name] = " ".join(text or "()" for text in static(tf, case, shapes))
        except Exception:  # noqa: BLE001 - what tensorflow refuses has no shape to record
            found[name] = None
            if name == "all":
                return None
    return found


def packed(found):
    """What is alike in many variants once: the result by the names of its variants."""
    by_text = {}
    for name, text in found.items():
        by_text.setdefault(text, []).append(name)
    return {"|".join(names): text for text, names in by_text.items()}


def main():
    """Write the file."""
    import tensorflow as tf

    from shapes.cases import CASES
    from shapes.rows import ROW_CASES

    recorded = {}
    for name, case in {**CASES, **ROW_CASES}.items():
        found = of_case(tf, case)
        if found is not None:
            recorded[name] = packed(found)
    dumps = json.JSONEncoder(separators=(",", ":")).encode
    lines = [f"{dumps(key)}:{dumps(entry)}" for key, entry in sorted(recorded.items())]
    (HERE / "recorded.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(recorded), "cases of", len(CASES) + len(ROW_CASES))


if __name__ == "__main__":
    main()
