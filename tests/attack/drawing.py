"""Draws random programs: steps of all operations, from the rows of the table, so new ones are in.

A step that the eager run refuses is left out.
"""

import random

import ferrograph as fg
from executors import state_of
from families import ROWS
from graphs import Applied, Program
from run import refused
from table import NUMBERS, Vary

_SHAPES = ([], [1], [3], [2, 3], [4, 1], [2, 2, 2], [0], [0, 3], [17])
# Recorded gradients that hold for such arguments alone as rows have.
_SPECIAL = {"SoftmaxCrossEntropyWithLogits": "labels that add up to 1"}


def _is_smooth(row):
    """Whether finite differences of its results tell what the gradient should be."""
    if row.op in _SPECIAL:
        return False
    outs = row.out if isinstance(row.out, tuple) else (row.out,)
    if all(isinstance(o, str) and o.startswith(("int", "uint", "bool", "string")) for o in outs):
        return True
    flowing = {i for i, a in enumerate(row.args) if isinstance(a, Vary)}
    return "float64" in row.dtypes and row.grad is not None and flowing <= set(row.grad)


SMOOTH = [row for row in ROWS if _is_smooth(row)]


class Pen:
    """Writes the steps of a program down while it runs for the first time."""

    def __init__(self, program):
        self.program = program

    def applied(self, dice):
        """A step of one row."""
        row = dice.choice(SMOOTH if self.program.smooth else ROWS)
        wide = self.program.smooth and "float64" in row.dtypes
        dtype = "float64" if wide else dice.choice(row.dtypes)
        form = "own" if dice.random() < 0.6 else dice.choice(["own", *row.forms])
        own = row.at(dtype, form)
        state = state_of(row, [fg.constant(a) for a in own])
        kinds = row.args if form == "own" else row.forms[form]
        kind = "smooth" if self.program.smooth else dice.choice(["wild", *["ranged"] * 4])
        return Applied(row, dtype, kinds, own, state, kind)

    def tried(self, step, here, env, depth):
        """What a step makes; nothing where it is refused."""
        try:
            return step(here, env, depth)
        except Exception as e:
            if not refused(e):
                raise
            self.program.skipped.add(here)
            return []


def drawn(unit):
    """The program of a unit, a number and ``smooth`` or ``any``."""
    dice, kind = random.Random(unit), unit.split()[1]

    def array(seed):
        dtype = "float64" if kind == "smooth" else dice.choice(NUMBERS)
        return Vary(*dice.choice(_SHAPES), seed=seed).at(dtype)

    arrays = [array(i) for i in range(dice.randint(1, 3))]
    starts = [array(7 + i) for i in range(dice.randint(0, 2))]
    program = Program(unit, arrays, starts, dice.randint(3, 9))
    program.pen = Pen(program)
    program.run(*program.inputs())
    program.pen = None
    return program
