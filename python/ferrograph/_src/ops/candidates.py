"""Sampled losses over many classes, and the candidate samplers that draw the negative classes."""

from __future__ import annotations

import os
import pathlib
from typing import Any, NamedTuple

from ..values.errors import NotFoundError, shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, float32, int32, int64, known_size, refined
from ._dispatch import told
from ._numbers import check_flags, real, whole
from .activations import embedding_lookup
from .arithmetic import equal, subtract
from .arrays import concat, ensure_shape, reshape, shape, stop_gradient
from .creation import fill, ones, ones_like, range, zeros_like
from .distributions import reserved
from .elementwise import log
from .losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from .numeric import cast
from .products import matmul
from .reductions import reduce_any, reduce_sum
from .selection import where

__all__ = ["Candidates", "Hits"]

# Blocks of the stream for each class that is drawn.
_BLOCKS = 512


class Candidates(NamedTuple):
    """Classes drawn, and how often the true ones and those drawn are expected in such a batch."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class Hits(NamedTuple):
    """True classes that were drawn as well: rows, places among those drawn, and weights."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def _true(true_classes: TensorLike, num_true: int) -> Tensor:
    classes = cast(convert(true_classes, dtype_hint=int64), int64)
    if not classes.shape.is_compatible_with([None, num_true]):
        raise ValueError(f"true_classes must be [batch, {num_true}], got shape {classes.shape}")
    return (
        classes if known_size(classes, 1) is not None else ensure_shape(classes, [None, num_true])
    )


def _drawn(
    true_classes: TensorLike,
    num_true: int,
    attrs: dict[str, Any],
    seed: int | None,
    weights: Any = (),
    name: str | None = None,
) -> Candidates:
    attrs["range_max"] = whole(attrs["range_max"], "range_max")
    law = (num_true, *attrs.values(), hash(tuple(weights)))
    state = reserved(f"CandidateSampler {law}", convert([attrs["num_sampled"]]), _BLOCKS, seed)
    inputs = (_true(true_classes, num_true), *state, convert(weights, float32))
    return Candidates(*emit("CandidateSampler", inputs, attrs, name))


