"""Arrows go one way: each layer of the Python front and each crate uses only those before it.

``docs/architecture.md`` draws both halves; the orders here are read from its tables.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PUBLIC = ROOT / "python" / "ferrograph"
PRIVATE = PUBLIC / "_src"
CRATES = ROOT / "crates"
PAGE = (ROOT / "docs" / "architecture.md").read_text()

# Imports of own modules inside functions, by module and imported module, each with its reason.
INSIDE_FUNCTIONS: dict[tuple[str, str], str] = {}
MOST_INSIDE_FUNCTIONS = 10

# Where a table of names with the modules behind them, imported when a name is first used, may be.
LAZY = {
    "autograph.convert": "what few functions have",
    "autograph.runtime": "the converter: when a function is first converted",
    "autograph.runtime.builtins": "what few builtins need",
    "autograph.runtime.operators": "constructs that not every function has",
    "context.tracebacks": "what messages about unknown attributes suggest",
    "control_flow": "for the converter, which seldom needs it",
    "compat.install": "the modules that programs import as tensorflow",
    "compat.keras": "the installed Keras",
    "compat.legacy": "the installed Keras",
    "compat.modules": "the modules that programs import as tensorflow",
    "files.descriptors": "protobuf's library, where the program has imported it",
    "function.outputs": "containers of the program's own classes, which few functions return",
    "function.explained": "records of traces, which few programs ask for",
    "function.explain": "records of traces are put in words when somebody asks",
    "function.misses": "records of traces, which few programs ask for",
    "function.guards": "objects whose end is seen, which functions without methods do not meet",
    "function.special": "what few calls and traces need",
    "staging.conditional": "strings of which branches that raise make messages",
    "saved.loading": "operations of other programs' models that there are not here",
    "files.structured_values": "composite values, which few functions take",
    "heap": "what few constructs need",
    "graph_view": "what few programs ask of a graph",
    "staging": "when the first construct is met whose operands belong to the graph",
    "symbolic": "what few constructs need",
    "ops": "families among the names of the top level that few programs need",
    "graph_view.graph": "what few programs ask of an operation",
    "values.nest": "containers of the program's own classes",
    "ops._dispatch": "what messages about wrong arguments name",
    "ops._numbers": "what messages about wrong arguments name",
    "setup": "hooks of folders that most programs use late or never",
}


def table(heading):
    """The first column of a table of the architecture page, top to bottom."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)


LAYERS = table("The Python front")
ORDER = table("The crates")


def name_of(file):
    """The module in a file, relative to ``_src``; empty for ``_src`` itself."""
    parts = file.relative_to(PRIVATE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in sorted(PRIVATE.rglob("*.py"))}


class Imports(ast.NodeVisitor):
    """What one module imports, as triples of where it stands, the module and the line.

    It stands ``"top"``, in a function (``"function"``), or is there for annotations (``"types"``).
    """

    def __init__(self, file, package):
        self.found, self._where, self._package = [], "top", package
        self.visit(ast.parse(file.read_text()))

    def _within(self, node, where):
        before, self._where = self._where, where
        self.generic_visit(node)
        self._where = before

    def visit_FunctionDef(self, node):
        self._within(node, "function")

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_If(self, node):
        typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        self._within(node, "types" if typing else self._where)

    def visit_Import(self, node):
        self.found += [(self._where, alias.name, node.lineno) for alias in node.names]

    def visit_ImportFrom(self, node):
        base = self._package[: len(self._package) - node.level + 1] if node.level else []
        start = ".".join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            self.found.append((self._where, f"{start}.{alias.name}", node.lineno))


def imports_of(file):
    package = ("ferrograph", *file.relative_to(PUBLIC).parts[:-1])
    return Imports(file, list(package)).found


def own(target):
    """The module of ``_src`` that an import names, or that has the name; None for others."""
    if not target.startswith("ferrograph._src."):
        return None
    name = target.removeprefix("ferrograph._src.")
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def imported(module):
    return importlib.import_module(f"ferrograph._src.{module}" if module else "ferrograph._src")


def names_opened_late(package):
    """The modules behind the names that a package imports when they are first asked for."""
    file = MODULES.get(package)
    if file is None or file.name != "__init__.py" or "lazy(__name__" not in file.read_text():
        return {}
    where = inspect.getclosurevars(imported(package).__getattr__).nonlocals["where"]
    return {name: f"{package}.{module}" for name, module in where.items()}


