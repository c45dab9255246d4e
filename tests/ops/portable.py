"""Calls in a form that a process without ferrograph reads: for recordings of tensorflow."""


def read(module, value):
    """The value that ``plain`` wrote, as a value of ``module``."""
    if not isinstance(value, tuple):
        return value
    kind, first, *rest = value
    if kind == "tensor":
        return module.constant(first, rest[0])
    if kind == "dtype":
        return module.as_dtype(first)
    if kind == "shape":
        return module.TensorShape(first)
    if kind == "ragged":
        return module.ragged.constant(first, rest[0])
    if kind == "sparse":
        return module.SparseTensor(*(read(module, part) for part in value[1:]))
    if kind == "items":
        items = [read(module, item) for item in rest[0]]
        return items if first == "list" else tuple(items)
    if kind == "dict":
        return {key: read(module, item) for key, item in first.items()}
    return first


def run(function, arguments, kinds):
    """The call with arguments by parameter."""
    arguments, positional = dict(arguments), []
    variadic = next((name for name, kind in kinds.items() if kind == "VAR_POSITIONAL"), None)
    for name in list(arguments) if variadic else ():
        positional += arguments.pop(name) if name == variadic else [arguments.pop(name)]
        if name == variadic:
            break
    for name in [name for name, kind in kinds.items() if kind == "VAR_KEYWORD"]:
        arguments.update(arguments.pop(name, {}))
    return function(*positional, **arguments)
