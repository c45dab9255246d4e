"""Public functions on classes of the program's own, by the functions that it registers."""

import inspect
import types
from typing import List, Union  # noqa: UP035 - both spellings of annotations are read

import ferrograph as fg
import pytest

X = fg.experimental


class Masked(X.ExtensionType):
    values: fg.Tensor
    mask: fg.Tensor


@pytest.fixture
def registered():
    """Registers functions, for the time of one test."""
    targets = []

    def register(decorator, target):
        targets.append(target)
        return decorator(target)

    yield register
    for target in targets:
        X.unregister_dispatch_for(target)


def masked():
    return Masked([1, -2, 3], [True, True, False])


def total(input_tensor: Masked, axis=None, keepdims=False, name=None):
    return fg.reduce_sum(fg.where(input_tensor.mask, input_tensor.values, 0), axis)


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_one_function(registered, wrap):
    registered(X.dispatch_for_api(fg.reduce_sum), total)
    assert int(wrap(lambda m: fg.reduce_sum(m))(masked())) == -1
    assert int(wrap(lambda m: fg.reduce_sum(m.values))(masked())) == 2


def test_signatures_by_name_and_in_lists(registered):
    def joined(values, axis, name=None):
        return Masked(
            fg.concat([m.values for m in values], axis), fg.concat([m.mask for m in values], axis)
        )

    registered(X.dispatch_for_api(fg.concat, {"values": List[Masked]}), joined)  # noqa: UP006
    assert fg.concat([masked(), masked()], 0).values.shape == [6]
    with pytest.raises(TypeError):
        fg.concat([masked(), fg.constant([1])], 0)


def test_unions_and_several_signatures(registered):
    def added(x, y, name=None):
        parts = [(m.values, m.mask) if isinstance(m, Masked) else (m, True) for m in (x, y)]
        (a, one), (b, other) = parts
        return Masked(a + b, fg.logical_and(one, other))

    either = Union[Masked, fg.Tensor]  # noqa: UP007
    registered(X.dispatch_for_api(fg.add, {"x": Masked, "y": either}, {1: Masked}), added)
    assert fg.add(masked(), fg.constant([1, 1, 1])).values.numpy().tolist() == [2, -1, 4]
    assert fg.add(fg.constant([1, 1, 1]), masked()).values.numpy().tolist() == [2, -1, 4]
    with pytest.raises(TypeError):
        fg.add(masked(), 3)


def test_all_functions_of_elements(registered):
    seen = []

    def unary(api, x):
        seen.append(api.__name__)
        return Masked(api(x.values), x.mask)

    def binary(api, x, y):
        return Masked(api(x.values, y.values), fg.logical_and(x.mask, y.mask))

    registered(X.dispatch_for_unary_elementwise_apis(Masked), unary)
    registered(X.dispatch_for_binary_elementwise_apis(Masked, Masked), binary)
    assert fg.abs(masked()).values.numpy().tolist() == [1, 2, 3]
    assert fg.math.square(x=masked()).values.numpy().tolist() == [1, 4, 9]
    assert fg.cast(masked(), fg.float32).values.dtype == fg.float32
    assert seen == ["abs", "square", "cast"]
    assert fg.maximum(masked(), masked()).values.numpy().tolist() == [1, -2, 3]
    with pytest.raises(TypeError):
        fg.maximum(masked(), 1)


def test_assertions(registered):
    def check(api, x, y):
        return api(fg.where(x.mask, x.values, 0), fg.where(y.mask, y.values, 0))

    registered(X.dispatch_for_binary_elementwise_assert_apis(Masked, Masked), check)
    fg.debugging.assert_equal(masked(), masked())
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.debugging.assert_less(masked(), masked())


def test_what_is_unregistered_is_called_no_more():
    X.dispatch_for_api(fg.reduce_sum)(total)
    X.unregister_dispatch_for(total)
    with pytest.raises(TypeError):
        fg.reduce_sum(masked())
    with pytest.raises(ValueError, match="not registered"):
        X.unregister_dispatch_for(total)


def test_refusals():
    with pytest.raises(ValueError, match="unknown parameters"):
        X.dispatch_for_api(fg.reduce_sum, {"rows": Masked})(total)
    with pytest.raises(ValueError, match="does not ask"):
        X.dispatch_for_api(fg.executing_eagerly)
    with pytest.raises(ValueError, match="no annotated parameter"):
        X.dispatch_for_api(fg.reduce_sum)(lambda input_tensor, axis=None: 0)


class Boxed(X.ExtensionType):
    values: fg.Tensor


# Functions of lists of tensors, whose first argument is no single value.
OF_LISTS = {
    "add_n",
    "concat",
    "meshgrid",
    "shape_n",
    "stack",
    "join",
    "identity_n",
    "group",
    "tuple",
}
SPACES = (
    "",
    "math",
    "nn",
    "linalg",
    "strings",
    "image",
    "signal",
    "bitwise",
    "random",
    "audio",
    "io",
)
SPACES += ("quantization", "debugging")


def operations():
    """Every public function of the operations that takes something, once."""
    found = {}
    for space in SPACES:
        module = getattr(fg, space) if space else fg
        for name in dir(module):
            value = None if name.startswith("_") else getattr(module, name)
            if not isinstance(value, types.FunctionType) or name in OF_LISTS:
                continue
            if "/_src/ops/" in inspect.unwrap(value).__code__.co_filename:
                found.setdefault(value, f"{space}.{name}")
    return {f: name for f, name in found.items() if _first(f)}


def _first(function):
    """The parameters that must be given, the first first."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD,)
    listed = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    needed = [p.name for p in listed if p.default is p.empty]
    return needed or [p.name for p in listed][:1]


def test_every_operation_asks_its_handlers():
    """By place and by name: before it begins, or where it meets a value that it cannot take."""
    unasked, count = [], 0
    for function, name in operations().items():
        names = _first(function)

        def target(*args, **kwargs):
            return "asked"

        X.dispatch_for_api(function, {names[0]: Boxed})(target)
        arguments = [Boxed([1.0]), *[1] * (len(names) - 1)]
        for call in (
            lambda f=function, a=arguments: f(*a),
            lambda f=function, n=names, a=arguments: f(**dict(zip(n, a, strict=True))),
        ):
            try:
                found = call()
            except (TypeError, ValueError) as e:
                found = f"{type(e).__name__}: {e}"
            if found != "asked":
                unasked.append(f"{name}: {found}")
        X.unregister_dispatch_for(target)
        count += 1
    # These look into the other argument first, which a number in its place does not pass.
    known = (".sigmoid_cross_entropy_with_logits", ".to_hash_bucket_strong")
    wrong = [line for line in unasked if not line.partition(":")[0].endswith(known)]
    assert not wrong, "\n".join(wrong[:20])
    assert count > 450


def test_functions_serve_tensors_as_before_with_handlers():
    def target(x, name=None):
        return "asked"

    before, code = inspect.signature(fg.linalg.trace), fg.linalg.trace.__code__
    X.dispatch_for_api(fg.linalg.trace, {"x": Boxed})(target)
    assert fg.linalg.trace(Boxed([1.0])) == "asked"
    assert int(fg.linalg.trace([[1, 2], [3, 4]])) == int(fg.linalg.trace(x=[[1, 2], [3, 4]])) == 5
    assert inspect.signature(fg.linalg.trace) == before
    assert int(fg.function(fg.linalg.trace)(fg.eye(3))) == 3
    X.unregister_dispatch_for(target)
    assert fg.linalg.trace.__code__ is code and int(fg.linalg.trace(fg.eye(3))) == 3
