"""Runs the test suite of the Python array API standard on ``ferrograph.array_api``.

    python tests/packages/array_api.py --suite FOLDER [TESTS ...]

Needed beside ferrograph is what ``needs`` of ``array-api/suite.json`` lists. How many examples are
drawn is pinned there, too, as are the draws by the version of hypothesis.

The suite is https://github.com/data-apis/array-api-tests, with its submodule ``array-api``, at the
commits that ``array-api/suite.json`` names; it is in no package registry, so that the folder has to
be there. Without one nothing runs. Tests that do not pass are listed in
``array-api/excluded_tests.txt``, each with its reason: one that is missing there is an error, and
so is a listed one that passes. At least the share that ``suite.json`` says has to pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PINNED = json.loads((HERE / "array-api" / "suite.json").read_text())


def excluded() -> dict[str, str]:
    """The reasons of the tests that do not pass. SystemExit for one without a reason."""
    found = {}
    for line in (HERE / "array-api" / "excluded_tests.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            test, _, reason = line.partition("  # ")
            if not reason.strip():
                raise SystemExit(f"{test} is excluded without a reason")
            found[test.strip()] = reason
    return found


def digest(suite: Path) -> str:
    """What tells the suite's files from those of other commits."""
    found = hashlib.sha256()
    for file in sorted((suite / "array_api_tests").glob("*.py")):
        if file.name != "_version.py":  # git writes into it
            found.update(file.read_bytes())
    return found.hexdigest()


def ended(suite: Path, tests: list[str]) -> dict[str, str]:
    """How the tests end."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "outcomes.json"
        settings = {
            **os.environ,
            "ARRAY_API_TESTS_MODULE": "ferrograph.array_api",
            "ARRAY_API_TESTS_VERSION": PINNED["version"],
            "PYTHONPATH": str(HERE / "plugins"),
            "TEST_OUTCOMES": str(written),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line"]
        command += [
            "-p",
            "outcomes",
            "-p",
            "array_api_arrays",
            f"--max-examples={PINNED['examples']}",
        ]
        command += ["--derandomize", "--disable-deadline", *(tests or ["array_api_tests"])]
        subprocess.run(command, env=settings, cwd=suite, check=False)
        return json.loads(written.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=Path)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    if options.suite is None or not (options.suite / "array_api_tests").is_dir():
        print(f"array API: skipped, as the suite is not there: {PINNED['suite']}")
        return 0
    if digest(options.suite) != PINNED["digest"]:
        print(f"array API: the suite is of another commit than {PINNED['suite']}")
        return 1
    outcomes, reasons = ended(options.suite, options.tests), excluded()
    failed = {test for test, outcome in outcomes.items() if outcome == "failed"}
    passed = {test for test, outcome in outcomes.items() if outcome == "passed"}
    unknown = set() if options.tests else reasons.keys() - outcomes.keys()
    wrong = {
        "fails, and is not excluded": failed - reasons.keys(),
        "passes, and is excluded": passed & reasons.keys(),
        "is excluded, and is no test": unknown,
    }
    for text, tests in wrong.items():
        for test in sorted(tests):
            print(f"array API: {text}: {test}")
    share = 100 * len(passed) / max(1, len(passed | failed))
    counted = f"{len(passed)} passed, {len(failed)} failed, {share:.1f} %"
    print(f"array API {PINNED['version']}: {counted}")
    return int(any(wrong.values()) or share < PINNED["share"])


if __name__ == "__main__":
    sys.exit(main())
