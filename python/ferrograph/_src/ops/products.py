"""Matrix products and contractions."""

from __future__ import annotations

import functools
from builtins import range as range_

from ..hints import Any
from ..values.composite import CompositeInput
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    convert_pair,
    emit,
    is_tensor,
    rank_of,
    refusal,
    static_value,
)
from ._dispatch import ask, asks
from ._numbers import check_flags, flag, refused, whole
from ._ranks import of_rank, places_of
from .arithmetic import maximum, multiply, not_equal
from .arrays import (
    broadcast_dynamic_shape,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    reshape,
    shape,
    size,
    squeeze,
    stack,
    transpose,
)
from .creation import ones, range
from .numeric import cast, conj
from .reductions import reduce_all, reduce_prod, reduce_sum
from .selection import boolean_mask, gather

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@public("linalg.matmul", "matmul")
@asks
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product of the last two axes; earlier axes are a batch, whose shapes broadcast.

    >>> fg.matmul([[1, 2], [3, 4]], [[5], [6]]).numpy().tolist()
    [[17], [39]]

    Args:
      a: a tensor of rank 2 or more.
      b: likewise, of the same dtype.
      transpose_a: whether to transpose ``a`` first.
      transpose_b: likewise for ``b``.
      adjoint_a: whether to conjugate and transpose ``a`` first.
      adjoint_b: likewise for ``b``.
      a_is_sparse: a hint, not used.
      b_is_sparse: likewise.
      output_type: the dtype of the result; that of the operands unless told.
      grad_a: for programs that set it; not used.
      grad_b: likewise.
      name: a name for the operation.

    Raises:
      ValueError: where a matrix is to be both transposed and conjugated, and while tracing where
        the shapes
        do not fit.
      InvalidArgumentError: where the shapes do not fit, when run.
    """
    turned = transpose_a is not False or transpose_b is not False
    if turned or adjoint_a is not False or adjoint_b is not False:
        given = transpose_a, transpose_b, adjoint_a, adjoint_b
        names = ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")
        transpose_a, transpose_b, adjoint_a, adjoint_b = (
            flag(value, f"matmul: {what}") for value, what in zip(given, names, strict=True)
        )
    elif output_type is None and name is None and isinstance(a, Tensor) and isinstance(b, Tensor):
        return a @ b
    if transpose_a and adjoint_a or transpose_b and adjoint_b:
        raise ValueError("a matrix may be transposed or conjugated by its adjoint, not both")
    try:
        a, b = convert_pair(a, b)
    except CompositeInput as e:
        flags = (transpose_a, transpose_b, adjoint_a, adjoint_b, False, False)
        return ask(matmul, (a, b, *flags, output_type), {}, e)
    if output_type is not None and as_dtype(output_type) != a.dtype:
        a, b = cast(a, output_type), cast(b, output_type)
    if a.ndim == 2 and b.ndim == 2:
        a, b = conj(a) if adjoint_a else a, conj(b) if adjoint_b else b
        turn_a, turn_b = transpose_a or adjoint_a, transpose_b or adjoint_b
        attrs = {"transpose_a": turn_a, "transpose_b": turn_b} if turn_a or turn_b else None
        return emit("MatMul", (a, b), attrs, name)
    # The batched operation takes adjoints: a plain transpose is one of the conjugate.
    a, b = conj(a) if transpose_a else a, conj(b) if transpose_b else b
    attrs = {"adj_x": transpose_a or adjoint_a, "adj_y": transpose_b or adjoint_b}
    return emit("BatchMatMulV2", (a, b), attrs, name)


@public("linalg.matvec")
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrices times vectors; see ``matmul``.

    >>> fg.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)

    Args:
      a: matrices of numbers, or what converts to them; ``[..., m, n]``.
      b: vectors of the same dtype, ``[..., n]``; leading axes broadcast.
      transpose_a: whether to transpose the matrices, which makes them ``[..., n, m]``, a bool;
        False by default.
      adjoint_a: whether to transpose them and take complex conjugates, a bool; False by default.
      a_is_sparse, b_is_sparse: not used.
      name: a name for the operation.

    Returns:
      A tensor ``[..., m]`` of that dtype.

    Raises:
      ValueError: where both ``transpose_a`` and ``adjoint_a`` are set, and for shapes that do not
        fit while tracing.
      InvalidArgumentError: for shapes that do not fit when run, and for bools and strings.
      TypeError: where ``transpose_a`` is no bool.
    """
    if transpose_a is not False:
        check_flags("matvec", transpose_a=transpose_a)
    a, b = convert_pair(a, b)
    if (a.ndim is not None and a.ndim < 2) or b.ndim == 0:
        raise refusal(
            "matvec takes matrices and vectors: at least 2 and 1 dimensions, got shapes "
            f"{a.shape} and {b.shape}"
        )
    column = matmul(a, expand_dims(b, -1), transpose_a, adjoint_a=adjoint_a)
    return squeeze(column, -1, name)


