"""Mistakes raise the documented exception, which names the operation and the user's line.

What could conceivably bring the process down runs in one of its own, with a limit on its time.
"""

import inspect
import re
import threading
from pathlib import Path

import ferrograph as fg
import numpy as np
import processor_time
import pytest

Invalid = fg.errors.InvalidArgumentError


def line_of(function, marker="# here"):
    """The line of the test's source that carries the marker."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith(marker))


def names_the_line(error, line):
    """The message says this file and line, as `file:line` or as a traceback does."""
    found = re.findall(r'test_bad_input\.py(?::|", line )(\d+)', str(error))
    assert str(line) in found, f"line {line} is not in: {error}"


EAGER = {
    "mixed dtypes": (lambda: fg.constant(1) + fg.constant(1.0), Invalid, "AddV2"),
    "dtype not known to the operation": (lambda: fg.exp(fg.constant(1)), Invalid, "Exp"),
    "shapes that do not broadcast": (lambda: fg.zeros([2]) * fg.zeros([3]), Invalid, "Mul"),
    "inner sizes": (lambda: fg.matmul(fg.zeros([2, 3]), fg.zeros([2, 3])), Invalid, "MatMul"),
    "rank": (lambda: fg.matmul(fg.zeros([3]), fg.zeros([3])), Invalid, "MatMul"),
    "number of elements": (lambda: fg.reshape(fg.zeros([6]), [4]), Invalid, "Reshape"),
    "axis": (lambda: fg.reduce_sum(fg.zeros([2]), axis=3), Invalid, "Sum"),
    "index": (lambda: fg.gather(fg.constant([1, 2]), 7), Invalid, "Gather"),
    "two inferred sizes": (lambda: fg.reshape(fg.zeros([6]), [-1, -1]), Invalid, "Reshape"),
    "backwards range": (lambda: fg.range(5, 0), Invalid, "Range"),
    "bounds of a slice": (
        lambda: fg.strided_slice([1], 0, fg.ones([]), 2.0),
        Invalid,
        "StridedSlice",
    ),
    "rank, of much to draw": (lambda: fg.random.categorical(2**31, 0), Invalid, "Multinomial"),
    "sizes of a label": (lambda: fg.einsum("i,i->i", fg.ones([2]), fg.ones([1])), Invalid, "'i'"),
    "integer division by zero": (lambda: fg.constant(1) // fg.constant(0), Invalid, "FloorDiv"),
}


@pytest.mark.parametrize("case", EAGER)
def test_eager(case):
    call, error_class, operation = EAGER[case]
    with pytest.raises(error_class) as caught:
        call()
    assert operation.lower() in str(caught.value).lower()


def test_arguments():
    x = fg.constant([1.0])
    with pytest.raises(TypeError, match="add"):
        fg.add(x)
    with pytest.raises(TypeError, match="axes"):
        fg.reduce_sum(x, axes=0)
    with pytest.raises(ValueError):
        fg.add(x, None)
    with pytest.raises((TypeError, ValueError, Invalid)):
        fg.reshape(x, ["a"])


def test_values():
    with pytest.raises(ValueError):
        fg.constant([[1, 2], [3]])
    with pytest.raises(ValueError):
        fg.constant([1, object()])
    with pytest.raises(TypeError):
        fg.constant("a", fg.float32)
    with pytest.raises((TypeError, ValueError, Invalid)):
        fg.zeros([1.5])
    with pytest.raises(Exception) as caught:
        fg.constant([1, 2, 3])[fg.constant(float("nan"))]
    assert isinstance(caught.value, (TypeError, ValueError, Invalid))


def test_traced_dtypes():
    @fg.function
    def f(x):
        return x + fg.constant(1)  # here

    with pytest.raises(TypeError) as caught:
        f(fg.constant(1.0))
    assert "AddV2" in str(caught.value)
    names_the_line(caught.value, line_of(test_traced_dtypes))


def test_traced_shapes():
    @fg.function
    def f(x):
        return fg.matmul(x, x)  # here

    with pytest.raises(ValueError) as caught:
        f(fg.zeros([2, 3]))
    assert "MatMul" in str(caught.value)
    names_the_line(caught.value, line_of(test_traced_shapes))


def test_running():
    @fg.function(input_signature=[fg.TensorSpec([None], fg.int32), fg.TensorSpec([], fg.int32)])
    def f(x, i):
        return fg.gather(x, i)  # here

    with pytest.raises(Invalid) as caught:
        f(fg.constant([1, 2]), fg.constant(9))
    assert "gather" in str(caught.value).lower()
    names_the_line(caught.value, line_of(test_running))
    # The function still works.
    assert f(fg.constant([1, 2]), fg.constant(1)).numpy() == 2


def test_running_in_a_loop_in_a_branch_in_a_function():
    @fg.function
    def inner(x, i):
        return fg.gather(x, i)  # here

    @fg.function
    def outer(x, n):
        total = fg.constant(0)
        if n > 0:
            for i in fg.range(n):
                total += inner(x, i)
        return total

    assert outer(fg.constant([1, 2]), fg.constant(2)).numpy() == 3
    with pytest.raises(Invalid) as caught:
        outer(fg.constant([1, 2]), fg.constant(3))
    names_the_line(caught.value, line_of(test_running_in_a_loop_in_a_branch_in_a_function))


def test_structure():
    spec = fg.TensorSpec([2], fg.float32)

    @fg.function(input_signature=[spec, [spec, spec]])
    def f(x, pair):
        return x + pair[0] + pair[1]

    one = fg.ones([2])
    assert f(one, [one, one]).numpy().tolist() == [3, 3]
    with pytest.raises((TypeError, ValueError)):
        f(one, [one])
    with pytest.raises(TypeError):
        f(one, (one, one))
    with pytest.raises((TypeError, ValueError)):
        f(one, one)
    with pytest.raises(ValueError):
        f(fg.ones([3]), [one, one])
    with pytest.raises(TypeError):
        f(one)


def test_unhashable_arguments():
    @fg.function
    def f(x, options):
        return x

    with pytest.raises(TypeError):
        f(fg.constant(1), {1, 2})


def test_results():
    @fg.function
    def f(x):
        return object()

    with pytest.raises(TypeError):
        f(fg.constant(1))


def test_concrete_functions():
    @fg.function
    def double(a):
        return a + a

    concrete = double.get_concrete_function(fg.TensorSpec(None, fg.string))
    with pytest.raises(Invalid) as caught:
        concrete(fg.constant(1))
    assert "string" in str(caught.value)
    assert "int32" in str(caught.value)
    with pytest.raises(TypeError):
        concrete()
    with pytest.raises(TypeError):
        concrete(fg.constant("a"), fg.constant("b"))


def test_truth_of_a_symbolic_tensor():
    @fg.function(autograph=False)
    def f(x):
        if x > 0:  # here
            return x
        return -x

    with pytest.raises(fg.errors.OperatorNotAllowedInGraphError) as caught:
        f(fg.constant(1))
    assert isinstance(caught.value, TypeError)
    # The statement itself fails while tracing, so it is the traceback that leads there.
    here = [entry.lineno + 1 for entry in caught.traceback if entry.path == Path(__file__)]
    assert here[-1] == line_of(test_truth_of_a_symbolic_tensor)


def test_leaked_symbolic_tensors():
    leaked = []

    @fg.function
    def f(x):
        leaked.append(x + 1)  # here
        return x

    f(fg.constant(1))
    with pytest.raises(TypeError) as caught:
        leaked[0] + 1
    names_the_line(caught.value, line_of(test_leaked_symbolic_tensors))
    with pytest.raises(AttributeError):
        leaked[0].numpy()

    @fg.function
    def g(x):
        return x + leaked[0]

    with pytest.raises(TypeError):
        g(fg.constant(1))


def test_variables():
    v = fg.Variable([1.0, 2.0])
    with pytest.raises(ValueError):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError):
        v.assign(fg.constant([1, 2]))
    with pytest.raises(TypeError):
        v[0] = 1.0
    with pytest.raises(TypeError):
        hash(v)
    assert v.numpy().tolist() == [1, 2]


def test_an_error_while_tracing_keeps_its_class_and_leaves_the_function_usable():
    class Mine(Exception):
        pass

    fails = True

    @fg.function
    def f(x):
        if fails:
            raise Mine("stop")
        return x + 1

    with pytest.raises(Mine, match="stop"):
        f(fg.constant(1))
    fails = False
    assert f(fg.constant(1)).numpy() == 2
    assert fg.executing_eagerly()


def test_an_error_in_a_worker_thread():
    @fg.function(input_signature=[fg.TensorSpec([None], fg.int32), fg.TensorSpec([], fg.int32)])
    def f(x, i):
        return fg.gather(x, i)  # here

    caught = []

    def work():
        try:
            f(fg.constant([1, 2]), fg.constant(5))
        except Invalid as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    processor_time.join(thread)
    assert len(caught) == 1
    names_the_line(caught[0], line_of(test_an_error_in_a_worker_thread))
    assert f(fg.constant([1, 2]), fg.constant(0)).numpy() == 1


def test_nan_and_empty_values():
    x = fg.constant([np.nan, 1.0])
    assert np.isnan(fg.reduce_sum(x).numpy())
    assert fg.reduce_sum(fg.zeros([0, 3])).numpy() == 0
    assert fg.reduce_max(fg.zeros([0])).numpy() == -np.inf
    assert fg.matmul(fg.zeros([2, 0]), fg.zeros([0, 3])).numpy().tolist() == [[0] * 3] * 2


# One program each; none may end the process, and each must raise what it names.
HOSTILE = {
    "a shape beyond memory": ("fg.zeros([1 << 30, 1 << 30])", "fg.errors.OpError"),
    "a shape beyond 64 bits": ("fg.zeros([1 << 31, 1 << 31, 1 << 31])", "fg.errors.OpError"),
    "a negative size": ("fg.zeros([-1])", "(fg.errors.OpError, ValueError)"),
    "a size of minus two": ("fg.reshape(fg.zeros([4]), [-2])", "fg.errors.OpError"),
    "a broadcast beyond memory": (
        "fg.zeros([1 << 20, 1]) + fg.zeros([1, 1 << 24])",
        "fg.errors.OpError",
    ),
    "an endless range": ("fg.range(0.0, 1.0, 0.0)", "fg.errors.OpError"),
    "the smallest integer divided": (
        "print((fg.constant([-(2**31)]) // fg.constant([-1])).numpy()); raise KeyError",
        "KeyError",
    ),
    "a function that calls itself": (
        "f = fg.function(lambda x: f(x + 1)); f(fg.constant(1))",
        "(RecursionError, ValueError, fg.errors.OpError)",
    ),
    "a deeply nested argument": (
        "x = []\nfor _ in range(100000): x = [x]\nfg.function(lambda x: 1)(x)",
        "(RecursionError, ValueError, TypeError)",
    ),
    "an interrupt": (
        "import signal, threading, _thread\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored\n"
        "f = fg.function(lambda n: fg.while_loop(lambda i: i >= 0, lambda i: i * 0, [n]))\n"
        "threading.Timer(1.0, _thread.interrupt_main).start()\n"
        "f(fg.constant(0))",
        "KeyboardInterrupt",
    ),
    "a deeply nested constant": (
        "x = 1\nfor _ in range(100000): x = [x]\nfg.constant(x)",
        "(RecursionError, ValueError, TypeError)",
    ),
    "a list that holds itself": (
        "x = []; x.append(x); fg.constant(x)",
        "(RecursionError, ValueError, TypeError)",
    ),
    "an error inside a conversion": (
        "class A:\n    def __array__(self, *a, **k): raise KeyError('mine')\nfg.constant(A())",
        "(KeyError, ValueError, TypeError)",
    ),
    "an index beyond 64 bits": (
        "fg.constant([1, 2])[1 << 70]",
        "(OverflowError, IndexError, ValueError, TypeError, fg.errors.OpError)",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_programs(case, run_python):
    program, error_class = HOSTILE[case]
    body = "\n".join("    " + line for line in program.splitlines())
    source = f"import ferrograph as fg\ntry:\n{body}\nexcept {error_class} as e:\n"
    source += "    print('caught', type(e).__name__, e)\nelse:\n    raise SystemExit('no error')\n"
    done = run_python(source, timeout=60)
    assert "caught" in done.stdout
    assert "panicked" not in done.stderr, done.stderr


# Calls that bring no tensors, or others than were traced.


@pytest.mark.parametrize("spec", [fg.TensorSpec([2]), fg.RaggedTensorSpec([2, None])])
def test_specs_are_no_arguments_of_calls(spec):
    f = fg.function(lambda x: 1.0)
    for call in (f, fg.function(lambda y: f(spec))):
        with pytest.raises(ValueError, match="has no value: give a tensor"):
            call(spec)
    signed = fg.function(lambda x: x, input_signature=[fg.TensorSpec([2])])
    for _ in range(2):
        with pytest.raises((TypeError, ValueError)):
            signed(fg.TensorSpec([2]))
        signed(fg.ones([2]))
    assert f.get_concrete_function(spec) is not None


@pytest.mark.parametrize(
    "args, said",
    [
        ((), "takes 1 flat tensors, got 0"),
        ((fg.ones([2]), 1), "takes 1 flat tensors, got 2"),
        ((fg.constant(["a", "b"]),), r"traced as float32\[2\], got string\[2\]"),
    ],
)
def test_flat_arguments_are_as_traced(args, said):
    flat = fg.function(lambda x: x + 1.0).get_concrete_function(fg.TensorSpec([2])).inference_fn
    with pytest.raises(TypeError, match=said):
        flat(*args)
    for n in (2, 3):
        assert flat(fg.ones([n]))[0].numpy().tolist() == [2.0] * n
    with pytest.raises(TypeError, match=r"traced as float32\[2\], got float32\[3\]"):
        fg.function(lambda x: flat(x)[0])(fg.ones([3]))


def test_shapes_and_ranks_have_an_end():
    endless = range(2**62)
    with pytest.raises(ValueError, match="at most 254 dimensions"):
        fg.TensorShape(endless)
    with pytest.raises((ValueError, fg.errors.ResourceExhaustedError)):
        fg.ragged.stack(endless)
    assert fg.ragged.stack(range(3)).to_list() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="pairs of numbers"):
        fg.nn.conv2d(fg.ones([1, 3, 3, 1]), fg.ones([2, 2, 1, 1]), 1, [endless] * 4)
    with pytest.raises(TypeError, match="a template must be a str"):
        fg.strings.format(endless, 1)
    with pytest.raises(ValueError, match="255 axes"):
        fg.ragged.constant([[1], [2, 3]]).to_tensor(shape=endless)
    with pytest.raises(ValueError, match="255 ranks"):
        fg.debugging.assert_rank_in([1], endless)


def test_labels_are_of_one_size_also_where_sizes_are_found_late():
    x, y = fg.ones([2, 3]), fg.ones([1])
    open_ = [fg.TensorSpec([None, None]), fg.TensorSpec([None])]
    for equation in ("ii->i", "ii"):
        with pytest.raises(Invalid):
            fg.function(lambda x, q=equation: fg.einsum(q, x), input_signature=open_[:1])(x)
    product = fg.function(lambda x, y: fg.einsum("ij,i->j", x, y), input_signature=open_)
    with pytest.raises(Invalid):
        product(x, y)
    assert product(x, fg.ones([2])).numpy().tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda ends: fg.queue.QueueBase([fg.int32], ends, None, None),
        lambda ends: fg.queue.FIFOQueue(1, [fg.int32], ends),
        lambda ends: fg.data.experimental.CsvDataset("none", ends),
        lambda ends: fg.data.experimental.make_batched_features_dataset(
            "none", 1, ends, label_key="label"
        ),
        lambda ends: fg.experimental.numpy.moveaxis("a", ends, True),
        lambda ends: fg.experimental.numpy.moveaxis(fg.ones([2, 3]), [0], ends),
    ],
)
def test_long_sequences_are_refused_before_they_are_walked_through(call):
    with pytest.raises((TypeError, ValueError, MemoryError)):
        call(range(2**62))
