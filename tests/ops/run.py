"""Runs a row in every way there is, and tells whether two results are one."""

import ferrograph as fg
import numpy as np
from table import COMPLEX, FLOAT8, FLOATS, INTS, Row, Vary, numpy_dtype

DTYPES = (*FLOATS, *INTS, *COMPLEX, "bool", "string", *FLOAT8)
# What an operation may answer for a dtype or shape that it does not run.
REFUSALS = (TypeError, ValueError, NotImplementedError, fg.errors.OpError)
TOLERANCE = {
    "float64": 1e-9,
    "complex128": 1e-9,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float8_e5m2": 0.0,
    "float8_e4m3fnuz": 0.0,
}
"""How far from the reference a result may be, relatively and absolutely."""


def refused(error):
    """Whether an exception is of a documented class rather than a fault of the library."""
    return isinstance(error, REFUSALS) and not isinstance(error, fg.errors.InternalError)


def widened(a):
    """An array in the widest dtype of its kind, which references compute in."""
    kind = "f" if a.dtype.name in ("bfloat16", *FLOAT8) else a.dtype.kind
    wide = {"f": np.float64, "c": np.complex128, "i": np.int64, "u": np.uint64}
    return a.astype(wide[kind]) if kind in wide else a


def expected(row: Row, args, dtype):
    """The results of the reference, each with the name of its dtype."""
    wide = [widened(a) if isinstance(of, Vary) else a for a, of in zip(args, row.args, strict=True)]
    with np.errstate(all="ignore"):
        found = row.expect(*wide)
    found = found if isinstance(found, (tuple, list)) else (found,)
    outs = row.out if isinstance(row.out, tuple) else (row.out,) * len(found)
    if len(outs) != len(found):
        raise AssertionError(f"{row}: out names {len(outs)} dtypes for {len(found)} results")
    results = []
    for value, out in zip(found, outs, strict=True):
        name = out(dtype) if callable(out) else dtype if out == "T" else out
        with np.errstate(all="ignore"):
            kind = object if name == "string" else None
            results.append((np.asarray(value, kind).astype(numpy_dtype(name)), name))
    return results


def tensors(value):
    """The results of a call, flat."""
    return [fg.convert_to_tensor(t) for t in fg.nest.flatten(value)]


def array_of(tensor):
    """The value of a tensor as an array, of objects for strings."""
    return np.asarray(tensor.numpy(), object if tensor.dtype == fg.string else None)


def differences(got, want):
    """Where two lists of tensors are not bit for bit the same; NaN is NaN."""
    if len(got) != len(want):
        return [f"{len(got)} results, not {len(want)}"]
    return [text for g, w in zip(got, want, strict=True) for text in _difference(g, w)]


def _difference(got, want):
    if got.dtype != want.dtype:
        return [f"{got.dtype.name}, not {want.dtype.name}"]
    if got.shape != want.shape:
        return [f"shape {got.shape}, not {want.shape}"]
    g, w = array_of(got), array_of(want)
    if g.dtype == object:
        return [] if g.tolist() == w.tolist() else [f"{g.tolist()}, not {w.tolist()}"]
    if g.tobytes() == w.tobytes() or _same_but_nan(g, w):
        return []
    return [f"{g.tolist()}, not {w.tolist()}"]


def _same_but_nan(g, w):
    if g.dtype.kind == "c":
        return _same_but_nan(g.real, w.real) and _same_but_nan(g.imag, w.imag)
    if g.dtype.kind in "biu":
        return False
    g, w = g.astype(np.float64), w.astype(np.float64)
    nan = np.isnan(g)
    return (
        bool(np.array_equal(nan, np.isnan(w)))
        and bool(np.array_equal(g[~nan], w[~nan]))
        and bool(np.array_equal(np.signbit(g[~nan]), np.signbit(w[~nan])))
    )


def mismatches(row: Row, got, want, dtype):
    """Where tensors are not what the reference gives at the dtype's tolerance."""
    if len(got) != len(want):
        return [f"{len(got)} results, the reference gives {len(want)}"]
    texts = []
    for tensor, (array, name) in zip(got, want, strict=True):
        if tensor.dtype.name != name:
            texts.append(f"dtype {tensor.dtype.name}, expected {name}")
        elif tuple(tensor.shape) != array.shape:
            texts.append(f"shape {tensor.shape}, expected {array.shape}")
        elif not _close(array_of(tensor), array, _tolerance(row, dtype, name)):
            texts.append(f"{array_of(tensor).tolist()}, expected {array.tolist()}")
    return texts


def _tolerance(row, dtype, out):
    return row.tol * max(TOLERANCE.get(dtype, 0.0), TOLERANCE.get(out, 0.0))


def _close(got, want, tol):
    if got.dtype == object:
        return got.tolist() == want.tolist()
    if got.dtype.kind in "biu":
        return bool(np.array_equal(got, want))
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    return np.allclose(got.astype(wide), want.astype(wide), rtol=tol, atol=tol, equal_nan=True)
