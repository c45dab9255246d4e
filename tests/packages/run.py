"""Runs the own tests of packages that import tensorflow, with ferrograph under that name.

    python tests/packages/run.py --wheel dist/ferrograph-*.whl [--only keras] [--part layers ...]
    python tests/packages/run.py --source python [...]
    python tests/packages/run.py --tensorflow SITE [...]

Each package has a folder here: ``package.json`` says what to install, which folders of tests there
are, and how many tests pass at least; ``excluded_tests.txt`` names tests that are not run, a reason
a line; ``baseline.json`` tells how they end with the real tensorflow, and ``shares`` in
``package.json`` how many percent of those that pass there have to pass here, by folder and, as
``""``, in all. An environment of its own is made below ``target/packages``; ``--source`` takes
ferrograph from a folder in place of a wheel; ``--tensorflow`` records the baseline with the
tensorflow that is installed in that folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path

from baseline import Baseline, read

HERE = Path(__file__).parent
TARGET = HERE.parent.parent / "target" / "packages"


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


class Package:
    """A package: its folder here, its environment, and where its tests are."""

    def __init__(self, name: str, options: argparse.Namespace):
        self.name, self.options = name, options
        self.table = json.loads((HERE / name / "package.json").read_text())
        wheel = options.wheel.resolve() if options.wheel else None
        self.python = environment(name, self.table["needs"], wheel)
        self.excluded = excluded(HERE / name)
        self.baseline = Baseline(HERE / name / "baseline.json")
        package, _, within = self.table["tests_in"].partition("/")
        ask = f"import importlib.util as u; print(u.find_spec({package!r}).origin)"
        found = subprocess.run([self.python, "-c", ask], check=True, capture_output=True, text=True)
        self.root = Path(found.stdout.strip()).parent / within

    def ended(self, part: str) -> dict[str, str]:
        """How the tests of a folder end."""
        written = TARGET / f"{self.name}.outcomes.json"
        written.unlink(missing_ok=True)
        options = self.options
        paths = [
            HERE / "plugins",
            *(p.resolve() for p in (options.source, options.tensorflow) if p),
        ]
        settings = {
            **os.environ,
            **self.table["environment"],
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "TEST_OUTCOMES": str(written),
        }
        command = [self.python, "-m", "pytest", "-q", "-p", "outcomes", "-p", "no:cacheprovider"]
        command += ["--continue-on-collection-errors", "--tb=line", "-c", os.devnull]
        if not options.tensorflow:
            command += ["-p", "as_tensorflow", *(f"--deselect={test}" for test in self.excluded)]
        command += [f"--rootdir={self.root}", self.root / part]
        done = subprocess.run(command, capture_output=True, text=True, env=settings, cwd=TARGET)
        if not written.exists():
            print(done.stdout[-2000:], done.stderr[-2000:], sep="\n", flush=True)
        return read(written)

    def run(self) -> bool:
        """Run the tests; whether as many pass as have to."""
        total, shares = Counter(), {}
        for part in self.options.part or self.table["folders"]:
            ended = self.ended(part)
            total.update(ended.values())
            print(f"{self.name} {part}: {_counted(Counter(ended.values()))}", flush=True)
            if self.options.tensorflow:
                self.baseline.record(part, ended)
            else:
                shares[part] = self.baseline.passed_too(part, ended, self.excluded)
                for test in self.baseline.failing_here(part, ended, self.excluded):
                    print(f"{self.name} {part}: passes with tensorflow alone: {test}")
        print(f"{self.name}: {_counted(total)}")
        if self.options.tensorflow:
            return True
        enough = self._have_their_shares({p: s for p, s in shares.items() if s})
        return enough and (bool(self.options.part) or total["passed"] >= self.table["floor"])

    def _have_their_shares(self, shares: dict[str, tuple[int, int]]) -> bool:
        """Whether so many of the tests pass that pass with tensorflow, folder by folder."""
        if not self.options.part and shares:
            shares[""] = tuple(map(sum, zip(*shares.values(), strict=True)))  # type: ignore[assignment]
        enough = True
        for part, (both, there) in shares.items():
            share, wanted = 100 * both / max(there, 1), self.table.get("shares", {}).get(part, 0)
            told = f"{share:.2f} %" if share >= wanted else f"{share:.2f} %, fewer than {wanted} %"
            print(f"{self.name} {part or 'in all'}: {both} of {there} that pass there, {told}")
            enough &= share >= wanted
        return enough


def _counted(how: Counter) -> str:
    return ", ".join(f"{how[kind]} {kind}" for kind in ("passed", "failed", "skipped"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--wheel", type=Path)
    where.add_argument("--source", type=Path)
    where.add_argument("--tensorflow", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", nargs="*", default=[])
    options = parser.parse_args()
    names = options.only or sorted(p.parent.name for p in HERE.glob("*/package.json"))
    TARGET.mkdir(parents=True, exist_ok=True)
    below = [name for name in names if not Package(name, options).run()]
    if below:
        sys.exit(f"fewer tests pass than have to: {', '.join(below)}")


if __name__ == "__main__":
    main()