OPENED_LATE = {package: names_opened_late(package) for package in MODULES if package}


def late_arrows(module, file):
    """What a module imports by ``later``, and by names of packages that are opened late."""
    tree = ast.parse(file.read_text())
    packages = {}
    for _, target, _ in imports_of(file):
        name = target.removeprefix("ferrograph._src.")
        if OPENED_LATE.get(name):
            packages[name.rpartition(".")[2]] = name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = OPENED_LATE.get(packages.get(node.value.id, ""), {}).get(node.attr)
            if found:
                yield module, "late", found, node.lineno
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id == "later" and isinstance(node.args[-1], ast.Constant):
            where = ast.Expression(node.args[0])
            package = eval(compile(where, str(file), "eval"), vars(imported(module)))  # noqa: S307
            for name in node.args[1:]:
                target = f"{package}.{name.value}".removeprefix("ferrograph._src.")
                yield module, "late", target, node.lineno


def resolved(where, target):
    """The module behind an import: of a name that a package opens late that which has it."""
    package, _, name = target.removeprefix("ferrograph._src.").rpartition(".")
    late = OPENED_LATE.get(package, {}).get(name)
    return (where, own(target)) if late is None else ("late", late)


ARROWS = [
    (module, *resolved(where, target), line)
    for module, file in MODULES.items()
    for where, target, line in imports_of(file)
    if own(target) is not None
]
ARROWS += [arrow for module, file in MODULES.items() for arrow in late_arrows(module, file)]


def layer(module):
    return module.partition(".")[0]


def test_every_module_belongs_to_a_layer():
    assert {layer(module) for module in MODULES if module} == set(LAYERS)


def test_layers_import_those_before_them():
    upward = [
        f"{module}:{line} imports {target}"
        for module, _, target, line in ARROWS
        if module and target and LAYERS.index(layer(target)) > LAYERS.index(layer(module))
    ]
    assert not upward


def test_modules_form_no_cycle():
    below = {module: set() for module in MODULES}
    for module, where, target, _ in ARROWS:
        # A package that opens its names late hands them out: who asks for one has the arrow.
        hands_out = OPENED_LATE.get(target) and where == "top"
        if where in ("top", "late") and target != module and not hands_out:
            below[module].add(target)
    while free := [module for module, targets in below.items() if not targets & below.keys()]:
        for module in free:
            del below[module]
    assert not below, f"these import one another: {sorted(below)}"


def test_late_imports_are_arrows():
    late = {(module, target) for module, where, target, _ in ARROWS if where == "late"}
    assert ("function.concrete", "function.special.concrete_call") in late
    # Modules that a package imports when a name of them is asked for are imported like others.
    every = {(module, target) for module, _, target, _ in ARROWS}
    assert ("staging.conditional", "staging.merging") in every
    assert ("autograph.runtime.builtins", "autograph.runtime.sorting") in every


def test_staged_python_has_its_order():
    order = ["heap", "symbolic", "staging", "control_flow", "autograph"]
    assert [name for name in LAYERS if name in order] == order
    seen = {target for module, _, target, _ in ARROWS if layer(module) == "graph_view"}
    assert not {layer(target) for target in seen if target} & set(order)


def test_imports_stand_at_the_top():
    inside = {(module, target) for module, where, target, _ in ARROWS if where == "function"}
    assert inside == set(INSIDE_FUNCTIONS)
    assert len(INSIDE_FUNCTIONS) <= MOST_INSIDE_FUNCTIONS


def test_lazy_imports_are_the_known_ones():
    using = {
        module
        for module, file in MODULES.items()
        if module and re.search(r"\b_?(lazy|later|import_module|__import__)\(", file.read_text())
    }
    assert using == set(LAZY)


def test_the_implementation_does_not_import_the_package():
    outward = [
        f"{module}:{line} imports {target}"
        for module, file in MODULES.items()
        for _, target, line in imports_of(file)
        if target.partition(".")[0] == "ferrograph" and not target.startswith("ferrograph._src")
        if module != "native"
    ]
    assert not outward


def test_one_module_imports_the_native_one():
    using = [
        file.relative_to(PUBLIC).as_posix()
        for file in PUBLIC.rglob("*.py")
        for _, target, _ in imports_of(file)
        if target.startswith("ferrograph._core")
    ]
    assert set(using) == {"_src/native.py"}


