"""Dtype objects: names, kinds, limits, comparison, and what names one."""

import pickle

import ferrograph as fg
import numpy as np
import pytest

NUMERIC = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("name", [*NUMERIC, "bool"])
def test_dtype_agrees_with_numpy(name):
    dtype, theirs = getattr(fg, name), np.dtype(name)
    assert dtype.as_numpy_dtype is theirs.type
    assert dtype.size == theirs.itemsize
    assert dtype.is_floating == (theirs.kind == "f")
    assert dtype.is_complex == (theirs.kind == "c")
    assert dtype.is_integer == (theirs.kind in "iu")
    assert dtype.is_unsigned == (theirs.kind == "u")
    assert dtype.is_bool == (theirs.kind == "b")
    for spelling in (name, theirs, theirs.type):
        assert fg.as_dtype(spelling) is dtype
        assert dtype == spelling


@pytest.mark.parametrize("name", NUMERIC)
def test_limits_agree_with_numpy(name):
    dtype = getattr(fg, name)
    if dtype.is_complex:
        with pytest.raises(TypeError):
            _ = dtype.max
        return
    info = np.finfo(name) if dtype.is_floating else np.iinfo(name)
    assert (dtype.min, dtype.max) == (info.min, info.max)


def test_bfloat16_agrees_with_its_package():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert fg.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert fg.as_dtype(ml_dtypes.bfloat16) is fg.bfloat16
    assert fg.bfloat16.max == float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ("half", fg.float16),
        ("double", fg.float64),
        ("float", fg.float32),
        (float, fg.float32),
        (int, fg.int64),
        (bool, fg.bool),
        (complex, fg.complex128),
        (str, fg.string),
        (bytes, fg.string),
        (np.longlong, fg.int64),
        (np.str_, fg.string),
        (np.array([1.0]), fg.float64),
        (1, fg.float32),
    ],
)
def test_as_dtype_knows_other_spellings(value, dtype):
    assert fg.as_dtype(value) is dtype


@pytest.mark.parametrize("value", ["no such dtype", None, 3.5, object(), np.dtype("M8[D]")])
def test_as_dtype_refuses(value):
    with pytest.raises(TypeError, match="dtype"):
        fg.as_dtype(value)


def test_comparison_and_hashing():
    assert fg.float32 != "int32"
    assert fg.float32 != fg.float64
    assert fg.float32 != "nonsense"
    assert fg.float32 != None  # noqa: E711
    assert {fg.float32: 1}[fg.as_dtype("float32")] == 1
    assert fg.float32.is_compatible_with("float32")
    assert not fg.float32.is_compatible_with(fg.float64)


def test_names_print_as_documented():
    assert repr(fg.int32) == "fg.int32"
    assert str(fg.int32) == "<dtype: 'int32'>"
    assert fg.int32.name == "int32"


def test_a_dtype_survives_pickling_as_itself():
    assert pickle.loads(pickle.dumps(fg.bfloat16)) is fg.bfloat16


def test_limits_of_images():
    assert fg.uint8.limits == (0, 255)
    assert fg.int8.limits == (0, 127)
    assert fg.float32.limits == (0, 1)
    assert fg.bool.limits == (False, True)


def test_real_and_base_dtypes():
    assert fg.complex64.real_dtype is fg.float32
    assert fg.complex128.real_dtype is fg.float64
    assert fg.int8.real_dtype is fg.int8
    assert fg.int8.base_dtype is fg.int8


def test_quantized_dtypes_are_names_only():
    assert fg.dtypes.qint8.is_quantized
    assert not fg.dtypes.qint8.is_integer
    with pytest.raises(TypeError, match="qint8"):
        fg.constant(1, fg.dtypes.qint8)


def test_every_tensor_dtype_crosses_the_border_both_ways():
    for name in [*NUMERIC, "bool"]:
        assert fg.zeros([1], name).dtype is getattr(fg, name)
    assert fg.constant("a").dtype is fg.string
