"""What type checkers make of users' programs: mistakes are found, and nothing else is.

mypy and pyright read the examples, a program without mistakes and one with them, strictly, and the
programs of the guide, which leave annotations out where a reader does not need them.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ferrograph
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
CORRECT, MISTAKES = HERE / "correct.py", HERE / "mistakes.py"

# Keras has no types: nothing is known of its classes.
STRICT = ["--strict", "--allow-subclassing-any"]
OF_THE_GUIDE = [*STRICT, "--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls"]

# The rule of pyright for a mistake to which mypy gives a code.
RULES = {
    "arg-type": "reportArgumentType",
    "assignment": "reportAttributeAccessIssue",
    "attr-defined": "reportAttributeAccessIssue",
    "call-arg": "reportCallIssue",
    "index": "reportIndexIssue",
    "misc": "reportAttributeAccessIssue",
    "operator": "reportCallIssue",
    "return-value": "reportReturnType",
}
# What follows from a mistake: the type of the expression is unknown.
FOLLOWING = {"reportUnknownMemberType", "reportUnknownArgumentType", "reportUnknownVariableType"}
# What unannotated parameters make unknown, and what programs of a guide do on purpose: fail, show a
# value, rebind a global.
LEFT_OUT = [
    "reportMissingParameterType", "reportUnknownParameterType", "reportUnknownLambdaType",
    "reportUnknownArgumentType", "reportUnknownVariableType", "reportUnknownMemberType",
    "reportUnusedExpression", "reportConstantRedefinition", "reportPossiblyUnboundVariable",
]  # fmt: skip


def of_mypy(files, options, cache):
    """What mypy reports of these files, as triples of the file's name, the line, the code."""
    from mypy import api

    out, errors, status = api.run(
        ["--no-error-summary", "--ignore-missing-imports", "--cache-dir", str(cache)]
        + ["--config-file", "", "--follow-imports=silent", *options, *map(str, files)]
    )
    assert status in (0, 1), out + errors
    found = re.findall(r"^(.*?):(\d+): error: .*\[([\w-]+)\]$", out, re.M)
    assert len(found) == out.count(" error: "), out
    return [(Path(file).name, int(line), code) for file, line, code in found]


def of_pyright(files, options, folder):
    """What pyright reports, in the same form."""
    if shutil.which("node") is None:
        pytest.skip("pyright needs Node.js, which is not on the PATH")
    (folder / "programs").mkdir()
    for file in files:
        shutil.copy(file, folder / "programs")
    shutil.copytree(HERE / "stubs", folder / "stubs")
    settings = {
        "typeCheckingMode": "strict",
        "include": ["programs"],
        "stubPath": "stubs",
        **options,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return [
        (Path(row["file"]).name, row["range"]["start"]["line"] + 1, row.get("rule"))
        for row in json.loads(run.stdout)["generalDiagnostics"]
        if row["severity"] == "error"
    ]


def programs_of_the_guide(folder):
    """The programs in the pages for users, a file each."""
    sys.path.insert(0, str(ROOT / "tests" / "repository"))
    from test_docs import PAGES, program

    folder.mkdir()
    for page in PAGES:
        source = program(page)
        if source.strip() and ("guide" in page.parts or page.name in ("README.md", "retracing.md")):
            (folder / f"{page.stem.replace('-', '_')}.py").write_text(source)
    return sorted(folder.iterdir())


def marked():
    """The lines of the program with mistakes that say what is wrong, with mypy's codes."""
    for number, line in enumerate(MISTAKES.read_text().splitlines(), 1):
        if "# error: " in line and not line.startswith('"'):
            yield number, line.rpartition("# error: ")[2].split(", ")


def test_the_package_says_that_it_is_typed():
    assert (Path(ferrograph.__file__).parent / "py.typed").exists()


def test_mypy_reports_the_mistakes_and_nothing_else(tmp_path):
    found = of_mypy([*EXAMPLES, CORRECT, MISTAKES], STRICT, tmp_path)
    assert found == [(MISTAKES.name, n, code) for n, codes in marked() for code in codes]


def test_mypy_reports_nothing_of_the_guide(tmp_path):
    programs = programs_of_the_guide(tmp_path / "guide")
    assert len(programs) > 10
    assert of_mypy(programs, OF_THE_GUIDE, tmp_path / "cache") == []


def test_pyright_reports_the_mistakes_and_nothing_else(tmp_path):
    found = of_pyright([*EXAMPLES, CORRECT, MISTAKES], {}, tmp_path)
    assert {row[:2] for row in found} == {(MISTAKES.name, n) for n, _ in marked()}
    rules = {n: {rule for _, line, rule in found if line == n} - FOLLOWING for n, _ in marked()}
    assert rules == {n: {RULES[codes[0]]} for n, codes in marked()}


def test_pyright_reports_nothing_of_the_guide(tmp_path):
    programs = programs_of_the_guide(tmp_path / "guide")
    assert of_pyright(programs, dict.fromkeys(LEFT_OUT, False), tmp_path) == []
