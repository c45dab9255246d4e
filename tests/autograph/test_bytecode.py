"""The instructions of code as they are read: the same on every Python, whatever it joins."""

import pytest
from ferrograph._src.context import bytecode
from ferrograph._src.heap import frames


def copies(a, b):
    c = a
    d = b
    e, f = c, d
    return e, f


def names_by_dis(prefix):
    found = bytecode.instructions(copies.__code__)
    return [i.argval for i in found if i.opname.startswith(prefix)]


def names_by_steps(prefix):
    found = [arg for name, arg in bytecode.steps(copies.__code__) if name.startswith(prefix)]
    return [copies.__code__.co_varnames[arg] for arg in found]


@pytest.mark.parametrize("names", [names_by_dis, names_by_steps])
def test_names_are_loaded_and_stored_one_by_one(names):
    assert names("LOAD_FAST") == ["a", "b", "c", "d", "e", "f"]
    assert sorted(names("STORE_FAST")) == ["c", "d", "e", "f"]


def adds_in_place(a, b):
    a += b
    return a + b


def test_augmented_assignments_are_told_from_other_operations():
    assert sum(map(bytecode.in_place, bytecode.instructions(adds_in_place.__code__))) == 1


def runs(a, b):
    while a():
        b()


def chooses(a, b):
    return a() if b else b()


@pytest.mark.parametrize(("function", "loops"), [(runs, True), (chooses, False)])
def test_jumps_back_are_those_of_loops(function, loops):
    found = bytecode.instructions(function.__code__)
    assert any(map(bytecode.jumps_back, found)) is loops


def test_arguments_above_a_byte_are_whole():
    text = "def f():\n" + "".join(f"    global g{i}\n    g{i} = {i}\n" for i in range(300))
    names = {}
    exec(text, names)
    code = names["f"].__code__
    stored = [code.co_names[arg] for name, arg in bytecode.steps(code) if name == "STORE_GLOBAL"]
    assert stored == [f"g{i}" for i in range(300)]


def tries(a):
    try:
        return a.b
    except AttributeError:
        return None


def tries_all(a):
    try:
        return a.b
    except:  # noqa: E722 - the handler that names no class
        return None


def opens(a):
    with a:
        return a.b


@pytest.mark.parametrize(
    ("function", "has"),
    [(tries, True), (tries_all, True), (opens, True), (runs, False)],
)
def test_handlers_are_told_from_bytecode(function, has):
    assert frames.has_handlers(function.__code__) is has
