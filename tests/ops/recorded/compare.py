"""Outcomes of cases as plain values, and when two of them agree."""

import math

import numpy as np

from .edges import LIMITS

# How far two accurate computations may lie apart, relative to the result.
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 2e-6,
    "float64": 4e-14,
    "complex64": 4e-6,
    "complex128": 1e-13,
}


def plain(module, tensor):
    """A tensor as [dtype, shape, values]; complex values as pairs."""
    dtype = tensor.dtype.name
    if dtype in ("float16", "bfloat16"):
        tensor = module.cast(tensor, module.float64)
    array = np.asarray(tensor.numpy())
    values = array.ravel().tolist()
    if dtype in ("complex64", "complex128"):
        values = [[v.real, v.imag] for v in values]
    if dtype == "string":
        values = [v.decode("latin-1") for v in values]
    return [dtype, list(array.shape), values]


def outcome(module, case):
    """The results of a case, or {"error": its class}."""
    try:
        result = case.run(module)
    except (OverflowError, SystemError):
        return {"error": "ValueError", "text": ""}
    except (module.errors.OpError, ValueError, TypeError) as error:
        return {"error": type(error).__name__, "text": str(error)}
    results = result if isinstance(result, (tuple, list)) else [result]
    return [plain(module, part) for r in results for part in parts(r)]


def parts(result):
    """A tensor, or the values and splits of ragged rows."""
    if hasattr(result, "nested_row_splits"):
        return [result.flat_values, *result.nested_row_splits]
    return [result]


def same_real(ours, theirs, dtype, size=None):
    """Whether two real numbers agree; `size` is what the error is measured by."""
    if math.isnan(theirs) or math.isinf(theirs):
        return math.isnan(ours) if math.isnan(theirs) else ours == theirs
    _, least, _ = LIMITS[dtype]
    slack = TOLERANCE[dtype] * (abs(theirs) if size is None or math.isnan(size) else size)
    # Results below the normal range may be zero.
    return abs(ours - theirs) <= slack + least


def same(ours, theirs, dtype):
    """Whether two elements agree."""
    if dtype not in LIMITS:
        return ours == theirs
    if not dtype.startswith("complex"):
        return same_real(ours, theirs, dtype)
    # Beside an infinite part what the other one is hardly counts, if it is a number.
    size = math.hypot(*theirs)
    return all(same_real(a, b, dtype, size) for a, b in zip(ours, theirs, strict=True))


def differences(ours, record):
    """Where two outcomes differ: (place, ours, theirs). True values stand for recorded ones."""
    theirs = record["out"]
    if isinstance(theirs, dict) or isinstance(ours, dict):
        fails = isinstance(theirs, dict) and isinstance(ours, dict)
        return [] if fails else [(None, ours, theirs)]
    if [r[:2] for r in ours] != [r[:2] for r in theirs]:
        return [(None, [r[:2] for r in ours], [r[:2] for r in theirs])]
    found = []
    for (dtype, _, mine), (_, _, values) in zip(ours, theirs, strict=True):
        for at, (a, b) in enumerate(zip(mine, values, strict=True)):
            true = record.get("true", {}).get(str(at), b)
            if not same(a, true, dtype):
                found.append((at, a, true))
    return found
