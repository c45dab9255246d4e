"""Record what Keras asks of its TensorFlow backend: ``python record_names.py [VERSION ...]``.

Reads the wheels of Keras, which pip downloads into a temporary folder, without importing them, and
writes ``asked_names.txt``: the dotted names below ``tensorflow`` that its modules import or read,
before them, behind a dot, the private attributes that it reads or sets of objects and defines
nowhere itself. A
name of some versions only is followed by them. Tests and the other backends are not read.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ["3.10.0", "3.11.3", "3.12.4", "3.13.2", "3.14.1", "3.15.1"]
RECORD = Path(__file__).with_name("asked_names.txt")
_TOP = "tensorflow"
_LENDER = "keras.src.utils.module_utils"  # hands out tensorflow by that name
_OTHERS = re.compile(r"keras/src/backend/(?!tensorflow|common|config|__init__)|_test\.py$")


def modules(wheel: Path) -> Iterator[ast.Module]:
    """The modules of Keras that run on this backend."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("keras/src/") and name.endswith(".py") and not _OTHERS.search(name):
                yield ast.parse(archive.read(name))


def imported(tree: ast.Module) -> dict[str, str]:
    """What the names of a module refer to, of those that come from tensorflow."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == _TOP:
                    found[alias.asname or _TOP] = alias.name if alias.asname else _TOP
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = alias.asname or alias.name
                if node.module.partition(".")[0] == _TOP:
                    found[name] = f"{node.module}.{alias.name}"
                elif node.module == _LENDER and alias.name == _TOP:
                    found[name] = _TOP
    return found


def _dotted(node: ast.expr) -> list[str]:
    """The names of ``a.b.c``; nothing where it is an attribute of something else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [*reversed([*parts, node.id])] if isinstance(node, ast.Name) else []


def dotted_names(tree: ast.Module) -> set[str]:
    """The names below tensorflow that a module imports or reads."""
    known = imported(tree)
    found = {name for name in known.values() if name != _TOP}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.startswith(f"{_TOP}."))
        elif isinstance(node, ast.Attribute):
            parts = _dotted(node)
            if parts and parts[0] in known:
                found.add(".".join([known[parts[0]], *parts[1:]]))
    return found


def private_attributes(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The private attributes that a module reads, or sets of others, and all that it defines."""
    read, defined = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
        elif isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            stored = isinstance(node.ctx, ast.Store)
            (defined if stored and is_own else read).add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                if node.func.id == "setattr":
                    defined.add(name.value)
                elif node.func.id in ("getattr", "hasattr"):
                    read.add(name.value)
    return {n for n in read if n.startswith("_") and not n.endswith("__")}, defined


def asked(wheel: Path) -> set[str]:
    """All that a version asks for."""
    names: set[str] = set()
    read: set[str] = set()
    defined: set[str] = set()
    for tree in modules(wheel):
        names |= dotted_names(tree)
        here, own = private_attributes(tree)
        read |= here
        defined |= own
    private = {f".{name}" for name in read - defined}
    return private | {n for n in names if not any(o.startswith(f"{n}.") for o in names)}


def main(versions: list[str]) -> None:
    """Write the record."""
    by_name: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in versions:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder]
            subprocess.run([*command, f"keras=={version}"], check=True)
            (wheel,) = Path(folder).glob(f"keras-{version}-*.whl")
            for name in asked(wheel):
                by_name.setdefault(name, []).append(version)
    lines = [f"# Asked by Keras {' '.join(versions)}; written by record_names.py"]
    for name in sorted(by_name):
        some = by_name[name]
        lines.append(name if some == versions else " ".join([name, *some]))
    RECORD.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or VERSIONS)
