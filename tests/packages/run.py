"""Runs the own tests of packages that import tensorflow, with ferrograph under that name.

    python tests/packages/run.py --wheel dist/ferrograph-*.whl [--only keras] [--part layers ...]
    python tests/packages/run.py --source python [...]

Each package has a folder here: ``package.json`` says what to install, which folders of tests there
are, and how many tests pass at least; ``excluded_tests.txt`` names tests that are not run, a reason
a line. An environment of its own is made below ``target/packages``; ``--source`` takes ferrograph
from a folder in place of a wheel.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parent.parent / "target" / "packages"
COUNTED = re.compile(r"(\d+) (passed|failed|error|errors|skipped)")


def environment(name: str, needs: list[str], wheel: Path | None) -> Path:
    """The interpreter of a package's environment, made where it is not there."""
    folder = TARGET / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *needs], check=True)
    if wheel is not None:
        subprocess.run([*install, "--force-reinstall", "--no-deps", wheel], check=True)
    return python


def excluded(folder: Path) -> list[str]:
    """The tests that are not run. SystemExit for one without a reason."""
    found = []
    for line in (folder / "excluded_tests.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            test, gap, reason = line.partition("  # ")
            if not gap or not reason.strip():
                raise SystemExit(f"{folder.name}: {test} is excluded without a reason")
            found.append(test.strip())
    return found


def run(name: str, options: argparse.Namespace) -> bool:
    """Run the tests of a package; whether as many pass as have to."""
    folder = HERE / name
    table = json.loads((folder / "package.json").read_text())
    wheel = options.wheel.resolve() if options.wheel else None
    python = environment(name, table["needs"], wheel)
    package, _, within = table["tests_in"].partition("/")
    ask = f"import importlib.util as u; print(u.find_spec({package!r}).origin)"
    found = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True)
    root = Path(found.stdout.strip()).parent / within
    deselected = [f"--deselect={test}" for test in excluded(folder)]
    total = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0}
    paths = [HERE / "plugins", *([options.source.resolve()] if options.source else [])]
    settings = {
        **os.environ,
        **table["environment"],
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
    }
    for part in options.part or table["folders"]:
        command = [python, "-m", "pytest", "-q", "-p", "as_tensorflow", "-p", "no:cacheprovider"]
        command += [
            "--continue-on-collection-errors",
            "--tb=line",
            f"--rootdir={root}",
            "-c",
            os.devnull,
        ]
        done = subprocess.run(
            [*command, *deselected, root / part],
            capture_output=True,
            text=True,
            env=settings,
            cwd=TARGET,
        )
        lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""]
        last = next((line for line in reversed(lines) if COUNTED.search(line)), lines[-1])
        print(f"{name} {part}: {last}", flush=True)
        for count, kind in COUNTED.findall(last):
            total["errors" if kind == "error" else kind] += int(count)
    print(f"{name}: {total['passed']} pass, {total['failed']} fail, {total['errors']} errors")
    return bool(options.part) or total["passed"] >= table["floor"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--wheel", type=Path)
    where.add_argument("--source", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", nargs="*", default=[])
    options = parser.parse_args()
    names = options.only or sorted(p.parent.name for p in HERE.glob("*/package.json"))
    TARGET.mkdir(parents=True, exist_ok=True)
    below = [n for n in names if not run(n, options)]
    if below:
        sys.exit(f"fewer tests pass than the floor says: {', '.join(below)}")


if __name__ == "__main__":
    main()
