"""Report what nobody uses: exported items of the kernels crate, dependencies no source names.

    python .ci/unused.py [ROOT]

An item of kernels is used where another crate imports it or names it behind one of the crate's
modules, and where the declaration of a used item names it. A dependency is used where a source of
the crate that declares it names it. The exit status is 1 if there is anything to report.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

KERNELS = "ferrograph_kernels"
NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])'|r(#+)".*?"\1|"(?:\\.|[^"\\])*\"""", re.DOTALL
)
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.MULTILINE | re.DOTALL)
ITEM = re.compile(
    r"^( *)pub (?:(?:const|unsafe|async) )*(fn|struct|enum|trait|type|const|static) (\w+)",
    re.MULTILINE,
)
IMPORT = re.compile(r"\buse ([^;]+);")
TARGET = re.compile(r'^path = "(.*)"', re.MULTILINE)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")


def code(path: Path) -> str:
    """The source without comments, strings and unit tests."""
    return TESTS.sub("", NOISE.sub("", path.read_text()))


def sources(*folders: Path) -> Iterator[Path]:
    """All Rust sources below these folders, build outputs left out."""
    for folder in folders:
        yield from (p for p in folder.rglob("*.rs") if "target" not in p.parts)


def leaves(tree: str, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths that a `use` tree imports, each with the name that it gets."""
    head, brace, rest = tree.strip().partition("{")
    path = (*prefix, *(p for p in re.split(r"::", head.strip()) if p))
    if brace:
        for part in split(rest.rsplit("}", 1)[0]):
            yield from leaves(part, path)
        return
    last, _, alias = path[-1].partition(" as ") if path else ("", "", "")
    path = path[:-1] if last == "self" else (*path[:-1], last.strip())
    yield path, alias.strip() or path[-1]


def split(trees: str) -> Iterator[str]:
    """The parts between the commas that no brace encloses."""
    depth, part = 0, ""
    for c in trees:
        depth += (c == "{") - (c == "}")
        if c == "," and depth == 0:
            yield part
            part = ""
        else:
            part += c
    if part.strip():
        yield part


def exported(kernels: Path) -> dict[str, str]:
    """The items that can be named from outside, each with its declaration."""
    items: dict[str, str] = {}
    public = re.findall(r"pub mod (\w+);", code(kernels / "lib.rs"))
    for module in public:
        folder = kernels / module
        root = folder / "mod.rs" if (folder / "mod.rs").exists() else kernels / f"{module}.rs"
        items |= declarations(code(root), at_top=True)
        for path, _name in (
            leaf for tree in re.findall(r"\bpub use ([^;]+);", code(root)) for leaf in leaves(tree)
        ):
            inner = folder / f"{path[0]}.rs"
            if len(path) < 2 or not inner.exists():
                continue
            found = declarations(code(inner), at_top=True)
            items |= found if path[-1] == "*" else {n: d for n, d in found.items() if n == path[-1]}
    return items


def declarations(text: str, *, at_top: bool) -> dict[str, str]:
    """The public items of a source: a function up to its body, anything else with it."""
    found = {}
    for m in ITEM.finditer(text):
        if bool(m[1]) == at_top:
            continue
        end = text.find("\n{" if m[2] == "fn" else "\n}", m.start())
        brace = text.find("{", m.start())
        found[m[3]] = text[m.start() : brace if m[2] == "fn" else end]
    return found


def named_by(text: str) -> set[str]:
    """The names of kernels that a source imports, or has behind a module of it."""
    names: set[str] = set()
    modules: set[str] = set()
    for tree in IMPORT.findall(text):
        for path, alias in leaves(tree):
            if path[0] != KERNELS:
                continue
            if path[-1] == "*":
                names |= set(NAME.findall(text))
            names.add(path[-1])
            modules.add(alias)
    modules |= set(re.findall(rf"\b{KERNELS}::(\w+)::", text))
    for module in modules:
        names |= set(re.findall(rf"\b{module}::(\w+)", text))
    return names


def unused_exports(root: Path) -> Iterator[str]:
    """Items of kernels that no other crate reaches."""
    kernels = root / "crates" / "kernels"
    items = exported(kernels / "src")
    others = [c for c in (root / "crates").iterdir() if c.name != "kernels"]
    used: set[str] = set()
    for path in sources(*others, root / "benches"):
        used |= named_by(path.read_text() if "tests" in path.parts else code(path))
    todo = [n for n in items if n in used]
    while todo:
        needed = set(NAME.findall(items[todo.pop()])) & items.keys()
        todo += needed - used
        used |= needed
    yield from (f"crates/kernels: nobody uses `{n}`" for n in sorted(items.keys() - used))


def unused_dependencies(root: Path) -> Iterator[str]:
    """Dependencies in manifests that no source beside them names."""
    shared = set(
        re.findall(
            r"^([\w-]+) *=", section(root / "Cargo.toml", "workspace.dependencies"), re.MULTILINE
        )
    )
    for manifest in sorted((root / "crates").glob("*/Cargo.toml")):
        targets = [manifest.parent / path for path in TARGET.findall(manifest.read_text())]
        text = "\n".join(code_with_tests(p) for p in [*sources(manifest.parent), *targets])
        for name in declared(manifest):
            shared.discard(name)
            if not re.search(rf"\b{name.replace('-', '_')}\b", text):
                yield f"{manifest.relative_to(root)}: no source names `{name}`"
    yield from (f"Cargo.toml: no crate depends on `{n}`" for n in sorted(shared))


def code_with_tests(path: Path) -> str:
    """The source without comments and strings."""
    return NOISE.sub("", path.read_text())


def declared(manifest: Path) -> list[str]:
    """The names of the dependencies of a crate."""
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    text = "\n".join(section(manifest, kind) for kind in kinds)
    return re.findall(r"^([\w-]+)(?:\.workspace)? *=", text, re.MULTILINE)


def section(manifest: Path, name: str) -> str:
    """The lines of a table of a manifest."""
    found = re.search(
        rf"^\[{re.escape(name)}\]\n(.*?)(?=^\[|\Z)", manifest.read_text(), re.MULTILINE | re.DOTALL
    )
    return found[1] if found else ""


def main(root: Path) -> int:
    """Prints all findings; 1 if there are any."""
    findings = [*unused_exports(root), *unused_dependencies(root)]
    print(*findings, sep="\n", end="\n" if findings else "")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
