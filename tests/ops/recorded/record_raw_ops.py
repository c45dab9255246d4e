"""Writes how tensorflow's ``raw_ops`` are called: ``python record_raw_ops.py NAMES``, run with it.

NAMES is a file of operations, one a line (``dir(ferrograph.raw_ops)``). An operation's arguments
are in order of their definition, each with its default, null where it has none; its outputs are
by name, those that are lists in brackets.
"""

import inspect
import json
import sys
from pathlib import Path

import tensorflow as tf
from tensorflow.python.framework import op_def_registry


def plain(value):
    """A default as JSON has it: dtypes by their names."""
    return value.name if isinstance(value, tf.DType) else value


def recorded(name):
    function, definition = getattr(tf.raw_ops, name), op_def_registry.get(name)
    arguments = {}
    for parameter in inspect.signature(function).parameters.values():
        has_none = parameter.default is inspect.Parameter.empty
        arguments[parameter.name] = None if has_none else [plain(parameter.default)]
    outputs = [
        [a.name] if a.number_attr or a.type_list_attr else a.name for a in definition.output_arg
    ]
    return {"arguments": arguments, "outputs": outputs}


if __name__ == "__main__":
    every = [n for n in Path(sys.argv[1]).read_text().split() if hasattr(tf.raw_ops, n)]
    rows = (f"{json.dumps(name)}: {json.dumps(recorded(name))}" for name in sorted(every))
    out = Path(__file__).with_name("raw_ops.json")
    out.write_text("{\n" + ",\n".join(rows) + "\n}\n")
