"""The type stub and the native module name the same things."""

import ast
from pathlib import Path

import pytest
from ferrograph import _core

STUB = Path(__file__).parents[2] / "python" / "ferrograph" / "_core.pyi"


def defined(body):
    """Name -> node of what a body of the stub defines."""
    names = {}
    for node in body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                names[node.name] = node
            case ast.AnnAssign(target=ast.Name(id=name)):
                names[name] = node
            case ast.Assign(targets=targets):
                names.update((t.id, node) for t in targets if isinstance(t, ast.Name))
            case ast.If():
                names.update(defined(node.body))
    return names


def public(names):
    return {name for name in names if not name.startswith("_")}


STUBBED = defined(ast.parse(STUB.read_text()).body)
CLASSES = sorted(name for name in public(dir(_core)) if isinstance(getattr(_core, name), type))


def test_the_stub_names_what_the_module_has():
    assert public(STUBBED) == public(dir(_core))


def test_classes_are_classes():
    stubbed = {name for name in public(STUBBED) if isinstance(STUBBED[name], ast.ClassDef)}
    assert stubbed == set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_members(name):
    cls, members = getattr(_core, name), defined(STUBBED[name].body)
    # Members that a base class in the same module has are listed there.
    assert public(members) == public(vars(cls))
    missing = [member for member in members if not hasattr(cls, member)]
    if cls is _core.Tensor:  # eager ones alone are numbers of Python's, which no type tells
        missing = [member for member in missing if not hasattr(_core.EagerTensor, member)]
    assert not missing, f"the stub names {missing}, which {name} lacks"