@public("linalg.tensordot", "tensordot")
def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over axes of ``a`` paired with axes of ``b``, what is left coming in
    order.

    >>> fg.tensordot([[1, 2], [3, 4]], [[5, 6], [7, 8]], axes=1).numpy().tolist()
    [[19, 22], [43, 50]]

    Args:
      a: a tensor.
      b: likewise, of the same dtype.
      axes: a number n for the last n axes of ``a`` and the first n of ``b``, or two lists of axes.
      name: a name for the operation.

    Raises:
      ValueError: where the axes do not match.
    """
    a, b = convert_pair(a, b)
    if a.ndim is None or b.ndim is None:
        return _tensordot_of_any_rank(a, b, axes, name)
    of_a, of_b = _paired_axes(axes, a.ndim, b.ndim)
    labels_a = list(range_(a.ndim))
    labels_b = [-1 - i for i in range_(b.ndim)]
    for i, j in zip(of_a, of_b, strict=True):
        labels_b[j] = labels_a[i]
    out = [label for i, label in enumerate(labels_a) if i not in of_a]
    out += [label for j, label in enumerate(labels_b) if j not in of_b]
    return emit("Identity", (_contract(a, labels_a, b, labels_b, out),), None, name)


def _tensordot_of_any_rank(a: Any, b: Any, axes: Any, name: Any) -> Tensor:
    """``tensordot`` as a product of two matrices, whose axes are found when the graph runs."""
    given = _given_axes(axes)
    of_a, of_b = given if isinstance(given, tuple) else ([*range_(-given, 0)], [*range_(given)])
    left, free_a = _as_matrix(a, of_a, axes_last=True)
    right, free_b = _as_matrix(b, of_b, axes_last=False)
    product = matmul if of_a else multiply  # of nothing contracted: a column times a row
    return reshape(product(left, right), concat([free_a, free_b], 0), name)


def _as_matrix(x: Any, axes: list[int], axes_last: bool) -> tuple[Any, Any]:
    """A tensor as a matrix of its free axes by those contracted, or the other way round; and the
    sizes of the free ones.
    """
    places = range(rank_of(x))
    bound = places_of(axes, rank_of(x))
    is_free = reduce_all(not_equal(expand_dims(places, 1), expand_dims(bound, 0)), 1)
    free = boolean_mask(places, is_free)
    sizes = gather(shape(x), free)
    turned = transpose(x, concat([free, bound] if axes_last else [bound, free], 0))
    count = reduce_prod(sizes)
    return reshape(turned, [count, -1] if axes_last else [-1, count]), sizes


def _paired_axes(axes: Any, rank_a: Any, rank_b: Any) -> Any:
    given = _given_axes(axes)
    if not isinstance(given, tuple):
        if given > min(rank_a, rank_b):
            ranks = f"{rank_a} and {rank_b}"
            raise ValueError(f"cannot contract {given} axes of tensors of rank {ranks}")
        return list(range_(rank_a - given, rank_a)), list(range_(given))
    of_a, of_b = given
    return [_inside(i, rank_a) for i in of_a], [_inside(i, rank_b) for i in of_b]


def _given_axes(axes: Any) -> int | tuple[list[int], list[int]]:
    """The axes of a contraction: how many of them, or those of either tensor."""
    what = "tensordot: axes"
    if is_tensor(axes) or hasattr(axes, "tolist"):
        known = static_value(axes)
        if known is None:
            raise ValueError("the axes of tensordot must be known while tracing")
        axes = known.tolist()
    if not isinstance(axes, (list, tuple)):
        count = whole(axes, what, ValueError)
        if count < 0:
            raise ValueError(f"{what} must not be negative, got {count}")
        return count
    if len(axes) != 2:
        raise ValueError(f"axes must be a number or two lists of axes, got {shown(axes)}")
    sides = [side if isinstance(side, (list, tuple)) else [side] for side in axes]
    of_a, of_b = ([whole(axis, what, ValueError) for axis in side] for side in sides)
    if len(of_a) != len(of_b):
        raise ValueError(f"axes {of_a} and {of_b} differ in number")
    return of_a, of_b


def _inside(axis: Any, rank: Any) -> Any:
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is outside of a tensor of rank {rank}")
    return axis % rank


@public("linalg.einsum", "einsum")
def einsum(equation: Any, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products after Einstein: letters name axes, and what the result does not name is
    summed over.

    >>> a, b = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    >>> fg.einsum("ij,jk->ik", a, b).numpy().tolist()
    [[19, 22], [43, 50]]
    >>> fg.einsum("ii->", a).numpy()
    np.int32(5)

    Args:
      equation: labels of the operands, separated by commas, and those of the result after ``->``.
        Without the latter, the result has the labels that occur once, in alphabetical order.
        ``...`` is for axes that broadcast.
      *inputs: one tensor for each group of labels.
      **kwargs: ``name``, and ``optimize``, which changes nothing.

    Raises:
      ValueError: where equation and operands do not fit.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"einsum has no argument {shown(next(iter(kwargs)))}")
    if not isinstance(equation, str):
        raise TypeError(refused("einsum: equation", equation, "be a string"))
    operands = [convert(x) for x in inputs]
    if "..." in equation and any(x.ndim is None for x in operands):
        return _einsum_of_any_rank(equation, operands, name)
    listed = equation.replace(" ", "").partition("->")[0].split(",")
    if len(listed) == len(operands):
        operands = [of_rank(x, len(labels)) for x, labels in zip(operands, listed, strict=True)]
    groups, out = _parse(equation, tuple(x.ndim for x in operands))
    sizes = _sizes_of_letters(equation, operands, groups)
    operands = [_of_sizes(x, labels, sizes) for x, labels in zip(operands, groups, strict=True)]
    terms = [_without_repeats(x, labels) for x, labels in zip(operands, groups, strict=True)]
    terms = _of_one_size(terms)
    while len(terms) > 1:
        (a, labels_a), (b, labels_b), *rest = terms
        wanted = set(out).union(*(labels for _, labels in rest))
        kept = [label for label in dict.fromkeys(labels_a + labels_b) if label in wanted]
        result = kept if rest else out
        terms = [(_contract(a, labels_a, b, labels_b, result), result), *rest]
    tensor, labels = terms[0]
    tensor, labels = _summed(tensor, labels, out)
    if labels != out:
        tensor = transpose(tensor, [labels.index(label) for label in out])
    return emit("Identity", (tensor,), None, name)


def _einsum_of_any_rank(equation: str, operands: Any, name: Any) -> Tensor:
    """``einsum`` with ellipses for a number of axes that only a run knows: they become one axis."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    groups = left.split(",")
    if len(groups) != len(operands):
        raise ValueError(f"{shown(equation)} names {len(groups)} operands, got {len(operands)}")
    if arrow and "..." not in right:
        raise ValueError(
            f"{shown(equation)} without '...' in the result needs operands of known rank"
        )
    used = set(left) | set(right)
    free = next(c for c in _LETTERS if c not in used)
    if not arrow:
        once = sorted(c for c in used if c.isalpha() and left.count(c) == 1)
        right = "..." + "".join(once)
    hidden, cut = [], []
    for group, x in zip(groups, operands, strict=True):
        before, dots, after = group.partition("...")
        sizes = shape(x)
        end = rank_of(x) - len(after)
        cut.append((len(before), len(after), end, sizes) if dots else None)
        if dots:
            hidden.append(sizes[len(before) : end])
    common = hidden[0]
    for sizes in hidden[1:]:
        common = broadcast_dynamic_shape(common, sizes)
    pairs = zip(operands, cut, strict=True)
    parts = [x if c is None else _flattened(x, *c, common) for x, c in pairs]
    parts = [of_rank(x, len(g.replace("...", free))) for x, g in zip(parts, groups, strict=True)]
    made = einsum(f"{left}->{right}".replace("...", free), *parts)
    at = right.partition("...")[0]
    sizes, n = shape(made), len(at)
    return reshape(made, concat([sizes[:n], common, sizes[n + 1 :]], 0), name)


