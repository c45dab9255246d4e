"""Make the notebooks of the examples that are written in cells (`# %%`).

python examples/notebooks.py            writes what differs
python examples/notebooks.py --check    lists what differs, and fails if anything does
"""

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MARK = "# %%"


def cells(source: str) -> list[tuple[bool, list[str]]]:
    """The cells of a program, each with whether it is text."""
    found: list[tuple[bool, list[str]]] = []
    for line in source.splitlines():
        if line.startswith(MARK):
            found.append((line == f"{MARK} [markdown]", []))
        elif found:
            found[-1][1].append(line)
        elif line:
            raise SystemExit(f"{line!r} stands before the first {MARK}")
    return found


def cell(number: int, is_text: bool, lines: list[str]) -> dict[str, Any]:
    """A cell of a notebook."""
    if is_text:
        lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
    text = "\n".join(lines).strip("\n")
    made: dict[str, Any] = {
        "cell_type": "markdown" if is_text else "code",
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return made if is_text else {**made, "execution_count": None, "outputs": []}


def notebook(source: str) -> str:
    """The text of the notebook of a program."""
    made = {
        "cells": [cell(i, *parts) for i, parts in enumerate(cells(source))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, indent=1) + "\n"


def main() -> None:
    differ: list[str] = []
    for path in sorted(HERE.glob("*.py")):
        source = path.read_text()
        if not source.startswith(MARK):
            continue
        made, text = path.with_suffix(".ipynb"), notebook(source)
        if not made.exists() or made.read_text() != text:
            differ.append(made.name)
            if "--check" not in sys.argv:
                made.write_text(text)
    for name in differ:
        print(name)
    if differ and "--check" in sys.argv:
        sys.exit("these notebooks differ from their programs: run examples/notebooks.py")


if __name__ == "__main__":
    main()