@public("random.uniform_candidate_sampler")
@told
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes drawn evenly from those below ``range_max``.

    >>> drawn = fg.random.uniform_candidate_sampler([[1], [2]], 1, 3, True, 3)
    >>> fg.sort(drawn.sampled_candidates).numpy(), drawn.true_expected_count.shape
    (array([0, 1, 2]), TensorShape([2, 1]))

    Args:
      true_classes: integers ``[batch, num_true]``.
      num_true: how many classes are true of each row.
      num_sampled: how many classes are drawn for the whole batch.
      unique: whether a class is drawn once at most.
      range_max: how many classes there are.
      seed: a seed of the operation; see ``random.set_seed``.
      name: a name for the operation.

    Returns:
      ``sampled_candidates`` (int64), and how often the true classes and those drawn are expected
      among as many, which losses take as their probabilities.

    Raises:
      InvalidArgumentError: where fewer different classes are there than drawn, or a true class is
        none; ValueError while tracing, and for true classes of another shape.
    """
    attrs = {"num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return _drawn(true_classes, num_true, attrs, seed, name=name)


@public("random.log_uniform_candidate_sampler")
@told
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """As ``uniform_candidate_sampler``, with probabilities that fall as those of words do.

    Class ``k`` is drawn with probability ``log((k + 2) / (k + 1)) / log(range_max + 1)``: classes
    are sorted by how frequent they are, the most frequent one first.

    >>> drawn = fg.random.log_uniform_candidate_sampler([[0, 9]], 2, 4, False, 10)
    >>> drawn.true_expected_count.numpy().round(2)
    array([[1.16, 0.16]], dtype=float32)

    Args:
      true_classes: integers ``[batch, num_true]``.
      num_true: how many classes are true of each row, an int.
      num_sampled: how many classes are drawn for the whole batch, an int above 0.
      unique: whether a class is drawn once at most, a bool.
      range_max: how many classes there are, an int.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.
      name: a name for the operation.

    Returns:
      A named tuple ``(sampled_candidates, true_expected_count, sampled_expected_count)``, as for
        ``uniform_candidate_sampler``.

    Raises:
      InvalidArgumentError: where fewer different classes are there than drawn, or a true class is
        none; ValueError while tracing, and for true classes of another shape.
      TypeError: where ``unique`` is no bool, or ``range_max`` no integer.
    """
    attrs = {
        "num_sampled": num_sampled,
        "unique": unique,
        "range_max": range_max,
        "distribution": "log_uniform",
    }
    return _drawn(true_classes, num_true, attrs, seed, name=name)


@public("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
@told
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """As ``uniform_candidate_sampler``, with probabilities in proportion to given counts.

    >>> drawn = fg.random.fixed_unigram_candidate_sampler(
    ...     [[0]], 1, 3, False, 2, unigrams=[0.0, 5.0]
    ... )
    >>> drawn.sampled_candidates.numpy()
    array([1, 1, 1])

    Args:
      true_classes, num_true, num_sampled, unique, range_max: as for ``uniform_candidate_sampler``.
      vocab_file: a file with a line for each class, which ends with its count behind a comma.
      distortion: the power to which counts are raised.
      num_reserved_ids: as many classes stand before those of the counts, and are not drawn.
      num_shards, shard: of each ``num_shards`` classes the one of that number is there.
      unigrams: the counts, where no file is given.
      seed: a seed of the operation; see ``random.set_seed``.
      name: a name for the operation.

    Raises:
      ValueError: unless counts or a file are given, or where there are other than ``range_max``.
      NotFoundError: where the file cannot be read.
    """
    counts = _counts(vocab_file, unigrams)
    num_reserved_ids = whole(num_reserved_ids, "num_reserved_ids")
    distortion = real(distortion, "distortion")
    if not 0 <= shard < num_shards:
        raise ValueError(f"shard must be in [0, {num_shards}), got {shard}")
    weights = [0.0] * num_reserved_ids + [float(count) ** distortion for count in counts]
    weights = weights[shard::num_shards]
    if len(weights) != range_max:
        raise ValueError(f"range_max is {range_max}, there are {len(weights)} counts")
    attrs = {
        "num_sampled": num_sampled,
        "unique": unique,
        "range_max": range_max,
        "distribution": "weights",
    }
    return _drawn(true_classes, num_true, attrs, seed, weights, name)


def _counts(vocab_file: str, unigrams: Any) -> list[Any]:
    if not isinstance(vocab_file, (str, os.PathLike)):
        raise TypeError(f"vocab_file must be a name of a file, got {shown(vocab_file)}")
    if bool(vocab_file) == bool(len(unigrams)):
        raise ValueError("give the counts in one of vocab_file and unigrams")
    if not vocab_file:
        return list(unigrams)
    try:
        lines = pathlib.Path(vocab_file).read_text().splitlines()
    except OSError as e:
        reason = f"vocab_file {shown(vocab_file)} cannot be read: {e.strerror}"
        raise NotFoundError(None, None, reason) from e
    return [line.rpartition(",")[2] for line in lines if line]


@public("random.all_candidate_sampler", "nn.all_candidate_sampler")
@told
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Each class once, for comparison with losses over some of them.

    >>> fg.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])

    Args:
      true_classes: integers ``[batch, num_true]``.
      num_true: how many classes are true of each row, an int.
      num_sampled: how many classes there are, an int.
      unique: a bool, which changes nothing.
      seed: a seed of the operation, which draws nothing.
      name: a name for the operation.

    Returns:
      A named tuple ``(sampled_candidates, true_expected_count, sampled_expected_count)``, as for
        ``uniform_candidate_sampler``; both counts are 1.

    Raises:
      ValueError: for true classes of another shape.
      TypeError: where ``unique`` is no bool.
    """
    check_flags("all_candidate_sampler", unique=unique)
    classes = _true(true_classes, num_true)
    # It draws nothing, and takes a seed from the program's all the same.
    reserved("AllCandidateSampler", convert([num_sampled]), 0, seed)
    drawn = range(num_sampled, dtype=int64)
    drawn = drawn if name is None else emit("Identity", (drawn,), None, name)
    return Candidates(drawn, ones_like(classes, float32), ones([num_sampled]))