def _flattened(x: Any, first: int, last: int, end: Any, sizes: Any, common: Any) -> Any:
    """A tensor whose axes from ``first`` up to ``end`` become one, broadcast to common sizes."""
    ones_before = ones([maximum(size(common) - (end - first), 0)], "int32")
    shaped = reshape(x, concat([sizes[:first], ones_before, sizes[first:]], 0))
    wide = broadcast_to(shaped, concat([sizes[:first], common, sizes[end:]], 0))
    before = [sizes[i] for i in range_(first)]
    behind = [sizes[end + i] for i in range_(last)]
    return reshape(wide, stack([*before, reduce_prod(common), *behind]))


@functools.lru_cache(maxsize=512)
def _parse(equation: str, ranks: tuple[Any, ...]) -> Any:
    """The labels of each operand, by its rank, and of the result; the axes of an ellipsis get
    numbers.
    """
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    groups = left.split(",")
    if len(groups) != len(ranks):
        raise ValueError(f"{shown(equation)} names {len(groups)} operands, got {len(ranks)}")
    labelled = [_labels(g, rank, equation) for g, rank in zip(groups, ranks, strict=True)]
    hidden = max((-label for g in labelled for label in g if isinstance(label, int)), default=0)
    ellipsis = list(range_(-hidden, 0))
    if arrow:
        before, dots, after = right.partition("...")
        if ellipsis and not dots:
            raise ValueError(
                f"the result of {shown(equation)} has no '...' for the {hidden} axes of that of "
                "the operands"
            )
        out = [*before, *(ellipsis if dots else []), *after]
    else:
        once = sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1)
        out = [*ellipsis, *once]
    known = {label for group in labelled for label in group}
    for label in out:
        if label not in known or out.count(label) > 1:
            raise ValueError(f"label {label!r} of the result of {equation!r} has no one meaning")
    return labelled, out


