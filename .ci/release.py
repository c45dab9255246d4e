"""What a release needs of the sources.

    python .ci/release.py check TAG    # the version, its tag and the changelog agree
    python .ci/release.py notes TAG    # print the part of the changelog about it
    python .ci/release.py urls URL [SITE]   # write the project's address, and that of its site,
                                            # into the manifests and links

The addresses are known to the publisher alone: a workflow passes them in. What an error prints of
its page names the site where there is one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")
LICENSED, INHERITED = "license.workspace = true\n", "repository.workspace = true\n"
VERSION = re.compile(r'^\[workspace\.package\]\nversion = "([^"]+)"', re.MULTILINE)


def version(root: Path) -> str:
    """The version that every package has."""
    found = VERSION.search((root / "Cargo.toml").read_text())
    if found is None:
        raise SystemExit("Cargo.toml: there is no version below [workspace.package]")
    return found[1]


def notes(root: Path, tag: str) -> str:
    """The part of the changelog about a version."""
    name = re.escape(tag.removeprefix("v"))
    part = re.search(
        rf"^## \[{name}\][^\n]*\n(.*?)(?=^## |\Z)",
        (root / "CHANGELOG.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
    if part is None or not part[1].strip():
        raise SystemExit(f"CHANGELOG.md has nothing about {tag}")
    return part[1].strip()


def check(root: Path, tag: str) -> None:
    """Exit with a message unless a tag is that of the version, which the changelog dates."""
    if tag != f"v{version(root)}":
        raise SystemExit(f"the tag is {tag}, and the version in Cargo.toml is {version(root)}")
    notes(root, tag)
    if f"## [{version(root)}] - unreleased" in (root / "CHANGELOG.md").read_text():
        raise SystemExit(f"CHANGELOG.md has no date for {tag}")


def set_urls(root: Path, url: str, site: str = "") -> None:
    """Write the address of the project, and of its site if there is one, into the manifests and the
    links of README.md."""
    for name, address in (("PROJECT_URL", url), *([("DOCS_URL", site)] if site else [])):
        if not re.fullmatch(r"https://[\w./~-]+", address):
            raise SystemExit(f"{address!r} is no https address; set the variable {name}")
    url = url.rstrip("/")
    links = f'Homepage = "{url}"\nChangelog = "{url}/blob/main/CHANGELOG.md"\n'
    if site:
        links += f'Documentation = "{site.rstrip("/")}"\n'
    rows = {
        "pyproject.toml": (
            "[project.scripts]\n",
            f"[project.urls]\n{links}\n",
        ),
        "Cargo.toml": ("[workspace.dependencies]\n", f'repository = "{url}"\n\n'),
    }
    readme = root / "README.md"
    # Pages of a release are shown where the files beside them are not.
    readme.write_text(LINK.sub(rf"]({url}/blob/main/\g<1>)", readme.read_text()))
    for name, (before, text) in rows.items():
        path = root / name
        content = path.read_text()
        if text not in content:
            path.write_text(content.replace(before, text + before, 1))
    for path in (root / "crates").glob("*/Cargo.toml"):
        content = path.read_text()
        if INHERITED not in content:
            path.write_text(content.replace(LICENSED, LICENSED + INHERITED, 1))


def main(action: str, value: str, site: str = "") -> None:
    if action == "check":
        check(ROOT, value)
    elif action == "notes":
        print(notes(ROOT, value))
    elif action == "urls":
        set_urls(ROOT, value, site)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
