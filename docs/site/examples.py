"""Examples in docstrings as blocks of code, for the site of the reference.

A docstring has its examples as Python's own tools read them: lines that begin with `>>>`, up to a
blank line. Markdown would take these marks for quotations.
"""

from __future__ import annotations

from typing import Any

import griffe


def fenced(text: str) -> str:
    """A docstring with its examples in fences."""
    made: list[str] = []
    is_example = False
    indent = ""
    for line in text.splitlines():
        if not is_example and line.lstrip().startswith(">>>"):
            is_example, indent = True, line[: len(line) - len(line.lstrip())]
            if made and made[-1].strip():
                made.append("")
            made.append(f"{indent}```pycon")
        elif is_example and not line.strip():
            is_example = False
            made.append(f"{indent}```")
        made.append(line)
    if is_example:
        made.append(f"{indent}```")
    return "\n".join(made)


class Examples(griffe.Extension):
    """Fences the examples of everything that has a docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """An object has been read."""
        fence(obj)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """A package has been read, itself the last of its objects."""
        fence(pkg)


def fence(obj: griffe.Object) -> None:
    """Fence the examples of an object, unless they are."""
    if obj.docstring is not None and "```pycon" not in obj.docstring.value:
        obj.docstring.value = fenced(obj.docstring.value)
