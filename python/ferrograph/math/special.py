"""Special functions."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.ops.elementwise import bessel_i0e, bessel_i1e
from .._src import door as _door

if TYPE_CHECKING:
    from .._src.ops.special import (
        bessel_i0,
        bessel_i1,
        bessel_j0,
        bessel_j1,
        bessel_k0,
        bessel_k0e,
        bessel_k1,
        bessel_k1e,
        bessel_y0,
        bessel_y1,
        dawsn,
        expint,
        fresnel_cos,
        fresnel_sin,
        spence,
    )

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]

if not TYPE_CHECKING:
    _LAZY = {
        "bessel_i0": "ops.special:bessel_i0",
        "bessel_i1": "ops.special:bessel_i1",
        "bessel_j0": "ops.special:bessel_j0",
        "bessel_j1": "ops.special:bessel_j1",
        "bessel_k0": "ops.special:bessel_k0",
        "bessel_k0e": "ops.special:bessel_k0e",
        "bessel_k1": "ops.special:bessel_k1",
        "bessel_k1e": "ops.special:bessel_k1e",
        "bessel_y0": "ops.special:bessel_y0",
        "bessel_y1": "ops.special:bessel_y1",
        "dawsn": "ops.special:dawsn",
        "expint": "ops.special:expint",
        "fresnel_cos": "ops.special:fresnel_cos",
        "fresnel_sin": "ops.special:fresnel_sin",
        "spence": "ops.special:spence",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
