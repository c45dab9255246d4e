"""Windows of images: glimpses around points, and boxes drawn around what is to be seen."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..values.dtypes import uint32
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    emit,
    float32,
    int32,
    known_size,
    refusal,
)
from ._dispatch import told
from ._numbers import check_flags, flag, int32_of, real, several, whole
from ._ranks import of_rank
from .activations import moments
from .arithmetic import (
    greater_equal,
    less,
    less_equal,
    logical_and,
    maximum,
    multiply,
)
from .arrays import concat, reshape, shape, stop_gradient
from .creation import range, zeros
from .debug import Assert
from .elementwise import sqrt
from .numeric import cast, clip_by_value
from .random_ops import normal, stateless_uniform, uniform
from .reductions import reduce_all, reduce_max, reduce_min
from .selection import gather

__all__ = ["DistortedBox"]

_NOISES = ("uniform", "gaussian", "zero")


@public("image.extract_glimpse")
@told
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Windows of images, noise where a window goes beyond its image.

    The gradient flows to the images.

    >>> image = fg.reshape(fg.range(9.0), [1, 3, 3, 1])
    >>> fg.image.extract_glimpse(
    ...     image, [2, 2], [[1.0, 1.0]], centered=False, normalized=False
    ... ).numpy().ravel()
    array([4., 5., 7., 8.], dtype=float32)

    Args:
      input: float32 images ``[batch, height, width, channels]``.
      size: height and width of the windows.
      offsets: row and column of each window: ``[batch, 2]``.
      centered: whether offsets count from the middle of the image, else from its upper left corner.
        What they place is the upper left corner of the window; its middle where they are centered
        and normalized, which then are -1 and 1 at the edges.
      normalized: whether offsets count by the size of the image, else by pixels.
      noise: "uniform" between the least and the largest number of the image, "gaussian" with its
        mean and deviation, or "zero".
      name: a name for the operation.

    Returns:
      ``[batch, size[0], size[1], channels]``.

    Raises:
      ValueError: for another noise, or images of another rank.
    """
    check_flags("extract_glimpse", centered=centered, normalized=normalized)
    images, offsets = convert(input, float32), convert(offsets, float32)
    images = of_rank(images, 4)
    if images.ndim != 4:
        raise ValueError(f"input must have rank 4, got shape {images.shape}")
    if noise not in _NOISES:
        raise ValueError(f'noise must be "uniform", "gaussian" or "zero", got {shown(noise)}')
    size, offsets = of_rank(int32_of(size), 1), of_rank(offsets, 2)
    centered = flag(centered, "extract_glimpse: centered")
    normalized = flag(normalized, "extract_glimpse: normalized")
    rows, rows_within = _places(images, offsets, size, 0, centered, normalized)
    columns, columns_within = _places(images, offsets, size, 1, centered, normalized)
    found = gather(images, rows, axis=1, batch_dims=1)
    found = gather(found, columns, axis=2, batch_dims=1)
    within = logical_and(rows_within[:, :, None], columns_within[:, None, :])[..., None]
    beyond = stop_gradient(_noise(images, shape(found), noise))
    return emit("SelectV2", (within, found, beyond), None, name)


def _places(
    images: Tensor, offsets: Tensor, size: Tensor, axis: int, centered: bool, normalized: bool
) -> tuple[Tensor, Tensor]:
    """Rows or columns of each window, kept within the image, and which of them lie there."""
    there = shape(images)[1 + axis]
    length = cast(there, float32)
    first = offsets[:, axis]
    if normalized:
        first = multiply(first, length)
    if centered and normalized:
        first = first / 2.0 + (length - cast(size[axis], float32)) / 2.0
    elif centered:
        first = first + length / 2.0
    # Parts of a pixel are left out towards zero.
    first = cast(first, int32)
    places = first[:, None] + range(size[axis])[None, :]
    within = logical_and(greater_equal(places, 0), less(places, there))
    return clip_by_value(places, 0, there - 1), within


def _noise(images: Tensor, sizes: Tensor, noise: str) -> Tensor:
    """Numbers like those of each image."""
    if noise == "zero":
        return zeros(sizes)
    if noise == "gaussian":
        mean, variance = moments(images, [1, 2, 3], keepdims=True)
        return normal(sizes) * sqrt(variance) + mean
    low = reduce_min(images, [1, 2, 3], keepdims=True)
    return uniform(sizes) * (reduce_max(images, [1, 2, 3], keepdims=True) - low) + low


