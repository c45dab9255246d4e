"""Profiles: what the steps of functions take."""

import html.parser
import json
import threading
import time

import ferrograph as fg
import pytest

LINE = "test_profile.py"


def dense(x):
    y = fg.tanh(x @ x) * 0.5 + x
    return fg.reduce_sum(y @ x)


def step_of(profile, operation):
    (step,) = [s for s in profile.steps() if s.operation.split(" ")[0] == operation]
    return step


def test_the_steps_of_calls_are_counted_with_their_lines():
    f = fg.function(dense)
    x = fg.ones([64, 64])
    f(x)
    with fg.profile() as taken:
        for _ in range(3):
            f(x)
    f(x)
    steps = taken.steps()
    assert {"MatMul", "Sum"} < {s.operation for s in steps}
    assert {s.count for s in steps} == {3}
    body = dense.__code__.co_firstlineno
    for step in steps:
        if step.kind != "call":
            assert step.file.endswith(LINE)
            assert step.function == "dense"
            assert body < step.line <= body + 2


def test_times_add_up_to_that_of_the_calls():
    f = fg.function(dense)
    x = fg.ones([400, 400])
    f(x)
    shares = []
    for _ in range(25):  # what else runs on the machine may come between two steps
        begin = time.perf_counter()
        with fg.profile() as taken:
            for _ in range(3):
                f(x)
        spent = time.perf_counter() - begin
        steps = taken.steps()
        inside = sum(s.own for s in steps if s.kind != "call")
        (call,) = [s for s in steps if s.kind == "call"]
        assert taken.seconds() == pytest.approx(call.total, rel=1e-6)
        shares.append((inside / call.total, call.total / spent))
        if shares[-1][0] > 0.9:
            break
    assert max(share for share, _ in shares) > 0.9
    assert all(share <= 1.0 for pair in shares for share in pair)


def test_fused_operations_are_one_step():
    f = fg.function(lambda x: fg.tanh(x) * 2.0 + 1.0)
    x = fg.ones([100, 100])
    with fg.profile() as taken:
        f(x)
    (step,) = [s for s in taken.steps() if s.kind != "call"]
    assert step.kind == "fused"
    assert step.operation.endswith("and 2 more")
    assert step.bytes == 40_000
    assert LINE in step.place


@fg.function(jit_compile=False)
def counted(n):
    i, x = 0, fg.zeros([40])
    while i < n:
        x = fg.sin(x) + 1.0
        i += 1
    return x


def test_loops_count_what_they_run_and_keep_few_single_runs():
    n = fg.constant(5_000)
    counted(n)
    with fg.profile() as taken:
        counted(n)
    (loop,) = [s for s in taken.steps() if s.kind == "loop"]
    body = step_of(taken, "Sin")
    assert loop.count == 1
    assert body.count == 5_000
    assert body.total == body.own <= loop.total
    assert loop.own < loop.total
    events = json.loads(taken.to_chrome_trace())["traceEvents"]
    assert sum(event["name"].startswith("Sin") for event in events) == 1_000


def test_machine_code_is_one_step():
    @fg.function(jit_compile=True)
    def f(n):
        i, s = 0, 1.0
        while i < n:
            s = s * 0.5 + 1.0
            i += 1
        return s

    n = fg.constant(100)
    f(n)
    with fg.profile() as taken:
        f(n)
    kinds = [s.kind for s in taken.steps()]
    assert sorted(kinds) == ["call", "machine code"]


def test_branches_show_the_one_that_ran():
    @fg.function
    def f(x):
        return x @ x if fg.reduce_sum(x) > 0.0 else fg.sqrt(x)

    x = fg.ones([30, 30])
    f(x)
    with fg.profile() as taken:
        f(x)
    operations = {s.operation for s in taken.steps()}
    assert "MatMul" in operations
    assert "Sqrt" not in operations


def test_callbacks_are_steps_and_what_they_call_is_not_theirs():
    inner = fg.function(lambda x: fg.reduce_sum(x @ x))

    def slow(x):
        time.sleep(0.02)
        return inner(x)

    f = fg.function(lambda x: fg.py_function(slow, [x], fg.float32) + 1.0)
    x = fg.ones([50, 50])
    f(x)
    with fg.profile() as taken:
        f(x)
    callback = max(taken.steps(), key=lambda s: s.own)
    assert callback.kind == "eval"
    assert 0.02 <= callback.own < callback.total
    assert step_of(taken, "MatMul").count == 1
    assert taken.seconds() < 2 * callback.total


