"""Functions that take and return weak tensors, and how they replace the public ones."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from ..native import _core
from ..state.variable import Variable
from .changes import Changes
from .weak_tensors import WeakTensor, constants, pairs, plain, unary, updates

__all__ = ["let_dtypes_be_weak"]

# Functions of one value whose result is as weak as it is, by module.
_UNARY = {
    "": """
        abs sign round sigmoid sqrt exp sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
        floor negative square zeros_like ones_like identity stop_gradient reshape expand_dims
        squeeze transpose clip_by_value reduce_max reduce_min reduce_mean reduce_sum reduce_prod
        reduce_logsumexp scalar_mul
    """,
    "math": """
        softplus real imag angle log_sigmoid conj reciprocal_no_nan erfinv ndtri erfcinv ceil rsqrt
        digamma erf erfc expm1 lgamma log log1p reciprocal rint reduce_euclidean_norm reduce_std
        reduce_variance bessel_i0 bessel_i0e bessel_i1 bessel_i1e
    """,
    "math.special": """
        dawsn expint fresnel_cos fresnel_sin spence bessel_i0 bessel_i0e bessel_i1 bessel_i1e
        bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_j0 bessel_j1 bessel_y0 bessel_y1
    """,
    "linalg": "trace diag diag_part matrix_transpose tensor_diag_part",
    "debugging": "check_numerics",
    "nn": """
        relu6 leaky_relu gelu selu softsign silu swish log_softmax depth_to_space space_to_depth
    """,
    "image": """
        random_brightness stateless_random_brightness adjust_brightness adjust_gamma extract_patches
    """,
    "experimental.numpy": """
        abs absolute angle arccos arcsin arcsinh arctan arctanh bitwise_not cbrt ceil conj conjugate
        cos cosh deg2rad exp exp2 expm1 fabs fix floor log negative rad2deg reciprocal sin sinh sqrt
        tan tanh nanmean log2 log10 log1p positive sinc square diff sort average trace
        amax amin around arange array asanyarray asarray ascontiguousarray copy
        cumprod cumsum diag diagflat diagonal empty_like
        expand_dims flatten flip fliplr flipud full_like imag max mean min moveaxis ones_like
        prod ravel real reshape repeat rot90 round squeeze std sum swapaxes transpose triu
        vander var zeros_like atleast_1d atleast_2d atleast_3d
    """,
}
# Functions of two values, which come to the dtype that they have together.
_PAIRS = {
    "": "add subtract multiply matmul divide truediv pow truncatediv truncatemod realdiv",
    "math": "multiply_no_nan divide_no_nan floordiv floormod",
    "experimental.numpy": "matmul hypot",
}
# Those that give no weak tensor.
_STRONG_PAIRS = {"": "maximum minimum equal"}
# The argument that is not the first one.
_WHICH = {"scalar_mul": "x"}
_PACKAGE = __name__.partition(".")[0]

# Operators whose operands come to one dtype; those that only take weak tensors for what they are.
_JOINING = ("add", "sub", "mul", "mod", "pow", "floordiv", "truediv", "matmul")
_PLAIN = ("lt", "le", "gt", "ge", "ne", "and", "or", "xor", "rand", "ror", "rxor")


def let_dtypes_be_weak(changes: Changes) -> None:
    """Put functions and operators that know weak tensors in the place of those that do not."""
    made: dict[Any, Any] = {}
    for space, function in _named(_UNARY):
        made[_at(space, function)] = unary(_at(space, function), _WHICH.get(function))
    for space, function in _named(_PAIRS):
        made[_at(space, function)] = pairs(_at(space, function))
    for space, function in _named(_STRONG_PAIRS):
        made[_at(space, function)] = pairs(_at(space, function), gives_weak=False)
    constant = _at("", "constant")
    made[constant] = constants(constant)
    changes.replace(made)
    for name in ("assign", "assign_add", "assign_sub"):
        changes.put(Variable, name, updates(getattr(Variable, name)))
    names = [f"__{n}__" for n in [*_JOINING, *(f"r{n}" for n in _JOINING), "eq"]]
    of_tensors = {name: getattr(_core.Tensor, name) for name in names}
    for kind in (_core.Tensor, Variable):
        _set_operators(changes, kind, of_tensors)
    _set_weak_operators(changes)


def _named(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(space, name) for space, names in table.items() for name in names.split()]


def _at(space: str, name: str) -> Any:
    return getattr(_module(space), name)


def _module(space: str) -> Any:
    names = space.split(".") if space else []
    return functools.reduce(getattr, names, sys.modules[_PACKAGE])


def _set_operators(changes: Changes, kind: Any, of_tensors: dict[str, Callable[..., Any]]) -> None:
    for full, original in of_tensors.items():
        changes.put(kind, full, _joining(original, full != "__eq__"))
    for name in _PLAIN:
        full = f"__{name}__"
        changes.put(kind, full, _of_plain(getattr(kind, full)))
    changes.put(kind, "__hash__", kind.__hash__)


def _joining(original: Callable[..., Any], gives_weak: bool) -> Callable[..., Any]:
    """An operator of tensors, for operands that come to the dtype that they have together."""

    def operate(self: Any, other: Any) -> Any:
        return original(_core.convert_to_tensor(self), other)

    operate.__name__, operate.__doc__ = original.__name__, original.__doc__
    return pairs(operate, gives_weak)


def _of_plain(original: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that takes weak tensors for what they are."""

    def operate(self: Any, other: Any) -> Any:
        return original(self, plain(other))

    operate.__name__, operate.__doc__ = original.__name__, original.__doc__
    return operate


def _set_weak_operators(changes: Changes) -> None:
    """The operators of weak tensors: those of tensors, which look at both operands."""
    tensor = _core.Tensor
    for name in [*_JOINING, *(f"r{n}" for n in _JOINING), "eq", *_PLAIN]:
        full = f"__{name}__"
        changes.put(WeakTensor, full, _first_plain(getattr(tensor, full), name in _PLAIN))
    for name in ("neg", "pos", "abs", "invert"):
        full = f"__{name}__"
        changes.put(WeakTensor, full, unary(_alone(getattr(tensor, full))))


def _alone(original: Callable[..., Any]) -> Callable[..., Any]:
    def operate(self: Any) -> Any:
        return original(self)

    operate.__name__, operate.__doc__ = original.__name__, original.__doc__
    return operate


def _first_plain(operator: Callable[..., Any], is_plain: bool) -> Callable[..., Any]:
    """An operator of tensors for a weak one on its left."""

    def operate(self: Any, other: Any) -> Any:
        return operator(plain(self) if is_plain else self, other)

    operate.__name__, operate.__doc__ = operator.__name__, operator.__doc__
    return operate
