"""Boxes of images: which of them are kept, and how they are drawn."""

from __future__ import annotations

from typing import NamedTuple

from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, float32
from ._numbers import check_flags, flag, int32_of, whole
from .creation import zeros
from .numeric import cast

__all__ = ["CombinedNonMaxSuppression"]

_LEAST = float("-inf")


@public("image.non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _LEAST,
    name: str | None = None,
) -> Tensor:
    """Which boxes are kept, best first: those that no better one covers too much.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]
    >>> fg.image.non_max_suppression(boxes, [0.8, 0.9, 0.7], 3).numpy()
    array([1, 2], dtype=int32)

    Args:
      boxes: a row ``[y1, x1, y2, x2]`` a box, of any two opposite corners.
      scores: a number for each box.
      max_output_size: how many are kept at most.
      iou_threshold: how much two boxes may cover one another, as the part of what either covers.
      score_threshold: boxes of no better score are not kept.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``iou_threshold`` is not in [0, 1] or the size is negative.
    """
    boxes, scores = _floats(boxes), _floats(scores)
    thresholds = _threshold(iou_threshold), _threshold(score_threshold)
    inputs = (boxes, scores, int32_of(max_output_size), *thresholds)
    return emit("NonMaxSuppressionV3", inputs, None, name)


@public("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _LEAST,
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which boxes are kept, and their scores, which become less where better boxes cover them.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 2.0]]
    >>> kept = fg.image.non_max_suppression_with_scores(boxes, [0.9, 0.8], 2, soft_nms_sigma=0.5)
    >>> kept[1].numpy().round(2)
    array([0.9 , 0.62], dtype=float32)

    Args:
      boxes: a row ``[y1, x1, y2, x2]`` a box, of any two opposite corners.
      scores: a number for each box.
      max_output_size: how many are kept at most.
      iou_threshold: as in ``non_max_suppression``, where ``soft_nms_sigma`` is 0.
      score_threshold: boxes of no better score are not kept.
      soft_nms_sigma: how fast scores become less; 0 for leaving boxes out instead.
      name: a name for the operation.

    Returns:
      The indices of the kept boxes, and their scores.

    Raises:
      InvalidArgumentError: where a threshold or the size is out of range.
    """
    boxes, scores = _floats(boxes), _floats(scores)
    numbers = [
        cast(convert(x, dtype_hint=boxes.dtype), boxes.dtype)
        for x in (iou_threshold, score_threshold, soft_nms_sigma)
    ]
    inputs = (boxes, scores, int32_of(max_output_size), *numbers)
    places, kept, _ = emit("NonMaxSuppressionV5", inputs, None, name)
    return places, kept


@public("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _LEAST,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Which boxes are kept, of each of a stack of images, with zeros up to one size.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> kept = fg.image.non_max_suppression_padded(boxes, [0.8, 0.9], 3, 0.5, -1.0, True)
    >>> kept[0].numpy()
    array([1, 0, 0], dtype=int32)

    Args:
      boxes: a row ``[y1, x1, y2, x2]`` a box; leading axes are a stack.
      scores: a number for each box.
      max_output_size: how many are kept at most.
      iou_threshold: boxes that cover a better one so much are not kept.
      score_threshold: boxes of no better score are not kept.
      pad_to_max_output_size: whether there are so many; stacks are always filled up.
      name: a name for the operation.
      sorted_input: whether boxes come best first; they need not.
      canonicalized_coordinates: whether corners come smaller ones first; they need not.
      tile_size: how many boxes others compare at once; it makes no difference here.

    Returns:
      The indices of the kept boxes, and how many are kept.

    Raises:
      InvalidArgumentError: where ``iou_threshold`` is not in [0, 1] or the size is negative.
    """
    check_flags(
        "non_max_suppression_padded",
        sorted_input=sorted_input,
        canonicalized_coordinates=canonicalized_coordinates,
    )
    whole(tile_size, "non_max_suppression_padded: tile_size")
    fill_up = flag(pad_to_max_output_size, "pad_to_max_output_size")
    boxes, scores = _floats(boxes), _floats(scores)
    thresholds = _threshold(iou_threshold), _threshold(score_threshold)
    inputs = (boxes, scores, int32_of(max_output_size), *thresholds)
    attrs = {"pad_to_max_output_size": fill_up, "covers_at_threshold": True}
    places, count = emit("NonMaxSuppressionV4", inputs, attrs, name)
    return places, count


