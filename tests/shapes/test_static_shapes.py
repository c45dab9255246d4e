"""Static shapes beside those that tensorflow 2.21 infers (``recorded.json``, from ``record.py``).

No size and no rank that tensorflow knows is unknown here. What is known here and not there is held
against results: those of the case's own arrays and, where a size was unknown, of other arrays.
"""

import json
import pathlib

import ferrograph as fg
import numpy as np
import pytest

from shapes.cases import CASES
from shapes.differences import is_for_its_own, is_listed
from shapes.rows import ROW_CASES
from shapes.tracing import outputs, read, static, trace

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded.json").read_text())
ALL = {**CASES, **ROW_CASES}
# What a trace may be refused with.
KINDS = (ValueError, TypeError, IndexError, AttributeError, fg.errors.OpError)
TURNS = 16


def recorded(name):
    """The recorded results of a case by variant: lists of shapes, None for a refusal."""
    return {
        variant: None if text is None else [t.removeprefix("()") for t in text.split(" ")]
        for variants, text in RECORDED.get(name, {}).items()
        for variant in variants.split("|")
    }


def less_known(found, wanted):
    """Whether a shape says less than another one, or something else."""
    found, wanted = read(found), read(wanted)
    if wanted is None:
        return False
    if found is None or len(found) != len(wanted):
        return True
    return any(w is not None and f != w for f, w in zip(found, wanted, strict=True))


def faults_of(name):
    """Where the traces of a case know less than recorded, or are refused where those are not."""
    case, wanted = ALL[name], recorded(name)
    for variant, shapes in case.variants().items():
        if wanted.get(variant) is None or is_listed(name, variant):
            continue
        try:
            found = static(fg, case, shapes)
        except KINDS as e:
            yield f"{name} {variant}: {type(e).__name__}: {str(e)[:150]}"
            continue
        if len(found) != len(wanted[variant]):
            yield f"{name} {variant}: {len(found)} results, recorded {len(wanted[variant])}"
        elif any(map(less_known, found, wanted[variant])):
            yield f"{name} {variant}: {' '.join(found)}, recorded {' '.join(wanted[variant])}"


def others(arrays, shapes):
    """The arrays, one of them of another size along an axis of unknown size, or of another rank."""
    for i, (a, shape) in enumerate(zip(arrays, shapes, strict=True)):
        axes = [] if shape is None else [k for k, n in enumerate(shape) if n is None]
        made = [np.stack([a, a])] if shape is None else []
        for k in axes:
            made += [np.concatenate([a, a], k), np.delete(a, range(1, a.shape[k]), k)]
        for other in made:
            yield [*arrays[:i], other, *arrays[i + 1 :]]


def untruth(said, results):
    """What a static shape says that is not so of a result, if anything."""
    flat = [
        t
        for t in fg.nest.flatten(results, expand_composites=True)
        if hasattr(t, "shape") and hasattr(t, "dtype")
    ]
    for i, (known, found) in enumerate(zip(said, flat, strict=True)):
        if not known.is_compatible_with(np.shape(found)):
            return f"result {i} is {np.shape(found)}, traced as {known}"
    return None


def untruths_of(name):
    """Where a static shape is not that of a result: for the case's own arrays, and for others that
    the trace takes too, which may be refused.
    """
    case = ALL[name]
    arrays = [a for i, a in enumerate(case.arrays) if i not in case.fixed]
    for variant, shapes in case.variants().items():
        try:
            concrete = trace(fg, case, shapes)
        except KINDS:
            continue
        said = [t.shape for t in outputs(fg, concrete)]
        more = () if case.state or is_for_its_own(name) else others(arrays, shapes)
        for given in (arrays, *more):
            try:
                results = concrete(*map(fg.constant, given))
            except KINDS:
                continue
            if text := untruth(said, results):
                yield f"{name} {variant}, {[np.shape(a) for a in given]}: {text}"


@pytest.mark.parametrize("turn", range(TURNS))
def test_no_shape_is_less_known(turn):
    names = sorted(ALL)[turn::TURNS]
    faults = [text for name in names for text in faults_of(name)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("turn", range(TURNS))
def test_shapes_are_true(turn):
    names = sorted(ALL)[turn::TURNS]
    faults = [text for name in names for text in untruths_of(name)]
    assert not faults, "\n".join(faults)
