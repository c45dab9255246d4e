"""``compat.v1.nn``: the current functions with the old arguments."""

from __future__ import annotations

from typing import Any

from ..ops import convolutions, pools
from ..sparse import ctc

__all__ = [
    "avg_pool",
    "conv2d_transpose",
    "convolution",
    "ctc_beam_search_decoder",
    "ctc_loss",
    "max_pool",
]


def _given(new: Any, old: Any) -> Any:
    return old if new is None else new


def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Any:
    """The mean of each window."""
    return pools.avg_pool(_given(input, value), ksize, strides, padding, data_format, name)


def max_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Any:
    """The largest element of each window."""
    return pools.max_pool(_given(input, value), ksize, strides, padding, data_format, name)


def convolution(
    input: Any,
    filter: Any = None,
    padding: Any = None,
    strides: Any = None,
    dilation_rate: Any = None,
    name: Any = None,
    data_format: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Convolution, as the rank of the filters says."""
    filters, dilations = _given(filters, filter), _given(dilations, dilation_rate)
    return convolutions.convolution(
        input, filters, strides, _given(padding, "VALID"), data_format, dilations, name
    )


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """The gradient of ``conv2d``."""
    value, filters = _given(input, value), _given(filters, filter)
    return convolutions.conv2d_transpose(
        value, filters, output_shape, strides, padding, data_format, dilations, name
    )


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """The loss of sparse labels; the last class is blank.

    NotImplementedError for another treatment of repeated labels, or of those that do not fit.
    """
    is_plain = ctc_merge_repeated and not preprocess_collapse_repeated
    if not is_plain or ignore_longer_outputs_than_inputs:
        raise NotImplementedError("ctc_loss merges repeated labels, and takes labels that fit")
    logits = _given(logits, inputs)
    return ctc.ctc_loss(labels, logits, None, sequence_length, time_major, blank_index=-1)


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[Any, ...]:
    """The most probable label sequences; equal labels one after the other are one, by default."""
    return ctc.beam_search(inputs, sequence_length, beam_width, top_paths, merge_repeated)