@public("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _LEAST,
    name: str | None = None,
) -> Tensor:
    """Which boxes are kept, given how much each covers each.

    >>> overlaps = [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> fg.image.non_max_suppression_overlaps(overlaps, [0.3, 0.5, 0.4], 3).numpy()
    array([1, 2], dtype=int32)

    Args:
      overlaps: a float32 matrix ``[n, n]``, or what converts to one: how much each box covers each.
      scores: a float32 vector with a number for each box, or what converts to one.
      max_output_size: how many are kept at most, a scalar of integers.
      overlap_threshold: how much two boxes may cover one another, a scalar; 0.5 by default.
      score_threshold: boxes of no better score are not kept, a scalar; -inf by default.
      name: a name for the operation.

    Returns:
      An int32 vector of the indices of boxes, best first.

    Raises:
      InvalidArgumentError: where the size is negative, where shapes do not fit, and for other
        dtypes.
    """
    inputs = (
        _floats(overlaps),
        _floats(scores),
        int32_of(max_output_size),
        _threshold(overlap_threshold),
        _threshold(score_threshold),
    )
    return emit("NonMaxSuppressionWithOverlaps", inputs, None, name)


class CombinedNonMaxSuppression(NamedTuple):
    """What ``combined_non_max_suppression`` gives."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


@public("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _LEAST,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of each image of all classes, each class kept by itself.

    >>> boxes = [[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]]
    >>> kept = fg.image.combined_non_max_suppression(boxes, [[[0.9, 0.1], [0.8, 0.7]]], 1, 2)
    >>> kept.nmsed_classes.numpy()
    array([[0., 1.]], dtype=float32)

    Args:
      boxes: ``[images, boxes, classes, 4]``, or with 1 for boxes that all classes share.
      scores: ``[images, boxes, classes]``.
      max_output_size_per_class: how many of a class are kept at most.
      max_total_size: how many are kept at most.
      iou_threshold: as in ``non_max_suppression``.
      score_threshold: as in ``non_max_suppression``.
      pad_per_class: whether results have no more places than all classes may have together.
      clip_boxes: whether corners are moved to between 0 and 1.
      name: a name for the operation.

    Returns:
      Boxes, scores, classes and how many there are of each image, as a named tuple.

    Raises:
      InvalidArgumentError: where a threshold or a size is out of range.
    """
    inputs = (
        _floats(boxes),
        _floats(scores),
        int32_of(max_output_size_per_class),
        int32_of(max_total_size),
        _threshold(iou_threshold),
        _threshold(score_threshold),
    )
    attrs = {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes}
    return CombinedNonMaxSuppression(*emit("CombinedNonMaxSuppression", inputs, attrs, name))


@public("image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None
) -> Tensor:
    """Images with the outlines of boxes.

    >>> image = fg.zeros([1, 3, 3, 1])
    >>> fg.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[2.0]]).numpy()[0, :, :, 0]
    array([[2., 2., 2.],
           [2., 0., 2.],
           [2., 2., 2.]], dtype=float32)

    Args:
      images: a stack of images of 1, 3 or 4 channels.
      boxes: for each image a row ``[y1, x1, y2, x2]`` a box, of corners relative to the image.
      colors: a row of channels a colour, which boxes take in turns; None for a table of ten.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where boxes or colours do not fit the images.
    """
    colors = zeros([0, 4]) if colors is None else colors
    inputs = (
        _floats(images),
        convert(boxes, float32),
        convert(colors, float32),
    )
    return emit("DrawBoundingBoxesV2", inputs, None, name)


def _floats(value: TensorLike) -> Tensor:
    return convert(value) if hasattr(value, "dtype") else convert(value, float32)


def _threshold(value: TensorLike) -> Tensor:
    return cast(convert(value, dtype_hint=float32), float32)