def _labels(group: Any, rank: Any, equation: Any) -> Any:
    before, dots, after = group.partition("...")
    if not all(c.isalpha() for c in before + after):
        raise ValueError(f"{shown(equation)} is not an equation of letters, commas, '...' and '->'")
    if rank is None:
        if dots:
            raise ValueError("an ellipsis needs operands of known rank")
        return list(group)
    hidden = rank - len(before) - len(after)
    if hidden < 0 or hidden and not dots:
        raise refusal(f"{shown(group)} in {shown(equation)} does not fit a tensor of rank {rank}")
    return [*before, *range_(-hidden, 0), *after]


def _sizes_of_letters(equation: Any, operands: Any, groups: Any) -> dict[Any, Any]:
    """The size of each letter, where it is known. Refuses those that differ."""
    sizes: dict[Any, int] = {}
    for x, labels in zip(operands, groups, strict=True):
        for label, n in zip(labels, x.shape.dims and x.shape.as_list() or (), strict=False):
            if isinstance(label, str) and n is not None and sizes.setdefault(label, n) != n:
                raise refusal(
                    f"label {label!r} of {equation!r} has the sizes {sizes[label]} and {n}"
                )
    return sizes


def _of_sizes(x: Any, labels: Any, sizes: dict[Any, Any]) -> Any:
    """An operand whose letters have these sizes, which is checked when the graph runs."""
    if x.ndim is None or x.shape.is_fully_defined():
        return x
    known = x.shape.as_list()
    told = [sizes.get(label) if n is None else n for label, n in zip(labels, known, strict=True)]
    return x if told == known else ensure_shape(x, told)


def _of_one_size(terms: Any) -> Any:
    """The terms, each letter of the same size in all: those of unknown size are seen as the first
    one, which fails where they are not.
    """
    first: dict[Any, Any] = {}
    found = []
    for x, labels in terms:
        static = x.shape.as_list() if x.ndim is not None else []
        unsure = {}
        for i, (label, n) in enumerate(zip(labels, static, strict=False)):
            other, at = first.setdefault(label, (x, i))
            is_sure = n is not None and other.shape[at] is not None
            if isinstance(label, str) and other is not x and not is_sure:
                unsure[i] = other, at
        found.append((_seen_as(x, unsure) if unsure else x, labels))
    return found


def _seen_as(x: Any, sizes: Any) -> Any:
    """A tensor reshaped to sizes that its axes should have, those of other tensors: one after the
    other, each of which fails alone where that axis has another size.
    """
    for i, (other, at) in sizes.items():
        wanted = _sizes(x)
        wanted[i] = _sizes(other)[at]
        x = reshape(x, wanted)
    return x


