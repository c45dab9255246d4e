"""Documents and public names use the field's words, not the private ones that these replace.

``docs/glossary.md`` lists both: the last column of its tables has the retired words.
"""

import ast
import importlib
import io
import re
import tokenize
from pathlib import Path

import ferrograph as fg
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = ROOT / "python" / "ferrograph" / "_src"
GLOSSARY = DOCS / "glossary.md"

COLUMNS = 6
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((DOCS / "guide").glob("*.md")),
    *(
        DOCS / f"{name}.md"
        for name in (
            "add-a-python-type",
            "add-an-op",
            "architecture",
            "autograph",
            "glossary",
            "one-branch",
            "one-call",
        )
    ),
]

# Each of these is said in the documents and where the code does it.
FIELD = {
    "alias": "python/ferrograph/_src/heap/aliasing.py",
    "common subexpression elimination": "crates/transform/src/passes/cse.rs",
    "constant folding": "crates/transform/src/passes/fold.rs",
    "dead code elimination": "crates/transform/src/passes/prune.rs",
    "fusion": "crates/runtime/src/compile/fuse.rs",
    "guard": "python/ferrograph/_src/function/guards.py",
    "liveness": "crates/runtime/src/compile/schedule.rs",
    "loop-carried": "python/ferrograph/_src/staging/loop_variables.py",
    "side effect": "python/ferrograph/_src/staging/side_effects.py",
    "weak type": "python/ferrograph/_src/symbolic/python_scalars.py",
}

MOST_WORDS = 120  # of a paragraph of the architecture


def rows():
    """The rows of the glossary's tables, each a list of its cells."""
    for line in GLOSSARY.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == COLUMNS and cells[0] != "term" and not cells[0].startswith("---"):
            yield cells


RETIRED = [entry for cells in rows() for entry in cells[-1].split(", ") if entry != "–"]
PATTERNS = {
    word.lower(): re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    for word in RETIRED
}


def found(text):
    """The retired words in a text."""
    text = re.sub(r"\s+", " ", text)
    lower = text.lower()
    present = (pattern for word, pattern in PATTERNS.items() if word in lower)
    return [word for pattern in present for word in pattern.findall(text)]


def may_have_retired_words(source):
    """Whether to parse a source, which takes long: its words without quotes, ``#`` and lines."""
    return bool(found(re.sub(r'[\s#"]+(?:[fr]"\s*)?', " ", source)))


