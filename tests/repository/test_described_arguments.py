"""Public functions say what their arguments are."""

import ast
from pathlib import Path

SRC = Path(__file__).parents[2] / "python" / "ferrograph" / "_src"


def is_public(node):
    return any(
        isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "public"
        for mark in node.decorator_list
    )


def public_functions():
    """Each public function that has arguments, by its place."""
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and is_public(node) and named(node):
                yield f"{path.relative_to(SRC)}:{node.name}", node


def named(node):
    found = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return found + [rest for rest in (node.args.vararg, node.args.kwarg) if rest is not None]


def test_public_functions_say_what_their_arguments_are():
    without = [
        place
        for place, node in public_functions()
        if "Args:" not in (ast.get_docstring(node) or "")
    ]
    assert without == []


def test_arguments_that_are_described_are_there():
    wrong = []
    for place, node in public_functions():
        text = ast.get_docstring(node) or ""
        if "Args:" not in text:
            continue
        block = text.partition("Args:\n")[2].partition("\n\n")[0]
        said = [
            name.strip().lstrip("*")
            for line in block.splitlines()
            if line.startswith("  ") and not line.startswith("   ")
            for name in line.partition(":")[0].split(",")
        ]
        known = [argument.arg for argument in named(node)]
        if set(said) - set(known):
            wrong.append((place, sorted(set(said) - set(known))))
    assert wrong == []
