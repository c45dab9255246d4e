"""Writes the public modules and docs/coverage.md from what the sources declare, and the pages of
errors and the table of figures in README.md from their sources.

``@public("math.erf", "erf")`` above a function or class, or an entry of a module's ``PUBLIC`` dict,
says under which names something is public; ``ferrograph/_src/context/coverage.py`` says what each
public module is about, what is planned and what is left out. The sources are read, not imported.

    python python/generate.py           writes what differs
    python python/generate.py --check   lists what differs, and fails if anything does
"""

from __future__ import annotations

import ast
import re
import runpy
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "ferrograph"
SRC = PACKAGE / "_src"

# The line of mkdocs.yml below which are the pages of the modules.
NAVIGATION = "# The modules, by make generate."
# Likewise for the pages of errors, each of which is a file of this folder.
ERRORS = "# The classes of errors, by make generate."
ERROR_PAGES = SRC / "interfaces" / "error_pages"

# What the import of the package leaves alone: opened when a name in it is first asked for.
LAZY = (
    "array_api",
    "autodiff",
    "batching",
    "checkpoint",
    "control_flow",
    "data",
    "distribute",
    "extension_type",
    "compat",
    "files",
    "function.callbacks",
    "function.explain",
    "function.trace_report",
    "interfaces",
    "numpy_like",
    "operators",
    "ops.candidates",
    "ops.distributions",
    "ops.files",
    "ops.fractional",
    "ops.isotonic",
    "ops.permutations",
    "ops.quantization",
    "ops.quantize_dequantize",
    "ops.special",
    "ops.texts",
    "ragged",
    "saved",
    "sparse",
    "graph_view.graph",
    "state.generator",
    "state.module",
    "state.tensor_array",
    "tables",
)
# Operations that few programs need among the names of the top level.
LAZY_AT_TOP = (
    "ops.blocks",
    "ops.debug",
    "ops.factorisations",
    "ops.fourier_nd",
    "ops.segments",
    "ops.sorting",
    "ops.string_ops",
)
# Public modules that are made of lazy folders, and so import them at once.
OPENED_BY = {
    "array_api": "array_api",
    "autodiff": "autodiff",
    "data": "data",
    "distribute": "distribute",
    "experimental.numpy": "numpy_like",
    "experimental.numpy.random": "numpy_like",
    "lookup": "tables",
    "lookup.experimental": "tables",
    "queue": "tables",
    "ragged": "ragged",
    "sets": "sparse",
    "sparse": "sparse",
    "test": "autodiff",
}

# Of the top level, what needs a package that is not always there: not in `__all__`. A module that
# is written by hand, and modules of that package.
BY_HAND = ("keras",)
OF_KERAS = ("initializers", "losses", "metrics", "optimizers")

# Public modules with more names than are declared in Python: the module whose ``names`` lists them
# and whose ``find`` gives what they stand for.
MADE_BY = {
    "array_api": "array_api.names",
    "array_api.fft": "array_api.fft",
    "array_api.linalg": "array_api.linalg",
    "raw_ops": "interfaces.raw_declared",
}

HEADER = "# Made by `make generate` from the declarations in ferrograph._src."
WIDTH = 100


class Public(NamedTuple):
    """A public name: what it is called in its module, and where it is defined."""

    name: str
    module: str
    attribute: str


def declared() -> dict[str, list[Public]]:
    """The public names of each public module."""
    spaces: dict[str, list[Public]] = defaultdict(list)
    owners: dict[str, str] = {}
    for path in sorted(SRC.rglob("*.py")):
        module = ".".join(path.relative_to(SRC).with_suffix("").parts)
        for attribute, names in _declarations(ast.parse(path.read_text())):
            for full in names:
                space, _, name = full.rpartition(".")
                if full in owners:
                    raise SystemExit(f"{full} is declared in {owners[full]} and in {module}")
                owners[full] = module
                spaces[space].append(Public(name, module, attribute))
    return spaces


