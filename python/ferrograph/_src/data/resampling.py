"""Elements resampled so that their classes have the wanted distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native import _core
from ..ops import gather, maximum, one_hot, random_ops, reduce_max, reduce_sum, zeros
from ..ops.numeric import cast
from ..values import dtypes
from .dataset import Dataset

_TINY = 1e-20


def rejection_resample(
    dataset: Dataset, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any, seed: Any
) -> Dataset:
    """``Dataset.rejection_resample``.

    An element of class ``c`` is kept with the probability ``r[c] / max(r)`` for the ratio
    ``r = target_dist / initial_dist`` (rejection sampling, von Neumann 1951).
    """
    target = _distribution(target_dist, "target_dist")

    def classed(*element: Any) -> tuple[Any, ...]:
        kind = _core.convert_to_tensor(class_func(*element))
        if not kind.dtype.is_integer or kind.shape.rank not in (0, None):
            raise TypeError(
                "class_func of rejection_resample must give an integer scalar, "
                f"gives {kind.dtype.name} of shape {kind.shape}"
            )
        return kind, element[0] if len(element) == 1 else element

    pairs = dataset.map(classed)
    if initial_dist is None:
        known = _with_frequencies(pairs, target)
    else:
        chances = _chances(target, _distribution(initial_dist, "initial_dist"))
        known = pairs.map(lambda kind, element: (gather(chances, kind), kind, element))
    kept = known.filter(lambda chance, kind, element: random_ops.uniform([], seed=seed) < chance)
    return kept.map(lambda chance, kind, element: (kind, element))


def _distribution(value: Any, argument: str) -> Any:
    distribution = cast(_core.convert_to_tensor(value), dtypes.float32)
    if distribution.shape.rank not in (1, None):
        raise ValueError(f"{argument} must be a vector, got shape {distribution.shape}")
    return distribution


def _chances(target: Any, initial: Any) -> Any:
    """With which probability an element of each class is kept."""
    ratios = target / maximum(initial, _TINY)
    return ratios / maximum(reduce_max(ratios), _TINY)


def _with_frequencies(pairs: Dataset, target: Any) -> Dataset:
    """Each pair after its chance, by how often the classes came up to it."""

    def count(seen: Any, pair: Any) -> tuple[Any, ...]:
        kind, element = pair
        seen = seen + one_hot(kind, target.shape[0], dtype=dtypes.float32)
        chances = _chances(target, seen / reduce_sum(seen))
        return seen, (gather(chances, kind), kind, element)

    return pairs.scan(zeros(target.shape), count)
