"""``CriticalSection``: one thread at a time, in whatever way it runs the code."""

import threading

import ferrograph as fg
import processor_time
import pytest

both = pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])


def in_threads(n, work):
    failed = []

    def guarded():
        try:
            work()
        except Exception as e:
            failed.append(e)

    threads = [threading.Thread(target=guarded) for _ in range(n)]
    for thread in threads:
        thread.start()
    processor_time.join(*threads)
    assert not failed


@both
def test_threads_take_turns(wrap):
    section, total = fg.CriticalSection(), fg.Variable(0)

    def slow(x):
        before = total.read_value()
        fg.py_function(lambda: __import__("time").sleep(0.0005), [], [])
        return total.assign(before + x)

    add = wrap(lambda x: section.execute(lambda: slow(x)))

    def work():
        for _ in range(20):
            add(fg.constant(2))

    in_threads(6, work)
    assert int(total) == 6 * 20 * 2


def test_eager_and_traced_code_share_it_by_name():
    total = fg.Variable(0)
    one, other = (fg.CriticalSection(shared_name="shared here") for _ in range(2))

    def bump():
        before = int(total)
        total.assign(before + 1)

    def traced_bump():
        before = total.read_value()
        fg.py_function(lambda: __import__("time").sleep(0.0005), [], [])
        total.assign(before + 1)

    traced = fg.function(lambda: other.execute(traced_bump))

    def work():
        for _ in range(20):
            one.execute(bump)
            traced()

    in_threads(4, work)
    assert int(total) == 160


@both
def test_results_keep_their_structure(wrap):
    section = fg.CriticalSection(name="mine")
    assert section.name == "mine"
    f = wrap(lambda x: section.execute(lambda: {"a": x, "b": (x + 1, 7, None)}))
    found = f(fg.constant([3, 4]))
    assert found["a"].numpy().tolist() == [3, 4]
    assert found["b"][0].numpy().tolist() == [4, 5]
    assert (int(found["b"][1]), found["b"][2]) == (7, None)
    assert wrap(lambda: section.execute(lambda: None))() is None
    ragged = wrap(lambda r: section.execute(lambda: r + 1))(fg.ragged.constant([[1], [2, 3]]))
    assert ragged.to_list() == [[2], [3, 4]]


def test_shapes_are_known_while_tracing():
    section, seen = fg.CriticalSection(), []

    @fg.function
    def f(x):
        y = section.execute(lambda: fg.stack([x, x]))
        seen.append(y.shape.as_list())
        return y

    f(fg.zeros([3]))
    assert seen == [[2, 3]]


@both
def test_gradients_flow_to_tensors_and_variables(wrap):
    section, w = fg.CriticalSection(), fg.Variable(3.0)

    def slopes(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y, n = section.execute(lambda: (w * w * x, fg.constant(1)))
            y = 2.0 * y
        return tape.gradient(y, [x, w]), n

    (by_x, by_w), n = wrap(slopes)(fg.constant(5.0))
    assert (float(by_x), float(by_w), int(n)) == (18.0, 60.0, 1)


def test_a_call_of_a_traced_function_passes_gradients_on():
    section, w = fg.CriticalSection(), fg.Variable(3.0)
    f = fg.function(lambda x: section.execute(lambda: w * x))
    with fg.GradientTape() as tape:
        y = f(fg.constant(5.0))
    assert float(tape.gradient(y, w)) == 5.0


def test_a_variable_that_is_an_argument():
    section, w = fg.CriticalSection(), fg.Variable(3.0)

    @fg.function
    def f(v, x):
        with fg.GradientTape() as tape:
            y = section.execute(lambda: v * v * x)
        return tape.gradient(y, v)

    assert float(f(w, fg.constant(5.0))) == 30.0


@both
def test_conditions_and_loops_on_tensors(wrap):
    section, total = fg.CriticalSection(), fg.Variable(0)

    def f(n):
        def body():
            if n > 2:
                total.assign_add(10)
            else:
                total.assign_add(1)
            return total.read_value()

        last = fg.constant(0)
        for _ in fg.range(n):
            last = section.execute(body)
        return last

    assert int(wrap(f)(fg.constant(2))) == 2
    assert int(wrap(f)(fg.constant(3))) == 32


@both
def test_the_section_within_itself_is_refused(wrap):
    section, other = fg.CriticalSection(), fg.CriticalSection()
    with pytest.raises(ValueError, match="already running"):
        wrap(lambda: section.execute(lambda: section.execute(lambda: 1)))()
    assert int(wrap(lambda: section.execute(lambda: other.execute(lambda: 1)))()) == 1
    assert int(wrap(lambda: section.execute(lambda: 2))()) == 2


def test_a_traced_function_that_enters_it_again_is_refused_when_it_runs():
    section = fg.CriticalSection()
    inner = fg.function(lambda: section.execute(lambda: fg.constant(1)))
    assert int(inner()) == 1
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError), match="already running"):
        section.execute(inner)
    outer = fg.function(lambda: section.execute(inner))
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError), match="already running"):
        outer()
    assert int(inner()) == 1


def test_a_failure_frees_it():
    section = fg.CriticalSection()
    f = fg.function(lambda x: section.execute(lambda: fg.debugging.check_numerics(x, "no")))
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"no(.|\n)*test_critical_section.py"):
        f(fg.constant(float("nan")))
    assert float(f(fg.constant(1.0))) == 1.0
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 / 0)
    assert int(section.execute(lambda: 1)) == 1


def test_resources_of_two_sections():
    total = fg.Variable(0.0)
    one, two = fg.CriticalSection(), fg.CriticalSection()

    def executions(*exclusive):
        def f():
            for section, alone in zip((one, two), exclusive, strict=True):
                section.execute(lambda: total.assign_add(1.0), alone)
            one.execute(lambda: total.assign_add(1.0), exclusive[0])

        return fg.function(f)

    for exclusive in ((True, True), (False, True), (True, False)):
        with pytest.raises(ValueError, match="resources"):
            executions(*exclusive)()
    executions(False, False)()
    assert float(total) == 3.0


def test_arguments():
    with pytest.raises(ValueError, match="critical_section_def"):
        fg.CriticalSection(critical_section_def=b"x")
    with pytest.raises(TypeError):
        fg.CriticalSection().execute(5)