@public("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Hits:
    """Where classes that were drawn are true ones.

    >>> hits = fg.nn.compute_accidental_hits([[7], [5]], [5, 6, 7], 1)
    >>> hits.indices.numpy(), hits.ids.numpy()
    (array([0, 1], dtype=int32), array([2, 0]))

    Args:
      true_classes: integers ``[batch, num_true]``.
      sampled_candidates: the classes that were drawn.
      num_true: how many classes are true of each row.
      seed: accepted, and changes nothing.
      name: a name for the operation.

    Returns:
      ``indices``, the rows, ``ids``, the places in ``sampled_candidates``, and ``weights``, the
      lowest float each: what their logits are to be added to.
    """
    if seed is not None:
        whole(seed, "compute_accidental_hits: seed")
    hits = where(_matches(_true(true_classes, num_true), sampled_candidates))
    weights = fill(shape(hits)[:1], float32.min)
    rows = emit("Cast", (hits[:, 0],), {"DstT": int32}, name)
    return Hits(rows, hits[:, 2], weights)


def _matches(classes: Tensor, drawn: TensorLike) -> Tensor:
    drawn = cast(convert(drawn, dtype_hint=int64), int64)
    return equal(classes[:, :, None], drawn[None, None, :])


@public("nn.nce_loss")
@told
def nce_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """The loss of noise-contrastive estimation: true classes told from those drawn, row by row.

    >>> weights, biases = fg.zeros([5, 2]), fg.zeros([5])
    >>> drawn = fg.random.all_candidate_sampler([[1]], 1, 5, True)
    >>> fg.nn.nce_loss(
    ...     weights, biases, [[1]], [[1.0, 2.0]], 5, 5, sampled_values=drawn
    ... ).numpy().round(3)
    array([4.159], dtype=float32)

    Args:
      weights: the vectors of the classes, ``[num_classes, dim]``, or a list of their parts.
      biases: a number for each class.
      labels: the true classes, ``[batch, num_true]``.
      inputs: vectors ``[batch, dim]``.
      num_sampled: how many classes are drawn.
      num_classes: how many there are.
      num_true: how many are true of each row.
      sampled_values: what a sampler gave; by default ``random.log_uniform_candidate_sampler`` of
        different classes is asked.
      remove_accidental_hits: whether true classes that were drawn do not count as drawn.
      name: a name for the operation.

    Returns:
      A loss for each row.
    """
    logits, truth = _logits(
        (weights, biases),
        _true(labels, num_true),
        inputs,
        (num_sampled, num_classes, num_true),
        sampled_values,
        remove_accidental_hits,
        None,
    )
    losses = sigmoid_cross_entropy_with_logits(labels=truth, logits=logits)
    return refined(reduce_sum(losses, axis=1, name=name), _rows_of(labels, inputs))


@public("nn.sampled_softmax_loss")
@told
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """The cross entropy of a softmax over the true classes and those drawn, row by row.

    It is for training: less than ``nn.softmax_cross_entropy_with_logits`` over all classes.

    >>> weights, biases = fg.zeros([5, 2]), fg.zeros([5])
    >>> drawn = fg.random.all_candidate_sampler([[1]], 1, 5, True)
    >>> fg.nn.sampled_softmax_loss(
    ...     weights, biases, [[1]], [[1.0, 2.0]], 5, 5, sampled_values=drawn
    ... ).numpy().round(3)
    array([1.609], dtype=float32)

    Args:
      weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values: as for
        ``nn.nce_loss``.
      remove_accidental_hits: whether true classes that were drawn do not count as drawn.
      seed: a seed of the sampler; see ``random.set_seed``.
      name: a name for the operation.

    Returns:
      A loss for each row.
    """
    logits, truth = _logits(
        (weights, biases),
        _true(labels, num_true),
        inputs,
        (num_sampled, num_classes, num_true),
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    loss = softmax_cross_entropy_with_logits(stop_gradient(truth), logits, name=name)
    return refined(loss, _rows_of(labels, inputs))


def _rows_of(labels: Tensor, inputs: Tensor) -> int | None:
    """How many rows labels and inputs have, where that is known."""
    own = known_size(convert(labels), 0)
    return known_size(convert(inputs), 0) if own is None else own


def _logits(
    table: tuple[Any, Any],
    labels: Tensor,
    inputs: TensorLike,
    sizes: tuple[int, int, int],
    drawn: Any,
    remove: bool,
    seed: int | None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true classes and of those drawn, less the logarithms of how often they are
    expected, and how true they are.
    """
    num_sampled, num_classes, num_true = sizes
    if drawn is None:
        drawn = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed=seed
        )
    classes, *counts = (stop_gradient(convert(part)) for part in drawn)
    inputs = convert(inputs, dtype_hint=float32)
    own, own_biases = _rows(table, reshape(labels, [-1]), inputs)
    others, other_biases = _rows(table, classes, inputs)
    own = reshape(own, concat([[-1, num_true], shape(own)[1:]], 0))
    own_logits = reduce_sum(inputs[:, None, :] * own, -1) + reshape(own_biases, [-1, num_true])
    other_logits = matmul(inputs, others, transpose_b=True) + other_biases
    if remove:
        hit = cast(reduce_any(_matches(labels, classes), 1), inputs.dtype)
        other_logits = other_logits + hit * inputs.dtype.min
    own_log, other_log = (log(cast(count, inputs.dtype)) for count in counts)
    own_logits = subtract(own_logits, own_log)
    other_logits = subtract(other_logits, other_log)
    truth = [ones_like(own_logits) / float(num_true), zeros_like(other_logits)]
    return concat([own_logits, other_logits], 1), concat(truth, 1)


def _rows(table: tuple[Any, Any], classes: Tensor, inputs: Tensor) -> list[Tensor]:
    """The vectors and biases of classes, in the dtype of the inputs."""
    return [cast(embedding_lookup(part, classes), inputs.dtype) for part in table]
