"""Record the parameters of tensorflow 2.21's public functions: run it where tensorflow-cpu is.

``recorded.txt`` has a line for each public name that the installed ferrograph's sources declare and
tensorflow has as a function: the name, then its parameters with their defaults.
"""

import ast
import inspect
import pathlib
import re

HERE = pathlib.Path(__file__).parent
SOURCES = HERE.parent.parent / "python" / "ferrograph" / "_src"


def public_names():
    """The public names that stand in declarations of the sources."""
    found = set()
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "public":
                found |= {a.value for a in node.args if isinstance(a, ast.Constant)}
    return sorted(found)


def default(value):
    """A default as a text that is the same in both packages."""
    if hasattr(value, "as_numpy_dtype"):
        return value.name
    if value is None or isinstance(value, (bool, int, float, str, tuple, list)):
        return repr(value)
    return f"<{re.sub('^_+', '', getattr(value, '__name__', type(value).__name__))}>"


def signature(function):
    """The parameters as a text, None where there are none to be had."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    texts, starred = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            texts.append("*")
            starred = True
        starred |= p.kind is p.VAR_POSITIONAL
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        value = "" if p.default is p.empty else f"={default(p.default)}"
        texts.append(f"{star}{p.name}{value}")
    return ", ".join(texts)


def found(package, name):
    """What a public name refers to, None where there is none."""
    for part in name.split("."):
        package = getattr(package, part, None)
    return package


def main():
    """Write the file."""
    import tensorflow as tf

    lines = []
    for name in public_names():
        function = found(tf, name)
        if inspect.isclass(function):
            function = vars(function).get("__init__")
        text = None if function is None or not callable(function) else signature(function)
        if text is not None:
            lines.append(f"{name}: {text}".rstrip())
    (HERE / "recorded.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "names")


if __name__ == "__main__":
    main()
