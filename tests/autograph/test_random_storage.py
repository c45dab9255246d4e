"""Random programs over values that are stored differently (scalars, long and growing vectors,
tensor arrays, variables) give the same staged and eagerly, gradients included."""

import linecache
import random

import ferrograph as fg
import numpy as np
import pytest

SCALARS, VECTORS = ("s", "t"), ("v", "w")


class Programs:
    """Makes the statements of one program over the names in HEAD; values stay near one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def scalar(self):
        pick = self.random.choice
        return pick(
            [
                *SCALARS,
                "fg.cast(k, fg.float32) * 0.125",
                f"fg.sin({pick(SCALARS)} + {pick(SCALARS)})",
                f"fg.reduce_mean({pick(VECTORS)})",
                "fg.reduce_mean(g)",
                "ta.read(k % 5)",
                "fg.sin(var.read_value())",
                f"{pick(VECTORS)}[k % 20]",
            ]
        )

    def vector(self):
        pick = self.random.choice
        return pick(
            [
                *VECTORS,
                f"fg.sin({pick(VECTORS)} + {pick(VECTORS)} * {pick(SCALARS)})",
                f"{pick(VECTORS)} * 0.5 + {self.scalar()}",
                f"fg.reverse({pick(VECTORS)}, [0])",
                f"inner({pick(VECTORS)}, {pick(SCALARS)})",
            ]
        )

    def condition(self):
        pick = self.random.choice
        return pick(
            [
                f"{pick(SCALARS)} < {pick(SCALARS)}",
                f"{self.scalar()} > 0.1",
                "k % 2 == 0",
                "fg.size(g) < 9",
                f"k < 6 and {pick(SCALARS)} > -0.5",
            ]
        )

    def statement(self, depth, in_loop):
        pick, kind = self.random.choice, self.random.random()
        if depth < 3 and kind < 0.2:
            return self.conditional(depth, in_loop)
        if depth < 2 and kind < 0.35:
            return self.loop(depth)
        if in_loop and kind < 0.4:
            return [f"if {self.condition()}:", f"    {pick(['break', 'continue'])}"]
        return [
            pick(
                [
                    f"{pick(SCALARS)} = {self.scalar()}",
                    f"{pick(VECTORS)} = {self.vector()}",
                    "s, t = t, s",
                    "v, w = w, v",
                    "k += 1",
                    f"g = fg.concat([g, [{self.scalar()}]], 0)[-9:]",
                    "g = fg.sin(g[1:]) if fg.size(g) > 2 else g",
                    f"ta = ta.write(k % 5, {self.scalar()})",
                    "w = w * ta.stack()[k % 5]",
                    f"var.assign(fg.sin({self.scalar()}))",
                ]
            )
        ]

    def block(self, depth, in_loop):
        n = self.random.randint(1, 3)
        lines = [line for _ in range(n) for line in self.statement(depth, in_loop)]
        return ["    " + line for line in lines]

    def conditional(self, depth, in_loop):
        lines = [f"if {self.condition()}:", *self.block(depth + 1, in_loop)]
        if self.random.random() < 0.6:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def loop(self, depth):
        self.count += 1
        i, pick = f"i{self.count}", self.random.choice
        if self.random.random() < 0.5:
            return [
                f"for {i} in fg.range({pick(['4', 'k % 5'])}):",
                *self.block(depth + 1, True),
            ]
        head = [f"{i} = fg.constant(0)", f"while {i} < 4 and {self.condition()}:", f"    {i} += 1"]
        return [*head, *self.block(depth + 1, True)]


HEAD = """def f(s, v, n):
    t, w, k, g = fg.constant(0.25), v * 0.5, n, v[: 2 + n % 1]
    ta = fg.TensorArray(fg.float32, size=5, clear_after_read=False, element_shape=[])
    ta = ta.unstack(v[:5])
    var.assign(0.5)
"""


@fg.function
def inner(v, s):
    if s > 0.2:
        v = fg.cos(v) * s
    return v


def make(seed):
    programs = Programs(seed)
    body = [line for _ in range(3) for line in programs.block(0, False)]
    body += ["    " + line for line in programs.loop(0)]
    text = HEAD + "\n".join(
        [*body, "    return s, t, v, w, k, g, ta.stack(), var.read_value()", ""]
    )
    filename = f"<random storage {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"fg": fg, "inner": inner, "var": fg.Variable(0.5, trainable=False)}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def results(f, relaxed, n):
    s = fg.constant(0.3)
    v = fg.constant(np.linspace(-1, 1, 24 if relaxed else 20), fg.float32)
    with fg.GradientTape() as tape:
        tape.watch([s, v])
        out = f(s, v, fg.constant(n))
        total = fg.add_n([fg.reduce_sum(x) for i, x in enumerate(out) if i not in (4, 7)])
    return [*out, *tape.gradient(total, [s, v], unconnected_gradients="zero")]


@pytest.mark.parametrize("seed", range(30))
def test_a_random_program(seed):
    f = make(seed)
    staged = fg.function(f)
    for relaxed, n in ((False, 0), (False, 3), (True, 7)):
        expected = [x.numpy() for x in results(f, relaxed, n)]
        found = [x.numpy() for x in results(staged, relaxed, n)]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)
        s, v = fg.constant(0.3), fg.constant(np.linspace(-1, 1, 20), fg.float32)
        plain, again = (g(s, v, fg.constant(n)) for g in (staged, f))
        for a, b in zip(plain, again, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
