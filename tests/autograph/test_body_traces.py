"""A loop's body is traced a bounded number of times, whatever it changes and however deep it is."""

import textwrap

import ferrograph as fg
import pytest

DEPTHS = range(1, 7)


class Store:
    """Something whose method changes it, out of sight of the text of a loop."""

    def __init__(self):
        self.total, self.seen = fg.constant(0.0), {}

    def add(self, x):
        self.total = self.total + x

    def note(self, x):
        self.seen["last"] = x


def compiled(source, tmp_path, **names):
    path = tmp_path / "nest.py"
    path.write_text(source)
    exec(compile(source, str(path), "exec"), names)
    return names["f"]


def nest(depth, body, header="for _ in fg.range(2):"):
    lines = ["def f(store, x):", "    items = [x]"]
    for k in range(depth):
        lines.append("    " * (k + 1) + header)
    pad = "    " * (depth + 1)
    lines += [pad + line for line in ["traced()", *body]]
    return "\n".join([*lines, "    return items, store.total", ""])


BODIES = {
    "append": ["items.append(x * 2.0)"],
    "method": ["store.add(x)"],
    "item": ["store.seen['last'] = x * 2.0"],
    "all": ["items.append(x * 2.0)", "store.add(x)", "store.note(x * 3.0)", "print('body')"],
}


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("body", BODIES)
def test_the_body_of_a_nest_is_traced_at_most_twice_and_once_a_level(depth, body, tmp_path, capsys):
    traces = []

    @fg.autograph.experimental.do_not_convert
    def traced():
        traces.append(1)

    store = Store()
    store.seen["last"] = fg.constant(1.0)
    f = compiled(nest(depth, BODIES[body]), tmp_path, fg=fg, traced=traced)

    def run(x):
        own = Store()
        own.seen["last"] = fg.constant(1.0)
        items, total = f(own, x)
        return fg.stack(items), total, own.seen["last"]

    expected = [fg.convert_to_tensor(v).numpy().tolist() for v in run(fg.constant(1.5))]
    traces.clear()
    capsys.readouterr()
    found = fg.function(run)(fg.constant(1.5))
    assert [v.numpy().tolist() for v in found] == expected
    assert 1 <= len(traces) <= 2 + depth
    assert capsys.readouterr().out == ("body\n" if body == "all" else "")


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_while_nest_prints_once_a_line(depth, tmp_path, capsys):
    lines = ["def f(x):", "    n = 0"]
    for k in range(depth):
        pad = "    " * (k + 1)
        lines += [f"{pad}i{k} = fg.constant(0)", f"{pad}while i{k} < 2:", f"{pad}    i{k} += 1"]
        lines += [f"{pad}    print('level', {k})"]
    lines += ["    " * (depth + 1) + "n += 1", "    return n", ""]
    f = compiled("\n".join(lines), tmp_path, fg=fg)
    assert int(fg.function(f)(fg.constant(0))) == 2**depth
    assert capsys.readouterr().out == "".join(f"level {k}\n" for k in range(depth))


def test_prints_keep_their_order_and_those_before_an_error_are_said(capsys):
    @fg.function
    def f(x):
        print("before")
        items = []
        for i in fg.range(3):
            print("in", type(i).__name__ != "")
            items.append(i)
        print("behind", end="!\n")
        return fg.stack(items)

    f(1)
    assert capsys.readouterr().out == "before\nin True\nbehind!\n"

    @fg.function
    def fails(n):
        while n < 3:
            print("here")
            raise_it()
        return n

    def raise_it():
        raise LookupError

    with pytest.raises(LookupError):
        fails(fg.constant(0))
    assert capsys.readouterr().out == "here\n"


def staged(source):
    return textwrap.dedent(source)


NUMBERS = {
    "a float added to an int": ("total = 0", "total = total + x", "total"),
    "through another operation": ("total = 0", "y = total * 2\n    total = y + x", "total"),
    "a Python float": ("total = 0", "total = total + 0.5", "total"),
    "float64": ("total = 0.0", "total += fg.cast(x, fg.float64)", "total"),
    "int64": ("total = 1", "total = total * fg.cast(x, fg.int64)", "total"),
    "two numbers": ("a, total = 1, 0", "total = total + a * x\n    a = a + 1", "total"),
    "a comparison": ("total = 3", "total = total - 1 if x > total else total", "total"),
    "a call of the library": ("total = 0", "total = fg.add(total, x)", "total"),
    "assigned": ("total = 0", "total = x", "total"),
}


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_numbers_take_the_dtype_of_the_tensors_that_they_meet(case, depth, tmp_path):
    first, body, result = NUMBERS[case]
    lines = ["def f(xs):", "    " + first]
    for k in range(depth - 1):
        lines.append("    " * (k + 1) + "for _ in fg.range(2):")
    pad = "    " * depth
    lines.append(pad + "for x in xs:")
    lines += [pad + "    " + line.strip() for line in body.split("\n")]
    lines += [f"    return {result}", ""]
    f = compiled("\n".join(lines), tmp_path, fg=fg)
    xs = fg.constant([1.5, 2.5, 3.5])
    eager = fg.convert_to_tensor(f(xs))
    traced = fg.function(f)(xs)
    assert traced.numpy() == eager.numpy()
    if case != "a comparison":
        assert traced.dtype == eager.dtype


def test_tensors_of_two_dtypes_do_not_mix_in_a_loop():
    @fg.function
    def f(xs):
        total = fg.constant(0)
        for x in xs:
            total = total + x
        return total

    with pytest.raises(TypeError, match="expected to be a"):
        f(fg.constant([1.5]))

    @fg.function
    def g(xs):
        total, k = 0, fg.size(xs)
        for x in xs:
            total = total + (k + x)
        return total

    with pytest.raises(TypeError, match="expected to be a"):
        g(fg.constant([1.5]))
