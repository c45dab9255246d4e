"""Random programs of operations: what they are, and how one runs.

A program is a number. What it does follows from that number alone, whoever runs it: a first eager
run (``drawing.py``) draws its steps and leaves out those that are refused.
"""

import random
from dataclasses import dataclass

import ferrograph as fg
from fitting import fits, fitted, is_number, like
from run import tensors
from table import NUMBERS, Row, Vary

_DEEPEST = 2
_KINDS = {"apply": 10, "loop": 1, "branch": 1, "call": 1, "array": 1, "variable": 1}
_ANY = (*NUMBERS, "bool", "string")


@dataclass
class Applied:
    """A row as a step: at a dtype, with its own arguments, some of which other values replace."""

    row: Row
    dtype: str
    kinds: list
    own: list
    state: list
    kind: str

    def __str__(self):
        return f"{self.row} {self.dtype} {[a.shape for a in self.own]} {self.kind}"


class Program:
    """What one number stands for: arguments, variables, and the steps by their paths."""

    def __init__(self, name, arrays, starts, n_steps):
        self.name, self.arrays, self.starts, self.n_steps = name, arrays, starts, n_steps
        self.smooth = name.endswith("smooth")
        self.variables = [fg.Variable(a) for a in starts]
        # Steps of operations, functions, and what was refused: filled in by the one who draws.
        self.applied, self.functions, self.skipped, self.pen = {}, {}, set(), None

    def inputs(self):
        """The arguments. The first one is 1: of sizes that are made with it traces know nothing."""
        return [fg.constant(1), *map(fg.constant, self.arrays)]

    def restart(self):
        """Give the variables the values that they have before a run."""
        for variable, start in zip(self.variables, self.starts, strict=True):
            variable.assign(start)

    def run(self, *inputs):
        """The results, a list of tensors."""
        made = self._body("p", list(inputs), 0)[len(inputs) :]
        dice = random.Random(f"{self.name} results")
        kept = [x for i, x in enumerate(made) if i + 2 >= len(made) or dice.random() < 0.4]
        return [fg.identity(x) for x in kept or inputs]

    def _body(self, path, env, depth):
        """The values that there are after the steps under a path; the first one is 1."""
        dice = random.Random(f"{self.name} {path}")
        for k in range(dice.randint(1, 3) if depth else self.n_steps):
            here = f"{path}.{k}"
            if here in self.skipped:
                continue
            step = getattr(self, f"_{self.kind_of(here, depth)}")
            if self.pen is None:
                env = env + step(here, env, depth)
            else:
                env = env + self.pen.tried(step, here, env, depth)
        return env

    def kind_of(self, here, depth):
        """What a step is."""
        names = list(_KINDS) if depth < _DEEPEST else ["apply"]
        dice = random.Random(f"{self.name} {here} kind")
        return dice.choices(names, [_KINDS[name] for name in names])[0]

    def _dice(self, here):
        return random.Random(f"{self.name} {here}")

    # What a step is: each of these gives the values that it makes.

    def _apply(self, here, env, depth):
        if here not in self.applied:
            self.applied[here] = self.pen.applied(self._dice(here))
        step, dice = self.applied[here], self._dice(here)
        pairs = zip(step.kinds, step.own, strict=True)
        args = [_argument(dice, env, step, kind, array) for kind, array in pairs]
        found = tensors(step.row.call(fg, *step.state, *args))
        return [x for x in found if x.dtype.name in _ANY]

    def _loop(self, here, env, depth):
        dice = self._dice(here)
        olds, n = _numbers(dice, env, 3), dice.randint(0, 4)

        def body(i, *values):
            return (i + 1, *self._after(here, [*env, *values], list(values), depth))

        if self.pen is not None:
            body(fg.constant(0), *olds)
        return list(fg.while_loop(lambda i, *_: i < n, body, [fg.constant(0), *olds])[1:])

    def _branch(self, here, env, depth):
        olds = _numbers(self._dice(here), env, 2)
        if not olds:
            return []
        number = fg.math.real(olds[0]) if olds[0].dtype.is_complex else olds[0]
        condition = fg.reduce_sum(fg.cast(number, fg.float64)) > 0
        arms = [lambda arm=arm: self._after(here + arm, env, olds, depth) for arm in "ab"]
        if self.pen is not None:
            for arm in arms:
                arm()
        return list(fg.nest.flatten(fg.cond(condition, *arms)))

    def _call(self, here, env, depth):
        olds = _numbers(self._dice(here), env, 2)
        if self.pen is not None:
            self.functions[here] = fg.function(self._function(here, depth), autograph=False)
            return self._function(here, depth)(env[0], *olds)
        return list(self.functions[here](env[0], *olds))

    def _function(self, here, depth):
        return lambda one, *olds: self._after(here, [one, *olds], list(olds), depth)

    def _array(self, here, env, depth):
        dice = self._dice(here)
        numbers, n = _numbers(dice, env, 1), dice.randint(1, 4)
        return [_array_of(numbers[0], n).stack()] if numbers else []

    def _variable(self, here, env, depth):
        dice = self._dice(here)
        if not self.variables:
            return []
        v, numbers = dice.choice(self.variables), _numbers(dice, env, 1)
        if numbers and not self.smooth:
            v.assign(like(numbers[0], v.read_value()))
        return [v.read_value()]

    def _after(self, path, env, olds, depth):
        """What the steps under a path make of some values, like these."""
        found = self._body(path, env, depth + 1)[len(env) :]
        dice = random.Random(f"{self.name} {path} after")
        numbers = [x for x in found if is_number(x)] or olds
        return [like(dice.choice(numbers), old) for old in olds]


def _argument(dice, env, step, kind, array):
    """An argument of a step: its own one, or a value that there is."""
    own = fg.constant(array)
    chosen = [x for x in env[1:] if fits(x, step.dtype)]
    stays = not isinstance(kind, Vary) or kind.values is not None
    if stays or not chosen or dice.random() < 0.2:
        return own
    x = chosen[-1] if dice.random() < 0.4 else dice.choice(chosen)
    shape = fg.constant(array.shape, fg.int32)
    shape = shape * env[0] if dice.random() < 0.3 else shape
    return fitted(x, kind, own, step, shape)


def _numbers(dice, env, most):
    """Some of the numbers that there are."""
    numbers = [x for x in env[1:] if is_number(x)]
    return dice.sample(numbers, min(len(numbers), dice.randint(1, most)))


def _array_of(x, n):
    array = fg.TensorArray(x.dtype, size=n, element_shape=x.shape)

    def body(i, array):
        return i + 1, array.write(i, like(x * fg.cast(i, x.dtype), x))

    return fg.while_loop(lambda i, _: i < n, body, [fg.constant(0), array])[1]
