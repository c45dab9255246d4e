"""An argument of a wrong Python type is named, with the function, for every public function.

Each argument of a call that succeeds is replaced by values that hardly any function takes. Where
the call is refused, the message names function and parameter; where an operation refuses data that
is a tensor of strings, it names itself. What tensorflow refuses is refused, too, but for a list.
"""

import json
import re

import ferrograph as fg
import pytest
from kinds import RECORD, WRONG, function, kinds_for
from valid_calls import calls

CALLED = "what Python says of the call of the program's function, which it names"
WITHIN = "what the program's function raised, which got the value"
UNEQUAL = "an assertion that the two are equal fails"
# Calls whose errors do not name function and parameter, each with the reason.
UNNAMED = {
    "cond true_fn": CALLED,
    "nest.map_structure func": CALLED,
    "while_loop cond": CALLED,
    "while_loop loop_vars": CALLED,
    "foldl initializer": WITHIN,
    "foldr initializer": WITHIN,
    "scan initializer": WITHIN,
    "testing.assert_allclose actual": UNEQUAL,
    "testing.assert_allclose desired": UNEQUAL,
    "testing.assert_equal actual": UNEQUAL,
    "testing.assert_equal desired": UNEQUAL,
}


def unnamed(name, call, run=lambda call, changed: call.run(**changed)):
    """The calls of a function with a wrong argument whose errors do not name it: function and
    parameter, and the error."""
    for parameter in call.parameters:
        value = call.bound().arguments[parameter.name]
        for wrong in (WRONG[kind]() for kind in kinds_for(parameter, value)):
            try:
                run(call, {parameter.name: wrong})
            except fg.errors.OpError:
                continue
            except Exception as e:
                if not is_named(call.function.__name__, parameter.name, e):
                    text = f"{wrong!r:.20}: {type(e).__name__}: {e}"[:900]
                    yield f"{name} {parameter.name}", text


def is_named(function, parameter, error):
    text = str(error)
    blamed = re.search(rf"argument '(\w+)' of {function}\b", text)
    named = function in text and re.search(rf"\b{parameter}\b", text)
    is_right = bool(named) and (blamed is None or blamed[1] == parameter)
    return is_right and isinstance(error, (TypeError, ValueError))


def test_wrong_kinds_of_arguments_are_named():
    found = [one for name, call in calls().items() for one in unnamed(name, call)]
    others = [f"{what}={text}" for what, text in found if what not in UNNAMED]
    assert not others, "\n".join(others)
    assert {what for what, _ in found} == set(UNNAMED)


def traced(call, changed):
    """The call in a function that is traced."""

    def function():
        call.run(**changed)

    fg.function(function, autograph=False)()


# A trace calls both functions.
UNNAMED_IN_TRACES = {*UNNAMED, "cond false_fn", "while_loop body"}
# What operations of the graph refuse names them; some functions are not for traced ones.
OTHERS = re.compile(r"\[Op:|while a function is traced|traced function can't|is not kept")


@pytest.mark.parametrize("turn", range(4))
def test_wrong_kinds_are_named_in_traced_functions(turn):
    some = list(calls().items())[turn::16]
    found = [one for name, call in some for one in unnamed(name, call, traced)]
    others = [f"{what}={text}" for what, text in found if what not in UNNAMED_IN_TRACES]
    assert not [text for text in others if not OTHERS.search(text)], "\n".join(others)


UNREAD = "read by nothing, so that calls cost no more"
# Arguments of which wrong kinds are taken here and not by tensorflow 2.21, each with the reason.
TAKEN_HERE = {
    "control_dependencies control_inputs": "effects are ordered anyway",
    "data.experimental.from_list name": UNREAD,
    "debugging.assert_shapes data": "any value can be shown",
    "device device_name": "functions of graphs for devices ask for none",
    "experimental.numpy.isscalar num": "asks what a value is",
    "gather_nd bad_indices_policy": UNREAD,
    "matmul grad_a": UNREAD,
    "matmul grad_b": UNREAD,
    "nn.dropout seed": "nothing is drawn at the rate 0",
    "ones layout": UNREAD,
    "ones_like layout": UNREAD,
    "zeros layout": UNREAD,
    "zeros_like layout": UNREAD,
    "summary.create_file_writer experimental_mesh": UNREAD,
    "summary.experimental.write_raw_pb step": "without a writer nothing is written",
    "summary.write step": "without a writer nothing is written",
}


