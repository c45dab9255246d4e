"""Check the licences, sources and duplicates of the dependencies against deny.toml.

    python .ci/deny.py [ROOT]

The same file configures cargo-deny, which also knows the advisories; this check needs neither a
tool nor the network. The exit status is 1 if there is anything to report.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11: a dependency of mypy
    import tomli as tomllib

TOKEN = re.compile(r"\(|\)|/|[\w.+-]+")


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression holds with the allowed licences; `/` is an old form of OR."""
    tokens = [{"/": "OR"}.get(token, token) for token in TOKEN.findall(expression)][::-1]

    def either() -> bool:
        found = both()
        while tokens and tokens[-1] == "OR":
            tokens.pop()
            found = both() or found
        return found

    def both() -> bool:
        found = one()
        while tokens and tokens[-1] == "AND":
            tokens.pop()
            found = one() and found
        return found

    def one() -> bool:
        name = tokens.pop()
        if name == "(":
            found = either()
            tokens.pop()
            return found
        if tokens and tokens[-1] == "WITH":
            tokens.pop()
            name = f"{name} WITH {tokens.pop()}"
        return name in allowed

    return either()


def problems(config: dict, packages: list[dict]) -> Iterator[str]:
    """What deny.toml does not allow of the packages that `cargo metadata` lists."""
    allowed = set(config["licenses"]["allow"])
    registries = set(config["sources"]["allow-registry"])
    skipped = {row["crate"] for row in config["bans"]["skip"]}
    versions = defaultdict(set)
    for package in packages:
        named = f"{package['name']}@{package['version']}"
        versions[package["name"]].add(named)
        licence, source = package["license"], package["source"]
        if licence is None or not is_allowed(licence, allowed):
            yield f"{named}: the licence {licence!r} is not among those that are allowed"
        if source is not None and source.partition("+")[2] not in registries:
            yield f"{named}: comes from {source}"
    for held in versions.values():
        rest = sorted(held - skipped)
        if len(rest) > 1:
            yield f"several versions of one package: {', '.join(rest)}"
    yield from (
        f"deny.toml: {named} is skipped, and is no duplicate"
        for named in sorted(skipped)
        if named not in versions[named.partition("@")[0]]
        or len(versions[named.partition("@")[0]]) == 1
    )


def main(root: Path) -> int:
    config = tomllib.loads((root / "deny.toml").read_text())
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    found = list(problems(config, json.loads(listed)["packages"]))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
