"""The pages of the classes of errors: what each means, programs that fail with it, and the cures.

A page is ``error_pages/NAME.md``. ``ferrograph explain NAME`` prints it, and the site has it.
"""

from __future__ import annotations

import difflib
from pathlib import Path

__all__ = ["names", "page", "show"]

_FOLDER = Path(__file__).with_name("error_pages")


def names() -> list[str]:
    """The classes that have a page, in the order of the alphabet."""
    return sorted(file.stem for file in _FOLDER.glob("*.md"))


def page(name: str) -> str:
    """The page of a class, which may be named with its module.

    Raises:
      LookupError: where there is none; it names the class of the nearest name, or all.
    """
    wanted = name.rpartition(".")[2]
    by_lower_case = {known.lower(): known for known in names()}
    if wanted.lower() in by_lower_case:
        return (_FOLDER / f"{by_lower_case[wanted.lower()]}.md").read_text(encoding="utf-8")
    near = difflib.get_close_matches(wanted.lower(), by_lower_case, n=1)
    hint = f"did you mean {by_lower_case[near[0]]}?" if near else f"there are {', '.join(names())}"
    raise LookupError(f"there is no page of {name}; {hint}")


def show(name: str) -> None:
    """Print the page of a class. LookupError where there is none."""
    print(page(name), end="")
