"""Record the random numbers of tensorflow 2.21: run it with tensorflow-cpu installed."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from recorded.compare import plain  # noqa: E402
from recorded.draws import DRAWS  # noqa: E402


def main():
    """Write one file."""
    import tensorflow as tf

    found = {name: [plain(tf, t) for t in function(tf)] for name, function in DRAWS.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    (HERE / "draws.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
