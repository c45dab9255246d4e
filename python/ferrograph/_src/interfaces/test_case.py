"""``test.TestCase``: assertions on tensors for ``unittest``, and queries of the machine's
capabilities."""

from __future__ import annotations

import contextlib
import platform
import random
import re
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..native import _core
from ..ops import random_ops
from ..values import errors, nest
from ..values.composite import CompositeTensor
from ..values.public import public

__all__ = ["TestCase"]

_COARSE = {"float16": (1e-3, 1e-3), "bfloat16": (1e-2, 1e-2)}


_MOST_BYTES = 1 << 40


def _array(value: Any) -> Any:
    """A tensor, or what NumPy reads, as an array."""
    if isinstance(value, (_core.Tensor, _core.VariableBase)):
        held: Any = value
        return np.asarray(held.numpy())
    if isinstance(value, (list, tuple)) and any(map(_is_value, nest.flatten(value))):
        return np.asarray([_array(item) for item in value])
    array = np.asarray(value)
    # A view may claim more than any memory holds: a tensor refuses that, NumPy would go through it.
    if array.nbytes <= _MOST_BYTES:
        return array
    made: Any = _core.convert_to_tensor(array)
    return made.numpy()


def _is_value(value: Any) -> bool:
    return isinstance(value, (_core.Tensor, _core.VariableBase))


