"""What became of the tests of a package, and what becomes of them with the real tensorflow."""

from __future__ import annotations

import json
import re
from pathlib import Path

ADDRESS = re.compile(r"0x[0-9a-f]+")


class Baseline:
    """How tests of a package end with the real tensorflow: `baseline.json` in its folder.

    For each folder of tests the number of those that pass, and the names of those that do not: of
    a test that is not named, another process has to find the same.
    """

    def __init__(self, path: Path):
        self.path = path
        self.parts: dict[str, dict] = json.loads(path.read_text()) if path.exists() else {}

    def record(self, part: str, ended: dict[str, str]) -> None:
        """Keep how the tests of a folder ended."""
        others = sorted(test for test, how in ended.items() if how != "passed")
        self.parts[part] = {"passed": len(ended) - len(others), "others": others}
        self.path.write_text(json.dumps(self.parts, indent=1) + "\n")

    def passed_too(
        self, part: str, ended: dict[str, str], excluded: list[str]
    ) -> tuple[int, int] | None:
        """Of the tests that pass there and are not excluded here, how many pass here, and how many
        there are.
        """
        known = self.parts.get(part)
        if known is None:
            return None
        others = set(known["others"])
        both = sum(how == "passed" and test not in others for test, how in ended.items())
        left = [test for test in excluded if _is_in(test, part) and test not in others]
        return both, known["passed"] - len(left)

    def failing_here(self, part: str, ended: dict[str, str], excluded: list[str]) -> list[str]:
        """The tests that pass there and, though they are not excluded, do not pass here."""
        known = {*self.parts.get(part, {"others": ended})["others"], *excluded}
        return sorted(test for test, how in ended.items() if how != "passed" and test not in known)


def _is_in(test: str, part: str) -> bool:
    return part == "." or test.startswith(f"{part}/")


def read(path: Path) -> dict[str, str]:
    """How tests ended, by their names without addresses of objects; worse ends count."""
    ended: dict[str, str] = {}
    if path.exists():
        for test, how in json.loads(path.read_text()).items():
            name = ADDRESS.sub("0x", test)
            ended[name] = how if ended.get(name, "passed") == "passed" else ended[name]
    return ended