def prose(page):
    """The text of a page without its code; of the glossary, without the retired column, too."""
    text = page.read_text()
    if page == GLOSSARY:
        text = "\n".join(
            "|".join(line.split("|")[:-2]) if line.startswith("| ") else line
            for line in text.splitlines()
        )
    return re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def paragraphs(page):
    """The paragraphs and items of lists of a page, without tables."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", text):
        if not block.lstrip().startswith("|"):
            yield from re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", block)


def test_the_glossary_is_read():
    assert len(list(rows())) > 60
    assert len(RETIRED) > 40
    assert all(found(f"a {word} b") for word in RETIRED)
    assert all(all(cells) for cells in rows())


def test_terms_are_in_order():
    text = GLOSSARY.read_text()
    for section in text.split("\n## ")[1:]:
        terms = re.findall(r"^\| (?!term|---)([^|]+) \|", section, flags=re.MULTILINE)
        assert terms == sorted(terms, key=str.lower)


def named_files():
    for folder in (SOURCES, ROOT / "crates"):
        yield from (p for p in folder.rglob("*") if p.suffix in (".py", ".rs", ".toml"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_have_no_retired_words(page):
    assert not found(prose(page))


def test_headings_have_no_retired_words():
    headings = {
        f"{page.relative_to(ROOT)}: {line}"
        for page in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        for line in page.read_text().splitlines()
        if line.startswith("#") and found(re.sub(r"`[^`]*`", "", line))
    }
    assert not headings


def public_names():
    """The names of the public modules, as words: `IteratorBase` is `iterator base`."""
    for file in sorted((ROOT / "python" / "ferrograph").rglob("*.py")):
        parts = file.relative_to(ROOT / "python").with_suffix("").parts
        if "_src" in parts or parts[-1].startswith("_") and parts[-1] != "__init__":
            continue
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for name in getattr(importlib.import_module(module), "__all__", ()):
            yield f"{module}.{name}", re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).strip()


def test_public_names_have_no_retired_words():
    names = dict(public_names())
    assert len(names) > 1000
    assert f"{fg.__name__}.constant" in names
    assert not [name for name, words in names.items() if found(words)]


def strings_of(source):
    """The strings in a Python source: those that are docstrings, and all others."""
    nodes = list(ast.walk(ast.parse(source)))
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [n for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    docstrings = [node.value for node in strings if id(node) in statements]
    return docstrings, [node.value for node in strings if id(node) not in statements]


def comments_of(source):
    """The comments in a Python source; those on lines that follow one another are one."""
    found, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            text, line = token.string.lstrip("# "), token.start[0]
            if last is not None and line == last + 1:
                found[-1] += f" {text}"
            else:
                found.append(text)
            last = line
    return found


def suspects():
    """The Python sources that may have retired words."""
    sources = (file.read_text() for file in SOURCES.rglob("*.py"))
    return list(filter(may_have_retired_words, sources))


def texts_of_python(sources):
    """The texts in the Python sources that are no docstrings: messages, among others."""
    return [text for source in sources for text in strings_of(source)[1]]


def remarks_of_python(sources):
    """The docstrings and comments in the Python sources, without the code in them."""
    for source in sources:
        for text in strings_of(source)[0] + comments_of(source):
            prose = re.sub(r"^\s*(>>>|\.\.\. ).*$", "", text, flags=re.MULTILINE)
            yield re.sub(r"(`+)[^`]+\1", "", prose)


def texts_of_crates():
    """The texts in the crates that stand on one line, but for those of their tests."""
    for file in (ROOT / "crates").glob("*/src/**/*.rs"):
        if "tests" not in file.with_suffix("").parts:
            code = re.sub(r"""//.*$|'"'""", "", file.read_text(), flags=re.MULTILINE)
            yield from re.findall(r'"(?:[^"\\\n]|\\.)*"', code)


def test_remarks_are_docstrings_and_comments():
    source = '"""One `law`."""\nx = "law"  # a\n# knot\n\n# ``door``\n'
    assert strings_of(source) == (["One `law`."], ["law"])
    assert comments_of(source) == ["a knot", "``door``"]
    assert list(remarks_of_python([source])) == ["One .", "a knot", ""]


def test_changelog_and_roadmap_have_no_retired_words():
    assert not found((ROOT / "CHANGELOG.md").read_text())
    assert not found(prose(DOCS / "roadmap.md"))


def test_sources_have_no_retired_words():
    sources = suspects()
    assert not found(" | ".join(texts_of_python(sources)))
    assert not found(" | ".join(remarks_of_python(sources)))
    assert not found(" | ".join(texts_of_crates()))


def test_names_of_files_have_no_retired_words():
    names = {p.relative_to(ROOT).with_suffix("").as_posix() for p in named_files()}
    names.remove("crates/kernels/src/tiles/lanes")  # of SIMD vectors, as the field says
    assert not [name for name in names if found(re.sub(r"[/_]", " ", name))]


@pytest.mark.parametrize("term", FIELD)
def test_terms_of_the_field_are_used(term):
    wanted = re.compile(rf"\b{term}", re.IGNORECASE)
    assert any(re.match(rf"{term}\b", cells[0], re.IGNORECASE) for cells in rows())
    assert any(wanted.search(prose(page)) for page in DOCS.rglob("*.md") if page != GLOSSARY)
    assert wanted.search((ROOT / FIELD[term]).read_text())


def test_paragraphs_of_the_architecture_are_short():
    long = [p[:60] for p in paragraphs(DOCS / "architecture.md") if len(p.split()) > MOST_WORDS]
    assert not long