def test_staging_knows_no_syntax():
    below = LAYERS[: LAYERS.index("autograph")]
    using = [
        module
        for module, file in MODULES.items()
        for _, target, _ in imports_of(file)
        if layer(module) in below and target in ("ast", "_ast")
    ]
    assert not using


def test_the_converter_knows_no_tensors():
    known = {"", "autograph", "hints", "context.ownership", "context.sources", "context.tracebacks"}
    known |= {"autograph.convert"}
    # Lines of the program, and classes of errors.
    known |= {"heap.source_location", "values.errors"}
    using = {
        target
        for module, _, target, _ in ARROWS
        if module.startswith("autograph.convert")
        if not target.startswith("autograph.convert.")
    }
    assert using <= known


def test_public_namespaces_define_nothing():
    defined = [
        f"{file.relative_to(PUBLIC)}:{node.lineno}"
        for file in PUBLIC.rglob("*.py")
        if PRIVATE not in file.parents
        for node in ast.parse(file.read_text()).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        and node.name not in ("__getattr__", "__dir__")
    ]
    assert not defined


def manifest(crate):
    tomllib = pytest.importorskip("tomllib")  # in Python from 3.11 on
    return tomllib.loads((CRATES / crate / "Cargo.toml").read_text())


def needs(crate):
    """What a crate depends on, to build, to run or to be tested."""
    made = manifest(crate)
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    return {name for kind in kinds for name in made.get(kind, {})}


def test_every_crate_is_in_the_table():
    assert {file.parent.name for file in CRATES.glob("*/Cargo.toml")} == set(ORDER)


@pytest.mark.parametrize("crate", ORDER)
def test_a_crate_uses_those_before_it(crate):
    own = {name.removeprefix("ferrograph-") for name in needs(crate) if "ferrograph" in name}
    assert own <= set(ORDER[: ORDER.index(crate)])


@pytest.mark.parametrize("crate", ["tensor", "kernels"])
def test_the_first_crates_stand_alone(crate):
    assert not [name for name in needs(crate) if name.startswith("ferrograph-")]


@pytest.mark.parametrize("crate", ORDER[:-1])
def test_python_is_known_to_the_last_crate_alone(crate):
    assert not needs(crate) & {"pyo3", "numpy"}


def test_the_facade_comes_without_python():
    tomllib = pytest.importorskip("tomllib")  # in Python from 3.11 on
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    # What needs one of several versions of a package names it with its version.
    needed = {p["name"]: [d.split(" ")[0] for d in p.get("dependencies", ())] for p in packages}
    found, queue = {"ferrograph"}, ["ferrograph"]
    while queue:
        new = set(needed[queue.pop()]) - found
        found |= new
        queue += new
    assert "ferrograph-saved" in found
    assert not {name for name in found if name.startswith("pyo3") or name == "numpy"}


CONTAINERS_AND_LEAVES = {
    *("list", "tuple", "dict", "set", "frozenset", "bytearray", "range"),
    *("bool", "int", "float", "complex", "str", "bytes"),
}
# A module that stands before every first trace, and imports nothing of the heap.
BEFORE_TRACES = {"autograph.straight_line"}
MOST_TYPE_TESTS = 750


def names_classes(value):
    """Whether an expression is a group of classes of containers or leaves."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "frozenset" and value.args:
        value = value.args[0]
    named = list(map(ast.unparse, getattr(value, "elts", ())))
    concrete = re.compile(r"collections\.[A-Za-z]+")
    return sum(n in CONTAINERS_AND_LEAVES or bool(concrete.fullmatch(n)) for n in named) > 1


def staged_python():
    """The modules of staged Python but for the type adapters, with their texts."""
    for module, file in MODULES.items():
        is_staged = layer(module) in ("heap", "symbolic", "staging", "autograph")
        is_adapter = module.startswith("heap.adapters")
        if is_staged and not is_adapter and module not in BEFORE_TRACES:
            yield module, file.read_text()


def test_groups_of_classes_are_in_the_type_adapters():
    assert names_classes(ast.parse("(list, tuple)").body[0].value)
    named = [
        f"{module}:{statement.lineno}"
        for module, text in staged_python()
        for statement in ast.parse(text).body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and names_classes(statement.value)
    ]
    assert not named


def test_type_tests_are_few_outside_the_type_adapters():
    tests = re.compile(r"isinstance\(|issubclass\(|type\([a-z_.]+\) is")
    found = sum(len(tests.findall(text)) for _, text in staged_python())
    assert 0 < found <= MOST_TYPE_TESTS