def _declarations(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                for decorator in node.decorator_list:
                    match decorator:
                        case ast.Call(func=ast.Name(id="public"), args=names):
                            yield name, [ast.literal_eval(n) for n in names]
            case ast.Assign(targets=[ast.Name(id="PUBLIC")], value=value):
                for name, names in ast.literal_eval(value).items():
                    yield name, list(names)


def is_lazy(space: str, module: str) -> bool:
    opened = OPENED_BY.get(space.partition(".")[0])
    folders = LAZY if space else LAZY + LAZY_AT_TOP
    return any(
        module == folder or module.startswith(folder + ".")
        for folder in folders
        if folder != opened
    )


def natural(name: str) -> tuple:
    """The order of names: constants, classes, then the rest, numbers in them by their size."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = re.split(r"(\d+)", name)
    return kind, [int(p) if p.isdigit() else p.lower() for p in parts], name


def listed(opening: str, items: list[str], closing: str, indent: str) -> str:
    """Items on one line where they fit, else one a line."""
    if not items:
        return f"{indent}{opening}{closing}\n"
    comma = "," if opening.endswith("= (") and len(items) == 1 else ""
    line = f"{indent}{opening}{', '.join(items)}{comma}{closing}"
    if len(line) <= WIDTH and not opening.endswith("["):
        return line + "\n"
    rows = "".join(f"{indent}    {item},\n" for item in items)
    return f"{indent}{opening}\n{rows}{indent}{closing}\n"


def statement(start: str, names: list[str], indent: str) -> str:
    """An import statement, in parentheses where it is too long for a line."""
    line = f"{indent}{start}{', '.join(names)}\n"
    return line if len(line) <= WIDTH + 1 else listed(f"{start}(", names, ")", indent)


def imports(names: list[Public], package: str, indent: str = "") -> str:
    """The import statements of these names, whose modules are in that package."""
    modules: dict[str, list[Public]] = defaultdict(list)
    for public in names:
        modules[public.module].append(public)
    text = ""
    for module in sorted(modules):
        plain = [p.name for p in modules[module] if p.name == p.attribute]
        start = f"from {package}.{module} import "
        if plain:
            text += statement(start, sorted(plain, key=natural), indent)
        for public in sorted(modules[module]):
            if public.name != public.attribute:
                text += f"{indent}{start}{public.attribute} as {public.name}\n"
    return text


def namespace(space: str, doc: str, names: list[Public], children: list[str]) -> str:
    """The text of a public module."""
    listed_names = [p.name for p in names] + children
    if not space:
        children = [*children, *BY_HAND]
        names = [
            *names,
            *(Public(name, "compat.keras_parts", name) for name in OF_KERAS),
        ]
    is_package = bool(children) or not space
    dots = "." * (space.count(".") + 1 + (is_package and bool(space)))
    eager = [p for p in names if not is_lazy(space, p.module)]
    lazy = sorted(p for p in names if is_lazy(space, p.module))
    more = ", Any as _Any" if space in MADE_BY else ""
    text = f'"""{doc}"""\n\n{HEADER}\n# ruff: noqa: I001\n\n'
    text += f"from {dots}_src.hints import TYPE_CHECKING{more}\n\n"
    if not space:
        text += "from ._src import setup as _setup\n"
    text += imports(eager, f"{dots}_src")
    made_by = MADE_BY.get(space)
    text += f"from {dots}_src import door as _door{', names_of as _names_of' if made_by else ''}\n"
    if lazy or children:
        text += "\nif TYPE_CHECKING:\n"
        if children:
            text += statement("from . import ", sorted(children), "    ")
        text += imports(lazy, f"{dots}_src", "    ")
    public = sorted(listed_names, key=natural)
    text += "\n" + listed("__all__ = [", [f'"{n}"' for n in public], "]", "")
    if not space:
        text += f'\n_setup.finish()\n\n__version__ = "{version()}"\n'
    return text + _doorway(lazy, children, made_by)


def operations(top: list[Public]) -> str:
    """The text of the package of operations: those that stand at the top level."""
    own = [p for p in top if p.module.startswith("ops.")]
    within = [Public(p.name, p.module.removeprefix("ops."), p.attribute) for p in own]
    eager = [p for p, of in zip(within, own, strict=True) if not is_lazy("", of.module)]
    lazy = sorted(set(within) - set(eager))
    doc = (
        "The operations as Python functions, a module a family.\n\n"
        "``ops.NAME`` is each that stands at the top level of the package.\n"
    )
    text = f'"""{doc}"""\n\n{HEADER}\n# ruff: noqa: I001\n\nfrom ..hints import TYPE_CHECKING\n\n'
    text += f"{imports(eager, '')}from .. import lazy as _lazy\n\nif TYPE_CHECKING:\n"
    text += f"{imports(lazy, '', '    ')}\n"
    public = sorted((p.name for p in within), key=natural)
    text += listed("__all__ = [", [f'"{n}"' for n in public], "]", "")
    rows = "".join(f'        "{p.name}": "{p.module}",\n' for p in lazy)
    text += "\nif not TYPE_CHECKING:\n    __getattr__ = _lazy(\n        __name__,\n        {\n"
    return text + rows.replace("        ", "            ") + "        },\n    )\n"


def _entry(public: Public) -> str:
    """Where a lazy name is found, in the table of its module; a long one is no fault of style."""
    entry = f'"{public.name}": "{public.module}:{public.attribute}",'
    return entry if len(entry) + 8 <= WIDTH else f"{entry}  # noqa: E501"


def _doorway(lazy: list[Public], children: list[str], made_by: str | None) -> str:
    """The door of a public module; a type checker sees only what is there."""
    text = "\nif not TYPE_CHECKING:\n"
    if made_by:
        text = "\nif TYPE_CHECKING:\n\n    def __getattr__(name: str) -> _Any: ...\n\nelse:\n"
    arguments = ["__name__"]
    if lazy or children:
        rows = "".join(f"        {_entry(p)}\n" for p in lazy)
        text += f"    _LAZY = {{\n{rows}    }}\n" if lazy else "    _LAZY = {}\n"
        arguments.append("_LAZY")
    if children:
        text += listed("_MODULES = (", [f'"{c}"' for c in sorted(children)], ")", "    ")
        arguments.append("_MODULES")
    if made_by:
        arguments.append(f'others="{made_by}"')
    text += f"    __getattr__ = _door({', '.join(arguments)})\n\n"
    there = f'sorted({{*__all__, *_names_of("{made_by}")}})' if made_by else "__all__"
    return text + f"    def __dir__():\n        return {there}\n"


def version() -> str:
    """The version of the workspace."""
    found = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)
    if found is None:
        raise SystemExit("Cargo.toml names no version")
    return found.group(1)


def coverage(spaces: dict[str, list[Public]], table: dict) -> str:
    """The page that says what of the API is there, planned, left out."""
    there = {space: {p.name for p in names} for space, names in spaces.items()}
    planned = {
        space: [name for name in names.split() if name not in there.get(space, ())]
        for space, names in table["PLANNED"].items()
    }
    n_have = sum(map(len, spaces.values()))
    n_planned = sum(map(len, planned.values()))
    text = (
        "# Coverage of the public API\n\n"
        "Made by `make generate` from the declarations in `python/ferrograph/_src`. A name under\n"
        "several modules counts in each.\n\n"
        f"{n_have} names are there, {n_planned} are planned.\n\n"
        "| module | there | planned |\n| --- | --- | --- |\n"
    )
    for space in sorted({*spaces, *planned}):
        have = len(spaces.get(space, ()))
        text += f"| {_title(space)} | {have} | {len(planned.get(space, ()))} |\n"
    for space in sorted({*spaces, *planned}):
        text += f"\n## {_title(space)}\n"
        have = sorted((p.name for p in spaces.get(space, ())), key=natural)
        if have:
            text += f"\nThere: {', '.join(f'`{n}`' for n in have)}.\n"
        if planned.get(space):
            text += f"\nPlanned: {', '.join(f'`{n}`' for n in planned[space])}.\n"
    text += "\n## Left out\n\n"
    for reason, names in table["LEFT_OUT"].items():
        text += f"- As {reason.format(FG='fg')}: {', '.join(f'`{n}`' for n in names.split())}.\n"
    return text


def reference(docs: dict[str, str]) -> dict[Path, str]:
    """The pages of the reference, which the site's builder fills from the docstrings."""
    folder = ROOT / "docs" / "reference"
    pages, index = {}, "# Reference\n\nMade by `make generate`.\n\n"
    for space, doc in sorted(docs.items()):
        name = f"ferrograph.{space}" if space else "ferrograph"
        pages[folder / f"{name}.md"] = f"::: {name}\n"
        index += f"- [`{name}`]({name}.md): {doc.splitlines()[0]}\n"
    pages[folder / "index.md"] = index
    return pages


def navigation(docs: dict[str, str]) -> str:
    """The configuration of the site, with a page for each module below "Reference"."""
    text = (ROOT / "mkdocs.yml").read_text()
    before, _, rest = text.partition(NAVIGATION)
    indent = before.rpartition("\n")[2]
    names = (f"ferrograph.{space}" if space else "ferrograph" for space in sorted(docs))
    pages = "".join(f"{indent}- {name}: reference/{name}.md\n" for name in names)
    behind = re.sub(rf"^(?:{indent}- ferrograph[\w.]*: .*\n)*", "", rest.partition("\n")[2])
    text = f"{before}{NAVIGATION}\n{pages}{behind}"
    before, _, rest = text.partition(ERRORS)
    indent = before.rpartition("\n")[2]
    pages = "".join(f"{indent}- {page.stem}: errors/{page.name}\n" for page in error_pages())
    behind = re.sub(rf"^(?:{indent}- \w+: errors/.*\n)*", "", rest.partition("\n")[2])
    return f"{before}{ERRORS}\n{pages}{behind}"


def error_pages() -> list[Path]:
    """The pages of the classes of errors."""
    return sorted(ERROR_PAGES.glob("*.md"))


def errors() -> dict[Path, str]:
    """The pages of errors on the site, which are those that ``ferrograph explain`` prints."""
    folder = ROOT / "docs" / "errors"
    pages = {folder / page.name: page.read_text() for page in error_pages()}
    index = (
        "# Errors\n\nMade by `make generate`. Each class of errors has a page: what it means, "
        "programs that fail\nwith it, and the cures. `ferrograph explain NAME` prints the page in "
        "a terminal.\n\n"
    )
    for page in error_pages():
        about = page.read_text().split("\n\n")[2].replace("\n", " ").partition(". ")[0]
        index += f"- [`{page.stem}`]({page.name}): {about.removesuffix('.')}.\n"
    pages[folder / "index.md"] = index
    return pages


def measured() -> dict[str, dict[str, str]]:
    """The figures of docs/performance.md: of each workload by the name of its column."""
    found: dict[str, dict[str, str]] = {}
    header: list[str] = []
    for line in (ROOT / "docs" / "performance.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if cells and header and cells[0].startswith("`"):
            found.setdefault(cells[0], dict(zip(header, cells, strict=True)))
        elif cells[:1] == ["workload"] or not cells:
            header = cells
    return found


def readme() -> str:
    """README.md, with the figures of its table from docs/performance.md."""
    figures, header, lines = measured(), [], []
    for line in (ROOT / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[1:2] == ["workload"]:
            header = cells[2:]
        elif header and len(cells) == len(header) + 2 and cells[1].startswith("`"):
            if cells[1] not in figures:
                raise SystemExit(f"docs/performance.md has no workload {cells[1]}")
            row = [figures[cells[1]][package] for package in header]
            line = f"| {' | '.join([*cells[:2], *row])} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _title(space: str) -> str:
    return f"`{space}`" if space else "top level"


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    spaces, table = declared(), runpy.run_path(str(SRC / "context" / "coverage.py"))
    docs: dict[str, str] = table["NAMESPACES"]
    unknown = sorted(set(spaces) - set(docs))
    if unknown:
        raise SystemExit(f"coverage.NAMESPACES does not say what {', '.join(unknown)} is about")
    found = {}
    for space, doc in docs.items():
        prefix = f"{space}." if space else ""
        below = [s for s in docs if s and s.startswith(prefix) and s != space]
        children = [s[len(prefix) :] for s in below if "." not in s[len(prefix) :]]
        path = PACKAGE.joinpath(*space.split(".")) if space else PACKAGE
        path = path / "__init__.py" if children else path.with_suffix(".py")
        found[path] = namespace(space, doc, spaces.get(space, []), children)
    found.update(reference(docs))
    found.update(errors())
    found[ROOT / "mkdocs.yml"] = navigation(docs)
    found[SRC / "ops" / "__init__.py"] = operations(spaces[""])
    found[ROOT / "README.md"] = readme()
    found[ROOT / "docs" / "coverage.md"] = coverage(spaces, table)
    return found


def main() -> None:
    differs = []
    for path, text in files().items():
        if not path.exists() or path.read_text() != text:
            differs.append(path)
            if "--check" not in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
    for path in differs:
        print(path.relative_to(ROOT))
    if differs and "--check" in sys.argv:
        sys.exit("these files differ from the declarations: run `make generate`")


if __name__ == "__main__":
    main()