def test_a_callback_may_profile_what_it_calls():
    inner = fg.function(lambda x: fg.reduce_sum(x @ x))
    within = []

    def profiled(x):
        with fg.profile() as taken:
            y = inner(x)
        within.append(taken)
        return y

    f = fg.function(lambda x: fg.py_function(profiled, [x], fg.float32) + 1.0)
    x = fg.ones([50, 50])
    with fg.profile() as outer:
        f(x)
    assert step_of(within[-1], "MatMul").count == 1
    assert step_of(outer, "MatMul").count == 1
    assert len(outer.steps()) > len(within[-1].steps())


def test_a_failing_step_is_recorded_and_the_next_call_too():
    @fg.function
    def f(x, y):
        fg.debugging.assert_greater(x, y)
        return fg.sqrt(x)

    one, two = fg.constant([1.0]), fg.constant([2.0])
    f(two, one)
    with fg.profile() as taken:
        with pytest.raises(fg.errors.InvalidArgumentError):
            f(one, two)
        f(two, one)
    (call,) = [s for s in taken.steps() if s.kind == "call"]
    assert call.count == 2
    assert step_of(taken, "Sqrt").count == 1


def test_threads_are_told_apart():
    f = fg.function(dense)
    x = fg.ones([64, 64])
    f(x)
    with fg.profile() as taken:
        threads = [threading.Thread(target=f, args=(x,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = json.loads(taken.to_chrome_trace())["traceEvents"]
    names = [event for event in events if event["ph"] == "M"]
    calls = [event for event in events if event.get("cat") == "call"]
    assert len(calls) == 3
    assert {event["tid"] for event in calls} == {event["tid"] for event in names}
    assert len(names) == 3


def test_the_line_of_time_nests(tmp_path):
    n = fg.constant(10)
    counted(n)
    with fg.profile() as taken:
        counted(n)
    text = taken.to_chrome_trace(tmp_path / "trace.json")
    assert (tmp_path / "trace.json").read_text() == text
    events = [e for e in json.loads(text)["traceEvents"] if e["ph"] == "X"]
    (call,) = [e for e in events if e["cat"] == "call"]
    for event in events:
        assert call["ts"] <= event["ts"]
        assert event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 1e-3
    assert any(LINE in event["args"].get("line", "") for event in events)


def test_a_profile_prints_and_shows_itself():
    f = fg.function(lambda x: fg.reduce_sum(x @ x))
    x = fg.ones([64, 64])
    with fg.profile() as taken:
        f(x)
    head, columns, *rows = str(taken).splitlines()
    assert head.endswith("in 1 calls: 2 steps, run 2 times")
    assert columns.split()[:3] == ["operation", "kind", "line"]
    assert len(rows) == 3
    page = taken._repr_html_()
    html.parser.HTMLParser().feed(page)
    assert page.count("<tr>") == 4
    assert "&lt;lambda&gt;" in page
    assert "<lambda>" not in page
    assert "MatMul" in page
    assert repr(taken) == "<profile of 3 steps>"


def test_nothing_is_recorded_outside_and_blocks_add_up():
    f = fg.function(dense)
    x = fg.ones([8, 8])
    taken = fg.profile()
    f(x)
    assert taken.steps() == []
    assert str(taken).startswith("0 us in 0 calls")
    for n in (1, 2):
        with taken:
            f(x)
        assert step_of(taken, "Sum").count == n
    with taken, pytest.raises(fg.errors.InvalidArgumentError, match="open already"), taken:
        pass
    f(x)
    assert step_of(taken, "Sum").count == 2


def test_calls_under_a_tape_and_their_gradients_are_recorded():
    f = fg.function(dense)
    x = fg.ones([32, 32])
    with fg.profile() as taken, fg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
        tape.gradient(y, x)
    assert sum(s.count for s in taken.steps() if s.kind == "call") >= 2
