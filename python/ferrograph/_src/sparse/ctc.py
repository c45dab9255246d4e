"""Connectionist temporal classification: the loss of label sequences, and decoders."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops._base import convert, emit, known_size, refined
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..ops.elementwise import log1p
from ..ops.indexing import newaxis
from ..values import dtypes
from ..values.public import public
from .tensor import SparseTensor

__all__ = ["ctc_loss"]


@public("nn.ctc_loss")
@told
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """Minus the log probability of label sequences, over all their alignments with time.

    At each time the softmax of the logits gives a label or blank; equal labels one after the other
    are one, blanks are left out. The gradient by the logits has no gradient itself.

    >>> logits = fg.zeros([3, 1, 3])
    >>> loss = fg.nn.ctc_loss([[1, 2]], logits, [2], [3], blank_index=0)
    >>> loss.numpy().round(4)
    array([1.6864], dtype=float32)

    Args:
      labels: int32 labels ``[batch, n]``, or a ``SparseTensor`` of such.
      logits: floats ``[time, batch, class]``.
      label_length: how many labels each sequence has; not used for sparse ones.
      logit_length: how many times each sequence has.
      logits_time_major: whether the logits are ``[time, batch, class]``, else
        ``[batch, time, class]``.
      unique: what ``ctc_unique_labels`` gives; not needed here.
      blank_index: the class that is blank, 0 unless told; counted from the end where negative.
        Sparse labels need it.
      name: a name for the operation.

    Returns:
      The losses ``[batch]``. A label that is blank counts as the class before; for dense labels and
      the blank 0 as one of its own, as likely as blank. Where dense labels do not fit into their
      time the loss is infinite, and its gradient 0.

    Raises:
      ValueError: for sparse labels without ``blank_index``.
      InvalidArgumentError: where a label is no class, or sparse labels do not fit.
    """
    is_sparse = isinstance(labels, SparseTensor)
    if is_sparse and blank_index is None:
        raise ValueError("blank_index must be given for sparse labels")
    logits = convert(logits)
    dtype = logits.dtype
    if dtype.is_differentiable and dtype.size < 4:
        logits = ops.cast(logits, dtypes.float32)
    if not logits_time_major:
        logits = ops.transpose(logits, [1, 0, 2])
    number = 0 if blank_index is None else whole(blank_index, "ctc_loss: blank_index")
    blank = _class(number, logits)
    times = ops.cast(logit_length, dtypes.int32)
    if is_sparse:
        places, values, fits = labels.indices, ops.cast(labels.values, dtypes.int32), None
    else:
        places, values, fits = _listed(labels, label_length, times)
    # Blank comes last: classes behind it move up, and a label that is blank with them.
    moved = values - ops.cast(values >= blank, dtypes.int32)
    parts, more = [logits[..., :blank], logits[..., blank + 1 :], _one(logits, blank)], None
    if not is_sparse and isinstance(blank, int) and blank == 0:
        moved, shared, more = _labelled_blank(values, logits, times)
        parts.insert(2, shared)
    attrs = {"ignore_longer_outputs_than_inputs": not is_sparse}
    loss, _ = emit("CTCLoss", (ops.concat(parts, 2), places, moved, times), attrs, name)
    loss = loss if more is None else loss - more
    if fits is not None:
        loss = ops.where(fits, loss, ops.cast(float("inf"), loss.dtype))
    known = known_size(times, 0), known_size(logits, 1)
    return refined(ops.cast(loss, dtype), next((n for n in known if n is not None), None))


def _labelled_blank(values: Any, logits: Any, times: Any) -> tuple[Any, ...]:
    """Dense labels may be the blank 0: a class of its own beside the others, as likely as blank.

    The labels among the other classes, that class where there are such labels, and by how much the
    loss is too large for it: the others are less likely, as the softmax counts one class more.
    """
    count = ops.shape(logits)[2]
    there = ops.cast(ops.reduce_any(values == 0), dtypes.int32)
    shared = logits[..., :there]
    sums = ops.reduce_logsumexp(logits[..., : there * count], 2, keepdims=True)
    within = ops.transpose(ops.sequence_mask(times, ops.shape(logits)[0]))[..., newaxis]
    more = ops.where(within, log1p(ops.exp(shared - sums)), ops.cast(0, logits.dtype))
    moved = ops.where(values == 0, count - 1, values - 1)
    return moved, shared, ops.reduce_sum(more, [0, 2])


def _class(index: int, logits: Any) -> Any:
    """The number of a class, which may be counted from the end."""
    if logits.shape.rank not in (None, 3):
        raise ValueError(f"ctc_loss: logits must have rank 3, got shape {logits.shape}")
    count = logits.shape.as_list()[2] if logits.shape.rank is not None else None
    if count is None:
        return index if index >= 0 else ops.shape(logits)[2] + index
    if not -count <= index < count:
        raise ValueError(f"blank_index must be in [-{count}, {count}), got {index}")
    return index % count


def _one(logits: Any, number: Any) -> Any:
    return logits[..., number : number + 1]


def _listed(labels: Any, lengths: Any, times: Any) -> tuple[Any, ...]:
    """The places and values of padded labels, and which sequences they fit into."""
    labels, lengths = ops.cast(labels, dtypes.int32), ops.cast(lengths, dtypes.int32)
    there = ops.sequence_mask(lengths, ops.shape(labels)[1])
    places = ops.where(there)
    repeats = (labels[:, 1:] == labels[:, :-1]) & there[:, 1:]
    needed = lengths + ops.reduce_sum(ops.cast(repeats, dtypes.int32), 1)
    return places, ops.gather_nd(labels, places), needed <= times


@public("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[Any, ...]:
    """The classes with the best score at each time, without blanks.

    >>> scores = fg.constant([[[0.1, 0.8, 0.1]], [[0.1, 0.8, 0.1]], [[0.9, 0.0, 0.1]]])
    >>> [labels], score = fg.nn.ctc_greedy_decoder(scores, [3], blank_index=2)
    >>> labels.values.numpy(), score.numpy()
    (array([1, 0]), array([[-2.5]], dtype=float32))

    Args:
      inputs: scores ``[time, batch, class]``.
      sequence_length: how many times each sequence has.
      merge_repeated: whether equal classes one after the other are one label.
      blank_index: the class that is blank, the last unless told; counted from the end where
        negative.

    Returns:
      A list of one int64 ``SparseTensor`` of labels, a row each sequence, and minus the sums of the
      best scores, ``[batch, 1]``.
    """
    attrs = {
        "merge_repeated": merge_repeated,
        "blank_index": -1 if blank_index is None else blank_index,
    }
    lengths = ops.cast(sequence_length, dtypes.int32)
    *parts, score = emit("CTCGreedyDecoder", (convert(inputs), lengths), attrs, None)
    return [SparseTensor(*parts)], score


@public("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[Any, ...]:
    """The most probable label sequences, found by keeping the best prefixes at each time.

    >>> scores = fg.constant([[[1.0, 2.0, 0.0]], [[2.0, 1.0, 0.0]]])
    >>> [labels], score = fg.nn.ctc_beam_search_decoder(scores, [2])
    >>> labels.values.numpy(), score.numpy().round(4)
    (array([1, 0]), array([[-0.8152]], dtype=float32))

    Args:
      inputs: scores ``[time, batch, class]``; the last class is blank.
      sequence_length: how many times each sequence has.
      beam_width: how many prefixes are kept.
      top_paths: how many label sequences are given, ``beam_width`` at most.

    Returns:
      A list of ``top_paths`` int64 ``SparseTensor``s of labels, a row each sequence, and their log
      probabilities, ``[batch, top_paths]``.
    """
    return beam_search(inputs, sequence_length, beam_width, top_paths, False)


def beam_search(
    inputs: Any, sequence_length: Any, beam_width: int, top_paths: int, merge_repeated: bool
) -> tuple[Any, ...]:
    """``ctc_beam_search_decoder``; where asked, equal labels one after the other are one."""
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    lengths = ops.cast(sequence_length, dtypes.int32)
    *parts, scores = emit("CTCBeamSearchDecoder", (convert(inputs), lengths), attrs, None)
    places, values, shapes = (parts[i * top_paths : (i + 1) * top_paths] for i in range(3))
    return [SparseTensor(*p) for p in zip(places, values, shapes, strict=True)], scores


@public("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Any, ...]:
    """The distinct labels of each row in order of appearance, and which of them each label is.

    >>> unique, which = fg.nn.ctc_unique_labels([[3, 3, 1]])
    >>> unique.numpy(), which.numpy()
    (array([[3, 1, 0]]), array([[0, 0, 1]], dtype=int32))

    Args:
      labels: int32 labels ``[batch, n]``.
      name: a name for the operation.

    Returns:
      Two tensors of the shape of ``labels``: the distinct labels as int64, 0 behind them, and
      their numbers as int32.
    """
    labels = ops.cast(labels, dtypes.int64)
    same = labels[:, :, None] == labels[:, None, :]
    first = ops.argmax(ops.cast(same, dtypes.int32), 2, output_type=dtypes.int32)
    is_first = first == ops.range(ops.shape(labels)[1])
    numbers = ops.cumsum(ops.cast(is_first, dtypes.int32), 1) - 1
    return _packed(labels, is_first), ops.gather(numbers, first, axis=1, batch_dims=1)


def _packed(values: Any, kept: Any) -> Any:
    """The values of each row that are kept, moved to its front, with zeros behind."""
    order = ops.argsort(ops.cast(~kept, dtypes.int32), 1, stable=True)
    front = ops.gather(values, order, axis=1, batch_dims=1)
    counts = ops.reduce_sum(ops.cast(kept, dtypes.int32), 1)
    there = ops.sequence_mask(counts, ops.shape(values)[1])
    return ops.where(there, front, ops.cast(0, values.dtype))


@public("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, ...]:
    """Rows in which equal labels one after the other are made one.

    >>> labels, lengths = fg.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 3])
    >>> labels.numpy(), lengths.numpy()
    (array([[1, 2],
           [3, 0]], dtype=int32), array([2, 1], dtype=int32))

    Args:
      labels: labels ``[batch, n]``.
      seq_length: how many labels each row has.
      name: a name for the operation.

    Returns:
      The labels with zeros behind them, as wide as the longest row, and the new lengths.
    """
    labels = convert(labels)
    lengths = ops.cast(seq_length, dtypes.int32)
    changes = labels[:, 1:] != labels[:, :-1]
    changes = ops.concat([ops.ones_like(labels[:, :1], dtypes.bool), changes], 1)
    kept = changes & ops.sequence_mask(lengths, ops.shape(labels)[1])
    counts = ops.reduce_sum(ops.cast(kept, dtypes.int32), 1)
    return _packed(labels, kept)[:, : ops.reduce_max(counts)], counts
