"""The programs in the documentation run.

The ```python blocks of a page are one program, run in order. A block that is not to run says so and
why in its info string: ```python no-run: REASON.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The programs of the pages of errors are run by tests/process/test_error_pages.py.
ERRORS = ("docs/errors/", "python/ferrograph/_src/interfaces/error_pages/")
PAGES = [
    page
    for folder in ("", "docs", "python/ferrograph/_src")
    for page in (sorted((ROOT / folder).rglob("*.md")) if folder else [ROOT / "README.md"])
    if not page.relative_to(ROOT).as_posix().startswith(ERRORS) or page.name == "index.md"
]


def program(page):
    """The page's blocks, each on the lines where it stands there, which tracebacks then name."""
    lines, running = [], False
    for line in page.read_text().splitlines():
        if not running and (head := re.match(r"```python(?P<info>.*)$", line)):
            info = head["info"].strip()
            if info.startswith("no-run"):
                assert info.removeprefix("no-run").strip(" :"), (
                    f"{page.name}: no-run needs a reason"
                )
            else:
                assert not info, f"{page.name}: unknown info string {info!r}"
                running = True
            lines.append("")
        elif running and line == "```":
            running = False
            lines.append("")
        else:
            lines.append(line if running else "")
    return "\n".join(lines)


def test_there_are_programs():
    assert program(PAGES[0]).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_run(page, run_python):
    source = program(page)
    if source.strip():
        run_python(source, timeout=120)


LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    missing = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    assert not missing