def taken(call, refused):
    """The parameters of a call that take one of these wrong kinds, by parameter."""
    for parameter, kinds in refused.items():
        for kind in kinds:
            try:
                call.run(**{parameter: WRONG[kind]()})
            except Exception:
                continue
            yield parameter, kind


def test_what_tensorflow_refuses_is_refused():
    found = set()
    for name, others in json.loads(RECORD.read_text()).items():
        call = calls()[name]
        bound = call.bound().arguments
        refused = {
            p.name: set(kinds_for(p, bound[p.name])) - set(others.get(p.name, ()))
            for p in call.parameters
        }
        found |= {f"{name} {parameter}" for parameter, _ in taken(call, refused)}
    assert found == set(TAKEN_HERE)


X = fg.constant([[1.0, 2.0], [3.0, 4.0]])
CALLS = {
    "argument 'axis' of stack": lambda: fg.stack([X, X], axis={}),
    "argument 'x' of add": lambda: fg.add({}, 1.0),
    "argument 'y' of add": lambda: fg.add(X, object()),
    "argument 'name' of add": lambda: fg.add(X, X, name=3),
    "argument 'name' of reduce_sum": lambda: fg.reduce_sum(X, name=3),
    "argument 'dtype' of cast": lambda: fg.cast(X, []),
    "argument 'shape' of zeros": lambda: fg.zeros(object()),
    "argument 'data_format' of conv2d": lambda: fg.nn.conv2d(
        fg.ones([1, 4, 4, 1]), fg.ones([2, 2, 1, 1]), 1, "SAME", data_format={}
    ),
    "argument 'padding' of max_pool2d": lambda: fg.nn.max_pool2d(
        fg.ones([1, 4, 4, 1]), 2, 2, padding=object()
    ),
    "unstack: num": lambda: fg.unstack(X, num=object()),
    "while_loop: maximum_iterations": lambda: fg.while_loop(
        lambda i: i < 3, lambda i: i + 1, [fg.constant(0)], maximum_iterations={}
    ),
}


@pytest.mark.parametrize("named", CALLS)
@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_messages_begin_with_function_and_parameter(named, wrap):
    with pytest.raises((TypeError, ValueError), match=named):
        wrap(CALLS[named])()


def test_errors_of_the_programs_own_functions_stay_as_they_are():
    def fails(x):
        raise TypeError("x is mine")

    with pytest.raises(TypeError, match="^x is mine$"):
        fg.signal.stft(fg.ones([8]), 4, 2, window_fn=lambda *a, **k: fails(1))


@pytest.mark.parametrize(
    "named, call",
    {
        "argument 'num_or_size_splits' of split": lambda: fg.split(X, "x", axis=1),
        "argument 'num' of split": lambda: fg.random.split([1, 2], "x"),
        "argument 'bytes_or_text' of as_bytes does not take 3": lambda: fg.compat.as_bytes(3),
        "argument 'noise_shape' of general_dropout": lambda: fg.nn.experimental.general_dropout(
            X, 0.5, lambda shape, dtype: X, function
        ),
        "argument 'uniform_sampler' of general_dropout": lambda: fg.nn.experimental.general_dropout(
            X, 0.5, lambda: X
        ),
        "argument 'logdir' of write_graph": lambda: fg.io.write_graph(
            fg.function(function).get_concrete_function(X).graph, 3, "graph"
        ),
    }.items(),
)
def test_of_several_arguments_the_wrong_one_is_named(named, call):
    with pytest.raises((TypeError, ValueError), match=named):
        call()
