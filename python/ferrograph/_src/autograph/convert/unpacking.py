"""Implicit iteration: unpacking assignments and comprehensions.

``a, b = value`` becomes ``a, b = ag__.unpacked(value, (None, None))``: the pattern says which
elements are unpacked in turn. The iterables of comprehensions go through ``ag__.elements``.
"""

from __future__ import annotations

import _ast as ast

from . import build, inline_caches, methods, operator_methods, shapes


def convert_assign(node: ast.Assign) -> ast.Assign:
    """``node`` with its value prepared for its targets; a display of elements needs nothing."""
    nested = next(filter(shapes.is_display, node.targets), None)
    if nested is None:
        return node
    shape = _patterns(nested)
    is_display = shapes.is_display(node.value) and not any(map(_is_starred, node.value.elts))
    if is_display and not any(shape):
        return node
    pattern = build.constant(shape)
    unpacked: ast.expr = build.call("unpacked", node.value, pattern)
    if shapes.is_name(node.value) and all(part is None for part in shape):
        is_tuple = build.has_kind(node.value, "ag__tuple")
        unpacked = ast.IfExp(is_tuple, node.value, unpacked)
    node.value = build.locate(unpacked, node.value)
    return node


def convert_starred(node: ast.Starred) -> ast.Starred:
    """``*value`` where it is read: in a call or a display."""
    operator = getattr(node, "ag_operator", "spread")
    node.value = build.locate(build.call(operator, node.value), node.value)
    return node


def note_starred(elements: list[ast.expr], operator: str) -> None:
    """Note by which operator the starred ones are read among the elements of a display."""
    for element in filter(_is_starred, elements):
        element.ag_operator = operator


def _is_starred(element: ast.expr) -> bool:
    return isinstance(element, ast.Starred)


def run_over(iterable: ast.expr) -> ast.expr:
    """What Python makes of a list that only a loop sees: a tuple, whose elements end in order."""
    match iterable:
        case ast.List(elts=elements) if not any(map(_is_starred, elements)):
            return build.copy_location(build.tuple_of(elements), iterable)
    return iterable


def convert_generators(generators: list[ast.comprehension], what: str) -> None:
    """Prepare the iterables and the conditions of a comprehension."""
    for generator in generators:
        for i, test in enumerate(generator.ifs):
            text = build.constant(f"the `if` of {what}")
            generator.ifs[i] = build.locate(build.call("certain", test, text), test)
        elements = build.call("elements", generator.iter)
        generator.iter = build.locate(elements, generator.iter)


def _pattern(target: ast.expr) -> tuple | bool | None:
    """What unpacks into a target: a tuple for nested ones, False for a starred one, else None."""
    if shapes.is_display(target):
        return _patterns(target)
    return False if _is_starred(target) else None


def _patterns(target: ast.Tuple | ast.List) -> tuple:
    return tuple(_pattern(element) for element in target.elts)


def convert_subscript(node: ast.Subscript, inlines: bool, grows: bool) -> ast.expr:
    """The item of a list that staged code may have made grow, at last by an operand."""
    test, is_known = inline_caches.item(node, inlines)
    asked = _loaded(node)
    if grows or not is_known:
        return build.locate(asked, node)
    plain = methods.convert_item(node)
    if test is None:
        return build.locate(ast.IfExp(build.is_loud(), asked, plain), node)
    return build.locate(inline_caches.short(plain, asked, test), node)


def _loaded(node: ast.Subscript) -> ast.expr:
    key = node.slice
    if isinstance(key, ast.Slice):
        key = methods.slice_of(key)
    return build.call("loaded", node.value, key)


def convert_other_subscript(
    node: ast.Subscript, plain: ast.expr, grows: bool, inlines: bool
) -> ast.expr:
    """``plain``, which takes the item of what may be a list that other code has made grow, or whose
    key may be a tensor.

    ``ag__loud`` is false while no trace has such lists.
    """
    key = node.slice
    if isinstance(key, ast.Tuple) or (shapes.is_constant(key) and type(key.value) is not int):
        return plain  # which is no index of a list
    is_shown = shapes.is_constant(key) or isinstance(key, ast.Slice)
    if grows or (not is_shown and operator_methods.has("__index__")):
        return build.locate(_loaded(node), node)
    test: ast.expr = build.is_loud()
    if shapes.is_name(key):
        test = ast.BoolOp(ast.Or(), [test, build.has_kind(build.name(key.id), "ag__symbolic")])
    elif inlines and plain is node and inline_caches.is_computed(node):
        return build.locate(_by_computed(node), node)
    return build.locate(ast.IfExp(test=test, body=_loaded(node), orelse=plain), node)


def _by_computed(node: ast.Subscript) -> ast.expr:
    """The item under a key that is computed, which comes first: the name before it is read as well
    after it."""
    first, again = inline_caches.kept_key(node.slice)
    is_asked = ast.BoolOp(ast.Or(), [build.has_kind(first, "ag__symbolic"), build.is_loud()])
    asked = build.call("loaded", node.value, again)
    plain = ast.Subscript(node.value, again, ast.Load())
    return ast.IfExp(test=is_asked, body=asked, orelse=plain)