@public("test.TestCase")
class TestCase(unittest.TestCase):
    """A test case of ``unittest`` with assertions on tensors. Seeds are set before each test.

    >>> class Sums(fg.test.TestCase):
    ...     def test_sum(self):
    ...         self.assertAllClose(fg.constant([0.1]) + 0.2, [0.3])
    >>> Sums('test_sum').debug()
    """

    # Not a test case itself, for pytest.
    __test__ = False

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.__test__ = True

    def setUp(self) -> None:  # noqa: N802 - the name that unittest has
        """Set the seeds of Python, NumPy and ferrograph."""
        super().setUp()
        random.seed(87654321)
        np.random.seed(87654321)  # noqa: NPY002 - programs draw from it
        random_ops.set_seed(87654321)

    def get_temp_dir(self) -> str:
        """A folder of this test, which is there until the process ends."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory()
        return self._folder.name

    def evaluate(self, tensors: Any) -> Any:
        """Tensors as arrays, in their structure."""
        return nest.map_structure(lambda v: v.numpy() if _is_value(v) else v, tensors)

    # Equality and nearness.

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        """The elements of two values are equal, and so are their shapes."""
        if isinstance(a, CompositeTensor) or isinstance(b, CompositeTensor):
            self._parts_are(self.assertAllEqual, a, b, msg)
            return
        a, b = _array(a), _array(b)
        self.assertEqual(a.shape, b.shape, self._said("shapes differ", msg))
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            self.fail(self._said(f"elements differ: {a[~same]} and {b[~same]}", msg))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        """Two values are not equal."""
        self._refused(self.assertAllEqual, (a, b), msg or "the two values are equal")

    def assertAllClose(  # noqa: N802
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Two structures of values are near: ``|a - b| <= atol + rtol * |b|``."""
        if isinstance(a, CompositeTensor) or isinstance(b, CompositeTensor):
            self._parts_are(lambda x, y, m: self.assertAllClose(x, y, rtol, atol, m), a, b, msg)
        elif isinstance(a, dict) or isinstance(b, dict):
            self.assertEqual(set(a), set(b), self._said("keys differ", msg))
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"at {key!r}: {msg or ''}")
        elif isinstance(a, (list, tuple)) and not self._is_array(a, b):
            self.assertEqual(len(a), len(b), self._said("lengths differ", msg))
            for i, (one, other) in enumerate(zip(a, b, strict=True)):
                self.assertAllClose(one, other, rtol, atol, f"at {i}: {msg or ''}")
        else:
            self._near(_array(a), _array(b), rtol, atol, msg)

    @staticmethod
    def _is_array(a: Any, b: Any) -> bool:
        """Whether two structures have elements of one shape, so that they are arrays."""
        try:
            return _array(a).dtype != object and _array(b).dtype != object
        except ValueError:
            return False

    def _near(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None) -> None:
        for dtype in (a.dtype.name, b.dtype.name):
            coarse = _COARSE.get(dtype, (0.0, 0.0))
            rtol, atol = max(rtol, coarse[0]), max(atol, coarse[1])
        self.assertEqual(a.shape, b.shape, self._said("shapes differ", msg))
        one, other = (x.astype("float64") if x.dtype.name in _COARSE else x for x in (a, b))
        close = np.isclose(one, other, rtol=rtol, atol=atol, equal_nan=True)
        if not np.all(close):
            far = f"{a[~close]} and {b[~close]} are not within rtol={rtol}, atol={atol}"
            self.fail(self._said(far, msg))

    def assertNotAllClose(  # noqa: N802
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Two structures of values are not near."""
        self._refused(self.assertAllClose, (a, b, rtol, atol), msg or "the two values are near")

    def assertAllCloseAccordingToType(  # noqa: N802
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Two values are near, as near as the coarser of their dtypes allows."""
        bounds = {
            "float32": (float_rtol, float_atol),
            "complex64": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        for dtype in (_array(a).dtype.name, _array(b).dtype.name):
            relative, absolute = bounds.get(dtype, (rtol, atol))
            rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(  # noqa: N802
        self, f1: float, f2: float, err: float, msg: str | None = None
    ) -> None:
        """Two numbers differ by ``err`` at most."""
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertArrayNear(  # noqa: N802
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """The elements of two sequences differ by ``err`` at most."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(  # noqa: N802
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """The distance of two arrays, as vectors, is below ``err``."""
        a, b = _array(ndarray1), _array(ndarray2)
        self.assertEqual(a.shape, b.shape, msg)
        self.assertLess(np.linalg.norm(a - b), err, msg)

    # Elements.

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """All elements are greater."""
        self.assertGreater(np.min(_array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """No element is less."""
        self.assertGreaterEqual(np.min(_array(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """All elements are less."""
        self.assertLess(np.max(_array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """No element is greater."""
        self.assertLessEqual(np.max(_array(a)), comparison_target)

    def assertAllInRange(  # noqa: N802
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All elements are within bounds, which count as inside unless they are open."""
        array = _array(target)
        if array.dtype.kind not in "iufb":
            raise AssertionError(f"the value is no array of real numbers, but of {array.dtype}")
        above = array <= lower_bound if open_lower_bound else array < lower_bound
        below = array >= upper_bound if open_upper_bound else array > upper_bound
        outside = array[~np.logical_not(np.logical_or(above, below)) | np.isnan(array)]
        self.assertEqual(outside.size, 0, f"out of [{lower_bound}, {upper_bound}]: {outside}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:  # noqa: N802
        """Each element is one of those expected."""
        others = set(_array(target).ravel().tolist()) - set(expected_set)
        self.assertFalse(others, f"not in the set: {others}")

    # Shapes, dtypes, devices, structures.

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:  # noqa: N802
        """Two values have one shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:  # noqa: N802
        """A value has a dtype."""
        expected = getattr(expected_dtype, "as_numpy_dtype", expected_dtype)
        self.assertEqual(_array(target).dtype, np.dtype(expected))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:  # noqa: N802
        """Two names are of one device."""
        self.assertEqual(_device(device1), _device(device2), msg)

    def assertSameStructure(  # noqa: N802
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None
    ) -> None:
        """Two structures are nested alike."""
        try:
            nest.require_same_structure(a, b)
        except (TypeError, ValueError) as e:
            self.fail(self._said(f"{aname} and {bname} differ: {e}", msg))

    # Exceptions.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # noqa: N802
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """A block raises an exception whose text a pattern finds, or which a predicate accepts."""
        try:
            yield
        except exception_type as e:
            expected = expected_err_re_or_predicate
            found = expected(e) if callable(expected) else re.search(expected, str(e))
            if not found:
                raise AssertionError(f"another exception was raised: {e}") from e
            return
        self.fail(f"{exception_type} was not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:  # noqa: N802
        """A block raises an error of an operation."""
        expected = expected_err_re_or_predicate
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected)

    def assertRaisesIncompatibleShapesError(  # noqa: N802
        self, exception_type: Any = errors.InvalidArgumentError
    ) -> Any:
        """A block raises an error about shapes that do not go together."""
        pattern = (
            r"(?i)incompatible shapes|dimensions must be equal|do not broadcast|not compatible"
        )
        return self.assertRaisesWithPredicateMatch(exception_type, pattern)

    # Containers and texts.

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:  # noqa: N802
        """A container holds nothing."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:  # noqa: N802
        """A container holds something."""
        self.assertGreater(len(container), 0, msg)

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:  # noqa: N802
        """A container holds so much."""
        self.assertEqual(len(container), expected_len, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:  # noqa: N802
        """A value is from ``minv`` to ``maxv``."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value} is not in [{minv}, {maxv}]")

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:  # noqa: N802
        """A text begins so."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} begins otherwise")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:  # noqa: N802
        """A text ends so."""
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} ends otherwise")

    def assertSameElements(  # noqa: N802
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Two sequences have the same elements, in any order and number."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:  # noqa: N802
        """Two sequences have the same elements as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def _parts_are(self, check: Callable[..., Any], a: Any, b: Any, msg: str | None) -> None:
        self.assertIs(type(a), type(b), msg)
        parts = [nest.flatten(value, expand_composites=True) for value in (a, b)]
        for one, other in zip(*parts, strict=True):
            check(one, other, msg)

    def _refused(self, check: Callable[..., Any], args: tuple[Any, ...], msg: str) -> None:
        try:
            check(*args)
        except AssertionError:
            return
        self.fail(msg)

    @staticmethod
    def _said(what: str, msg: str | None) -> str:
        return f"{what}: {msg}" if msg else what


def _device(name: Any) -> str:
    text = "" if name is None else str(name).upper()
    return re.sub(r"^(/JOB:\w+|/REPLICA:\d+|/TASK:\d+|/?DEVICE:|/)+", "", text)


@public("test.main")
def main(argv: Any = None) -> None:
    """Run the test cases of the main module, as ``unittest.main`` does.

    >>> callable(fg.test.main)
    True

    Args:
      argv: a list of strings, the arguments of the command line; those of the program by default.
    """
    unittest.main(argv=sys.argv if argv is None else argv)


@public("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """Decorate a test that is skipped where ``pred()`` holds.

    >>> class Some(fg.test.TestCase):
    ...     @fg.test.disable_with_predicate(lambda: True, 'not today')
    ...     def test_more(self):
    ...         self.fail('it ran')
    >>> Some('test_more').run().skipped[0][1]
    'not today'

    Args:
      pred: a function without arguments that gives a bool.
      skip_message: a string, why it is skipped.

    Returns:
      A decorator of a method of a test case.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return checked

    return decorate


@public("test.is_built_with_cuda", "test.is_built_with_rocm", "test.is_built_with_gpu_support")
def is_built_with_cuda() -> bool:
    """False: ferrograph runs on the CPU.

    >>> fg.test.is_built_with_cuda(), fg.test.is_built_with_rocm()
    (False, False)
    """
    return False


@public("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """False: graphs are compiled by ferrograph's own passes.

    >>> fg.test.is_built_with_xla()
    False
    """
    return False


@public("test.is_gpu_available")
def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether a GPU can be used: no.

    >>> fg.test.is_gpu_available()
    False

    Args:
      cuda_only, min_cuda_compute_capability: of no effect.

    Returns:
      False.
    """
    return False


@public("test.gpu_device_name")
def gpu_device_name() -> str:
    """The name of a GPU; empty, as none can be used.

    >>> fg.test.gpu_device_name()
    ''
    """
    return ""


@public("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Whether this machine runs code for a kind of processor.

    >>> fg.test.is_cpu_target_available('vax')
    False

    Args:
      target: its name, a string such as ``"x86"``, ``"aarch64"`` or ``"arm"``.

    Returns:
      A bool.
    """
    kinds = {"x86_64": "x86", "amd64": "x86", "i686": "x86", "arm64": "aarch64"}
    machine = platform.machine().lower()
    return kinds.get(machine, machine) == target