class DistortedBox(NamedTuple):
    """Where a window begins and its size, both for ``fg.slice``, and the window as a box."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


@public("image.stateless_sample_distorted_bounding_box")
@told
def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """A window of an image, drawn by a seed of two integers so that it covers part of some box.

    The whole image where no attempt is one that the arguments allow.

    >>> begin, size, box = fg.image.stateless_sample_distorted_bounding_box(
    ...     [10, 12, 3], [[[0.2, 0.2, 0.6, 0.7]]], seed=[1, 2]
    ... )
    >>> fg.slice(fg.zeros([10, 12, 3]), begin, size).shape[-1]
    3

    Args:
      image_size: height, width and channels.
      bounding_boxes: ``[..., n, 4]``: upper, left, lower and right edges, from 0 to 1.
      seed: two integers.
      min_object_covered: which part of some box the window covers at least.
      aspect_ratio_range: the least and the largest width by height of the window: 0.75 and 1.33.
      area_range: which part of the image the window covers: from 0.05 to 1.
      max_attempts: how many windows are drawn: 100.
      use_image_if_no_bounding_boxes: whether the image is the box where there are none, which
        otherwise is an error.
      name: a name for the operation.

    Returns:
      ``begin`` and ``size`` of the window as ``fg.slice`` takes them, and the window as one box:
      ``[1, 1, 4]``.

    Raises:
      InvalidArgumentError: for edges beyond the image, or no boxes. ValueError for ranges that are
        none.
    """
    use_image = use_image_if_no_bounding_boxes
    check_flags("stateless_sample_distorted_bounding_box", use_image_if_no_bounding_boxes=use_image)
    request = _Request(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    boxes = _boxes(bounding_boxes, bool(use_image))
    words = stateless_uniform([request.words], seed, None, None, uint32)
    return _distorted(convert(image_size), boxes, request, words, name)


@public("image.sample_distorted_bounding_box")
@told
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """A window of an image, drawn by the global seed and one of the operation to cover part of
    some box; see ``image.stateless_sample_distorted_bounding_box``.

    >>> begin, size, box = fg.image.sample_distorted_bounding_box(
    ...     [10, 12, 3], [[[0.2, 0.2, 0.6, 0.7]]]
    ... )
    >>> box.shape
    TensorShape([1, 1, 4])

    Args:
      image_size: height, width and channels, a vector of real numbers.
      bounding_boxes: float32 ``[..., n, 4]``: upper, left, lower and right edges, from 0 to 1.
      seed: a seed of the operation, an int; 0 (the default) for the global seed alone.
      min_object_covered: which part of some box the window covers at least, a scalar; 0.1 by
        default.
      aspect_ratio_range: the least and the largest width by height of the window, two numbers; 0.75
        and 1.33 unless told.
      area_range: the least and the largest part of the image that the window covers, two numbers;
        0.05 and 1 unless told.
      max_attempts: how many windows are drawn, an int above 0; 100 unless told.
      use_image_if_no_bounding_boxes: whether the image is the box where there are none, which
        otherwise is an error, a bool; not unless told.
      name: a name for the operation.

    Returns:
      A named tuple ``(begin, size, bboxes)``: the window as ``fg.slice`` takes it, of the dtype of
        ``image_size``, and the window as one box: ``[1, 1, 4]``.

    Raises:
      InvalidArgumentError: for edges beyond the image, no boxes, or a size that is no vector of
        three. ValueError for ranges that are none, or no attempts.
    """
    use_image = use_image_if_no_bounding_boxes
    check_flags("sample_distorted_bounding_box", use_image_if_no_bounding_boxes=use_image)
    request = _Request(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    boxes = _boxes(bounding_boxes, bool(use_image))
    words = uniform([request.words], 0, 2**32 - 1, uint32, seed=seed or None)
    return _distorted(convert(image_size), boxes, request, words, name)


_NO_BOXES = "No bounding boxes provided as input: set use_image_if_no_bounding_boxes"


class _Request:
    """What is asked of a window."""

    def __init__(self, covered: Any, ratios: Any, areas: Any, attempts: int | None):
        self.covered = convert(covered, float32)
        self.ratios = (0.75, 1.33) if ratios is None else _two(ratios, "aspect_ratio_range")
        self.areas = (0.05, 1.0) if areas is None else _two(areas, "area_range")
        self.attempts = 100 if attempts is None else whole(attempts, "max_attempts")
        if not 0 < self.ratios[0] <= self.ratios[1]:
            raise ValueError(f"aspect_ratio_range must be positive and rise, got {self.ratios}")
        if not 0 < self.areas[0] <= self.areas[1] <= 1:
            raise ValueError(f"area_range must rise in (0, 1], got {self.areas}")
        if self.attempts < 1:
            raise ValueError(f"max_attempts must be above 0, got {attempts}")
        # Each attempt takes four numbers at most, and one more where one is passed over.
        self.words = 4 * self.attempts + 16


def _two(given: Any, what: str) -> tuple[float, float]:
    """The ends of a range, a list of two numbers."""
    ends = [real(end, what) for end in several(given, what)]
    if len(ends) != 2:
        raise ValueError(f"{what} must have two ends, got {shown(ends)}")
    return ends[0], ends[1]


def _boxes(boxes: TensorLike, image_if_none: bool) -> Tensor:
    """The boxes one below the other, the image where there are none."""
    boxes = reshape(convert(boxes, float32), [-1, 4])
    inside = reduce_all(logical_and(greater_equal(boxes, 0.0), less_equal(boxes, 1.0)))
    Assert(inside, ["All bounding box coordinates must be in [0.0, 1.0]:", boxes])
    count = shape(boxes)[0]
    if image_if_none:
        whole = convert([[0.0, 0.0, 1.0, 1.0]])
        return concat([boxes, whole], 0)[: maximum(count, 1)]
    if known_size(boxes, 0) == 0:
        raise refusal(_NO_BOXES)
    if known_size(boxes, 0) is None:
        Assert(count > 0, [_NO_BOXES])
    return boxes


def _distorted(
    image_size: Tensor, boxes: Tensor, request: _Request, words: Tensor, name: Any
) -> DistortedBox:
    """The first of the attempts that is one, else the image."""
    dtype = image_size.dtype
    attrs = {
        "least_ratio": request.ratios[0],
        "greatest_ratio": request.ratios[1],
        "least_area": request.areas[0],
        "greatest_area": request.areas[1],
        "attempts": request.attempts,
    }
    sizes = image_size if dtype.name in ("int32", "int64") else cast(image_size, int32)
    begin, size, box = emit("DistortedWindow", (sizes, boxes, request.covered, words), attrs, name)
    return DistortedBox(cast(begin, dtype), cast(size, dtype), box)
