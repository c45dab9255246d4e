"""Summaries of the kinds that TensorBoard shows."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..control_flow.functional import map_fn
from ..native import _core
from ..ops._dispatch import told
from ..ops.image_codecs import encode_png
from ..ops.image_colors import convert_image_dtype
from ..ops.sound import encode_wav
from ..values import wire
from ..values.dtypes import float32, float64, int32, string, uint8
from ..values.errors import shown
from ..values.public import public
from .summary_state import recorded, summary_scope, write

__all__ = ["audio", "graph", "histogram", "image", "scalar", "text"]

_SCALAR, _TENSOR, _BLOBS = 1, 2, 3


def _metadata(plugin: str, description: str | None, data_class: int, content: bytes = b"") -> bytes:
    """The serialised ``SummaryMetadata``."""
    own = wire.part(1, plugin.encode()) + (wire.part(2, content) if content else b"")
    text = wire.part(1, own)
    if description:
        text += wire.part(3, description.encode())
    return text + bytes([4 << 3, data_class])


def _written(name: str, values: Any, step: Any, metadata: bytes, default: str) -> Any:
    with summary_scope(name, default) as (tag, _):
        return write(tag, values, step, metadata)


@public("summary.scalar")
@told
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a number under a name, as float32; whether it was, as a tensor.

    >>> bool(fg.summary.scalar("loss", 0.5, step=0))
    False

    Args:
      name: what it is called, within the name scopes around.
      data: a scalar.
      step: the step; the default step where None.
      description: what it means, in Markdown.
    """

    def value() -> Any:
        made = ops.cast(data, float32)
        if made.shape.rank not in (0, None):
            raise ValueError(f"expected a scalar for {name!r}, got shape {made.shape}")
        return made

    return _written(name, value, step, _metadata("scalars", description, _SCALAR), "scalar_summary")


@public("summary.text")
@told
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes strings under a name, which are shown as Markdown.

    >>> bool(fg.summary.text("note", "it *began*", step=0))
    False

    Args:
      name: the name, a string.
      data: a tensor of strings, or what converts to one; of any shape.
      step: an integer scalar; None, the default, uses the step of
        ``summary.experimental.set_step``.
      description: a string that is shown with it; None by default.

    Returns:
      A scalar bool, whether it was written; False where there is no writer.

    Raises:
      ValueError: where there is a writer and data are no strings, or there is no step.
    """

    def value() -> Any:
        made = _core.convert_to_tensor(data)
        if made.dtype != string:
            raise ValueError(f"data must be strings, got {made.dtype.name}")
        return made

    return _written(name, value, step, _metadata("text", description, _TENSOR), "text_summary")


@public("summary.image")
@told
def image(
    name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Writes pictures ``[count, height, width, channels]`` under a name; whether it did, as a
    tensor.

    >>> bool(fg.summary.image("digits", fg.zeros([2, 4, 4, 1]), step=0))
    False

    Args:
      name: what they are called, within the name scopes around.
      data: uint8, or floats from 0 to 1, of one to four channels.
      step: the step; the default step where None.
      max_outputs: how many of them are written at most.
      description: what they mean, in Markdown.
    """

    def value() -> Any:
        pictures = _core.convert_to_tensor(data)
        if pictures.shape.rank not in (4, None):
            raise ValueError(f"the images {shown(name)} must have rank 4, got {pictures.shape}")
        first = convert_image_dtype(pictures[:max_outputs], uint8, saturate=True)
        sizes = ops.shape(pictures)
        dims = ops.as_string(ops.stack([sizes[2], sizes[1]]))
        return ops.concat([dims, encode_png(first)], 0)

    return _written(name, value, step, _metadata("images", description, _BLOBS), "image_summary")


@public("summary.audio")
@told
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes sounds ``[count, frames, channels]`` under a name; whether it did, as a tensor.

    >>> bool(fg.summary.audio("voice", fg.zeros([1, 8, 1]), 8000, step=0))
    False

    Args:
      name: what they are called, within the name scopes around.
      data: floats from -1 to 1.
      sample_rate: frames in a second.
      step: the step; the default step where None.
      max_outputs: how many of them are written at most.
      encoding: "wav".
      description: what they mean, in Markdown.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {shown(encoding)}")

    def value() -> Any:
        sounds = ops.cast(data, float32)
        if sounds.shape.rank not in (3, None):
            raise ValueError(f"the sounds {shown(name)} must have rank 3, got {sounds.shape}")
        first = sounds[:max_outputs]
        files = map_fn(lambda one: encode_wav(one, sample_rate), first, fn_output_signature=string)
        return ops.stack([files, ops.fill(ops.shape(files), "")], 1)

    metadata = _metadata("audio", description, _BLOBS, bytes([2 << 3, 11]))
    return _written(name, value, step, metadata, "audio_summary")


@public("summary.histogram")
@told
def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """Writes how numbers are distributed under a name; whether it did, as a tensor.

    >>> bool(fg.summary.histogram("weights", [1.0, 2.0, 2.0], step=0))
    False

    Args:
      name: what they are called, within the name scopes around.
      data: a tensor of numbers.
      step: the step; the default step where None.
      buckets: into how many ranges of one width they are counted, 30 by default.
      description: what they mean, in Markdown.
    """
    count = 30 if buckets is None else buckets
    metadata = _metadata("histograms", description, _TENSOR)
    return _written(name, lambda: _counted(data, count), step, metadata, "histogram_summary")


def _counted(data: Any, count: int) -> Any:
    """Rows of the least, the most and the number of elements of each range; numbers that are all
    equal are in the last one."""
    if count == 0:
        return ops.zeros([0, 3], float64)
    flat = ops.reshape(ops.cast(data, float64), [-1])
    is_empty = ops.equal(ops.size(flat), 0)
    nothing = ops.zeros([], float64)
    least = ops.where(is_empty, nothing, ops.reduce_min(flat))
    most = ops.where(is_empty, nothing, ops.reduce_max(flat))
    is_single = ops.equal(least, most)
    width = ops.where(is_single, ops.ones([], float64), (most - least) / count)
    places = ops.cast(ops.floor((flat - least) / width), int32)
    places = ops.where(is_single, count - 1, ops.minimum(places, count - 1))
    held = ops.reduce_sum(ops.one_hot(places, count, dtype=float64), 0)
    edges = ops.linspace(least, most, count + 1)
    return ops.stack([edges[:-1], edges[1:], held], 1)


@public("summary.graph")
def graph(graph_data: Any) -> Any:
    """Writes a graph.

    >>> bool(fg.summary.graph(b""))
    False

    Args:
      graph_data: a graph, a ``GraphDef`` message or its bytes.

    Returns:
      A scalar bool, whether it was written; False where there is no writer.

    Raises:
      TypeError: for another graph_data.
    """
    content = graph_data
    if hasattr(graph_data, "as_graph_def"):
        content = graph_data.as_graph_def()
    if hasattr(content, "SerializeToString"):
        content = content.SerializeToString()
    text = _core.convert_to_tensor(content, string)
    step = ops.zeros([], "int64")
    return recorded(lambda h: _core.emit("WriteGraphSummary", (h, step, text), None, None))