def _without_repeats(x: Any, labels: Any) -> Any:
    """An operand in which each label occurs once: of those that occur twice, the diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            others = [i for i in range_(len(labels)) if i not in (first, second)]
            x = transpose(x, [*others, first, second])
            sizes = shape(x)
            # Only of a square one are there so many elements.
            flat = reshape(x, concat([sizes[:-2], sizes[-1:] * sizes[-1:]], 0))
            x = flat[..., :: sizes[-1] + 1]
            labels = [labels[i] for i in others] + [label]
    return x, labels


def _summed(x: Any, labels: Any, wanted: Any) -> Any:
    """The sum over all axes whose label is not wanted."""
    axes = [i for i, label in enumerate(labels) if label not in wanted]
    if not axes:
        return x, labels
    return reduce_sum(x, axes), [label for label in labels if label in wanted]


def _contract(a: Any, labels_a: Any, b: Any, labels_b: Any, out: Any) -> Any:
    """The product of two tensors whose axes are labelled, summed over the labels that are not
    wanted.
    """
    a, labels_a = _summed(a, labels_a, {*out, *labels_b})
    b, labels_b = _summed(b, labels_b, {*out, *labels_a})
    batch = [label for label in out if label in labels_a and label in labels_b]
    summed = [label for label in labels_a if label in labels_b and label not in out]
    free_a = [label for label in labels_a if label not in labels_b]
    free_b = [label for label in labels_b if label not in labels_a]
    if not summed:
        return _outer(a, labels_a, b, labels_b, out)
    turned_a = _lies(labels_a, batch, summed, free_a) and not _lies(labels_a, batch, free_a, summed)
    turned_b = _lies(labels_b, batch, free_b, summed) and not _lies(labels_b, batch, summed, free_b)
    sides_a = (summed, free_a) if turned_a else (free_a, summed)
    sides_b = (free_b, summed) if turned_b else (summed, free_b)
    left, sizes_a = _grouped(a, labels_a, batch, *sides_a)
    right, sizes_b = _grouped(b, labels_b, batch, *sides_b)
    product = matmul(left, right, turned_a, turned_b)
    if len(free_a) != 1 or len(free_b) != 1:
        head = _sizes(product)[: len(batch)]
        tail = [sizes_a[label] for label in free_a] + [sizes_b[label] for label in free_b]
        product = reshape(product, [*head, *tail])
    order = [*batch, *free_a, *free_b]
    if order == out:
        return product
    return transpose(product, [order.index(label) for label in out])


def _lies(labels: Any, *parts: Any) -> bool:
    """Whether axes lie in this order."""
    return labels == [label for part in parts for label in part]


def _outer(a: Any, labels_a: Any, b: Any, labels_b: Any, out: Any) -> Any:
    """The product without a sum: both tensors with the axes of the result, those missing of size
    1.
    """
    return multiply(_aligned(a, labels_a, out), _aligned(b, labels_b, out))


def _aligned(x: Any, labels: Any, out: Any) -> Any:
    present = [label for label in out if label in labels]
    order = [labels.index(label) for label in present]
    if order != list(range_(len(order))):
        x = transpose(x, order)
    for i, label in enumerate(out):
        if label not in labels:
            x = expand_dims(x, i)
    return x


def _grouped(x: Any, labels: Any, batch: Any, rows: Any, columns: Any) -> Any:
    """``x`` as matrices: batch axes first, then those of rows and of columns merged. And its
    sizes.
    """
    order = [labels.index(label) for label in [*batch, *rows, *columns]]
    if order != list(range_(len(order))):
        x = transpose(x, order)
    sizes = dict(zip([*batch, *rows, *columns], _sizes(x), strict=True))
    if len(rows) != 1 or len(columns) != 1:
        merged = [_product(sizes, rows), _product(sizes, columns)]
        x = reshape(x, [*(sizes[label] for label in batch), *merged])
    return x, sizes


def _sizes(x: Any) -> Any:
    """The size of each axis: a number where known, else a scalar tensor."""
    static = x.shape.as_list()
    if None not in static:
        return static
    dynamic = shape(x)
    return [dynamic[i] if n is None else n for i, n in enumerate(static)]


def _product(sizes: Any, labels: Any) -> Any:
    total = 1
    for label in labels:
        total = sizes[label] * total
    return total
