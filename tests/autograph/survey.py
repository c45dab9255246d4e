"""Which modules of staged Python the programs of a corpus reach: coverage by module and corpus.

    survey.py run FOLDER CORPUS -- COMMAND...   run a command and keep what its processes reach
    survey.py table FOLDER                      the table of all corpora that were run, as Markdown

The interpreter of the commands has `coverage` installed and starts it in every process: a file
`coverage.pth` in its site-packages holds `import coverage; coverage.process_startup()`. A process
that is measured is traced as by a debugger, so that lean forms of functions are not taken.
"""

import collections
import os
import subprocess
import sys
from pathlib import Path

LAYERS = ("heap", "symbolic", "staging", "autograph")
SOURCE = Path(__file__).parents[2] / "python" / "ferrograph" / "_src"


def run(folder, corpus, command):
    data = folder / corpus
    data.mkdir(parents=True, exist_ok=True)
    settings = data / "settings"
    sources = "\n    ".join(str(SOURCE / layer) for layer in LAYERS)
    settings.write_text(
        f"[run]\nparallel = true\npatch = _exit\n"
        f"data_file = {data}/.coverage\nsource =\n    {sources}\n"
    )
    done = subprocess.run(command, env={**os.environ, "COVERAGE_PROCESS_START": str(settings)})
    subprocess.run([sys.executable, "-m", "coverage", "combine", f"--rcfile={settings}"])
    return done.returncode


def reached(folder):
    """By corpus and module, the share of its statements within functions that run."""
    import coverage

    found = collections.defaultdict(dict)
    for corpus in sorted(path for path in folder.iterdir() if path.is_dir()):
        measured = coverage.Coverage(config_file=str(corpus / "settings"))
        measured.load()
        for layer in LAYERS:
            for file in sorted((SOURCE / layer).rglob("*.py")):
                _, statements, _, missing, _ = measured.analysis2(str(file))
                inner = within_functions(file)
                statements = [line for line in statements if line in inner]
                if statements:
                    ran = len(set(statements).difference(missing))
                    module = file.relative_to(SOURCE).as_posix()
                    found[module][corpus.name] = ran / len(statements)
    return found


def within_functions(file):
    """The lines of the bodies of functions: those outside run with the import."""
    import ast

    lines = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            lines.update(range(body[0].lineno, (body[-1].end_lineno or 0) + 1))
    return lines


def table(folder):
    found = reached(folder)
    corpora = sorted({corpus for row in found.values() for corpus in row})
    lines = [
        f"| module | lines | {' | '.join(corpora)} |",
        f"| --- |{' --: |' * (len(corpora) + 1)}",
    ]
    for module, row in found.items():
        n = len((SOURCE / module).read_text().splitlines())
        cells = [f"{100 * row.get(corpus, 0):.0f}" for corpus in corpora]
        lines.append(f"| `{module}` | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    action, place, *rest = sys.argv[1:]
    if action == "run":
        sys.exit(run(Path(place), rest[0], rest[2:]))
    print(table(Path(place)))
