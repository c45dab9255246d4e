"""Other forms of numbers, and what may be None, of the arguments of public functions.

tensorflow's answers (``recorded/settings.json``) are made in two steps:

    python tests/ops/settings.py calls FILE     with ferrograph: the calls that succeed
    python tests/ops/settings.py record FILE    with tensorflow 2.21
"""

import json
import pathlib
import pickle
import sys

import numpy as np
from portable import read, run

RECORD = pathlib.Path(__file__).parent / "recorded" / "settings.json"


def each(make, value):
    """``make`` of a number, or of each number of a list."""
    return [make(v) for v in value] if isinstance(value, (list, tuple)) else make(value)


def integer(kind):
    """What makes a number of an integer dtype, if it has that number: NumPy 1 takes another one."""

    def make(v):
        if not np.iinfo(kind).min <= v <= np.iinfo(kind).max:
            raise OverflowError(f"{v} is out of bounds for {kind.__name__}")
        return kind(v)

    return make


# By the class of a Python number: its other forms, made by package and value.
STAND_INS = {
    int: {
        "int32": lambda tf, v: each(integer(np.int32), v),
        "int64": lambda tf, v: each(integer(np.int64), v),
        "uint8": lambda tf, v: each(integer(np.uint8), v),
        "array": lambda tf, v: np.array(v),
        "arrays": lambda tf, v: each(np.array, v),
        "tensor": lambda tf, v: tf.constant(v),
    },
    float: {
        "float32": lambda tf, v: each(np.float32, v),
        "float64": lambda tf, v: each(np.float64, v),
        "arrays": lambda tf, v: each(np.array, v),
        "tensor": lambda tf, v: tf.constant(v),
    },
    bool: {
        "bool": lambda tf, v: each(np.bool_, v),
        "arrays": lambda tf, v: each(np.array, v),
        "tensor": lambda tf, v: tf.constant(v),
    },
}


def class_of_numbers(value):
    """The class of a Python number, or of those in a list; None of other values."""
    values = value if isinstance(value, (list, tuple)) and value else [value]
    classes = {type(v) for v in values}
    found = classes.pop()
    return found if not classes and found in STAND_INS else None


def stand_ins(tf, value):
    """Other forms of a number or numbers, by kind; none for other values."""
    for kind, make in STAND_INS.get(class_of_numbers(value), {}).items():
        try:
            made = make(tf, value)
        except OverflowError:  # uint8 holds no negative number
            continue
        # A float that single precision does not hold is another number there.
        if not isinstance(value, float) or float(np.asarray(made)) == value:
            yield kind, made


def is_dtype_parameter(name):
    """Whether a parameter is a dtype, by its name."""
    return name in ("Tout", "T", "dtypes") or name.endswith(("dtype", "_type"))


def alike(tf, a, b):
    """Whether two results are the same, bit for bit."""
    flat = [tf.nest.flatten(x, expand_composites=True) for x in (a, b)]
    return len(flat[0]) == len(flat[1]) and all(map(_same, *flat))


def dtypes_of(tf, result):
    """The dtypes of the tensors of a result, None for what is none."""
    flat = tf.nest.flatten(result, expand_composites=True)
    return [getattr(part, "dtype", None) for part in flat]


def _same(a, b):
    if getattr(a, "dtype", None) != getattr(b, "dtype", None):
        return False
    if getattr(getattr(a, "dtype", None), "name", None) == "variant":
        return True
    if hasattr(a, "numpy"):
        a, b = a.numpy(), b.numpy()
    if not isinstance(a, (np.ndarray, np.generic, bool, int, float, str, bytes)):
        return type(a) is type(b)
    a, b = np.asarray(a), np.asarray(b)
    return (
        a.shape == b.shape and a.tobytes() == b.tobytes() if a.dtype != object else (a == b).all()
    )


def write_calls(file):
    """Pickle the calls that have a portable form."""
    from valid_calls import NotPortable, calls, portable

    found = {}
    for name, call in calls().items():
        try:
            found[name] = portable(call)
        except NotPortable:
            continue
    pathlib.Path(file).write_bytes(pickle.dumps(found))


def record(file):
    """Write what tensorflow takes: stand-ins that give something else, and what None means."""
    import tensorflow as tf

    others, nones = {}, {}
    for name, (arguments, kinds) in pickle.loads(pathlib.Path(file).read_bytes()).items():
        try:
            function = tf
            for part in name.split("."):
                function = getattr(function, part)
            plain = {parameter: read(tf, value) for parameter, value in arguments.items()}
            tf.random.set_seed(1)
            wanted = run(function, plain, kinds)
        except Exception:  # there is no such function, or it takes other arguments
            continue
        for parameter, value in plain.items():
            for kind, made in stand_ins(tf, value):
                if not _gives(tf, function, {**plain, parameter: made}, kinds, wanted):
                    others.setdefault(f"{name} {parameter}", []).append(kind)
            found = _none(function, {**plain, parameter: None}, kinds)
            if is_dtype_parameter(parameter) or parameter == "name" and found == "refused":
                nones[f"{name} {parameter}"] = found
    text = json.dumps(
        {"other stand-ins": others, "None": nones}, indent=0, sort_keys=True, separators=(",", ":")
    )
    RECORD.write_text(text + "\n")


def _gives(tf, function, arguments, kinds, wanted):
    try:
        tf.random.set_seed(1)
        return bool(alike(tf, run(function, arguments, kinds), wanted))
    except Exception:
        return False


def _none(function, arguments, kinds):
    """The dtype of what a call with None gives, or that it is refused."""
    try:
        return getattr(getattr(run(function, arguments, kinds), "dtype", None), "name", "taken")
    except Exception:
        return "refused"


if __name__ == "__main__":
    {"calls": write_calls, "record": record}[sys.argv[1]](sys.argv[2])
