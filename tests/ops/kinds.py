"""Values of wrong Python types as arguments of public functions, and which tensorflow takes.

tensorflow's answers (``recorded/kinds.json``) are made in two steps:

    python tests/ops/kinds.py calls FILE     with ferrograph: the calls that succeed
    python tests/ops/kinds.py record FILE    with tensorflow 2.21
"""

import json
import os
import pathlib
import pickle
import sys

from portable import read, run

RECORD = pathlib.Path(__file__).parent / "recorded" / "kinds.json"


class Thing:
    """An object of a class that nothing knows."""


def function(x):
    return x


# Values that hardly any function takes, by what they are.
WRONG = {
    "dict": dict,
    "object": Thing,
    "function": lambda: function,
    "number": lambda: 3,
    "text": lambda: "x",
    "list": list,
}


def kinds_for(parameter, value):
    """Which of these values a parameter may not take that was given a value."""
    yield from ("dict", "object", "function")
    if parameter.name == "name" or isinstance(value, str):
        yield "number"
    elif isinstance(value, (int, float)) and "TensorLike" not in str(parameter.annotation):
        yield "text"
    if "dtype" in parameter.name:
        yield "list"


def write_calls(file):
    """Pickle the calls that have a portable form, with the wrong kinds for each parameter."""
    from valid_calls import NotPortable, calls, portable

    found = {}
    for name, call in calls().items():
        bound = call.bound().arguments
        wrong = {p.name: list(kinds_for(p, bound[p.name])) for p in call.parameters}
        try:
            found[name] = *portable(call), wrong
        except NotPortable:
            continue
    pathlib.Path(file).write_bytes(pickle.dumps(found))


def record(file):
    """Write which wrong values tensorflow takes: by function and parameter, of those it has."""
    import tensorflow as tf

    taken = {}
    for name, (arguments, kinds, wrong) in pickle.loads(pathlib.Path(file).read_bytes()).items():
        print(name, flush=True)
        try:
            of, values = found(tf, name), {k: read(tf, v) for k, v in arguments.items()}
            run(of, values, kinds)
        except Exception:
            continue
        taken[name] = {p: what for p in wrong if (what := taken_of(of, values, kinds, p, wrong[p]))}
    lines = (f'"{name}": {json.dumps(kinds)}' for name, kinds in sorted(taken.items()))
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def found(tf, name):
    """The function of a name."""
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


def taken_of(of, values, kinds, parameter, wrong):
    """Which wrong values the call takes for a parameter."""
    taken = []
    for kind in wrong:
        try:
            run(of, {**values, parameter: WRONG[kind]()}, kinds)
        except Exception:
            continue
        taken.append(kind)
    return taken


if __name__ == "__main__":
    {"calls": write_calls, "record": record}[sys.argv[1]](sys.argv[2])
    sys.stdout.flush()
    os._exit(0)
