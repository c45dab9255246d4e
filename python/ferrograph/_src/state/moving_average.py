"""Moving averages of variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..context import thread
from ..native import _core
from ..values.errors import shown
from ..values.public import public
from .variable import Variable

__all__ = ["ExponentialMovingAverage"]

_emit = _core.emit


@public("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Averages of variables in which older values count less and less.

    ``apply(variables)`` makes ``average = decay * average + (1 - decay) * variable`` for each; the
    first call begins with the values of the variables. With ``num_updates``, a number or a tensor,
    the decay is ``min(decay, (1 + num_updates) / (10 + num_updates))``, so that early averages move
    faster. ``zero_debias`` corrects averages that begin at 0, which those of variables do not.

    >>> weight = fg.Variable(10.0)
    >>> average = fg.train.ExponentialMovingAverage(0.5)
    >>> average.apply([weight])
    >>> _ = weight.assign(20.0)
    >>> average.apply([weight])
    >>> float(average.average(weight))
    15.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ):
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._zero_debias = zero_debias
        # By identity: the variable, which stays while this does, and its average.
        self._averages: dict[int, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def apply(self, var_list: Iterable[Variable] | None = None) -> None:
        """Move the averages of the variables towards their values now.

        TypeError for what is no variable of floats, ValueError without ``var_list``: the program
        has no list of all its variables.
        """
        if var_list is None:
            raise ValueError("`var_list` must be given: there is no list of all variables")
        variables = {id(variable): variable for variable in var_list}
        for variable in variables.values():
            _check(variable)
        for key, variable in variables.items():
            if key not in self._averages:
                self._averages[key] = (variable, self._begin(variable))
        for key, variable in variables.items():
            self._move(self._averages[key][1], variable)

    def _begin(self, variable: Variable) -> Variable:
        with thread.init_scope():
            return Variable(variable._read(), trainable=False, name=self.average_name(variable))

    def _move(self, average: Variable, variable: Variable) -> None:
        rate = _emit("Sub", (1.0, self._decay_now(variable.dtype)))
        step = _emit("Mul", (rate, _emit("Sub", (average._read(), variable._read()))))
        average.assign_sub(step)

    def _decay_now(self, dtype: Any) -> Any:
        decay = _core.convert_to_tensor(self._decay, dtype)
        if self._num_updates is None:
            return decay
        updates = _core.convert_to_tensor(self._num_updates)
        updates = _emit("Cast", (updates,), {"DstT": dtype})
        early = _emit("RealDiv", (_emit("AddV2", (1.0, updates)), _emit("AddV2", (10.0, updates))))
        return _emit("Minimum", (decay, early))

    def average(self, var: Variable) -> Variable | None:
        """The variable that holds the average of ``var``; None where ``apply`` had none of it."""
        found = self._averages.get(id(var))
        return found[1] if found is not None else None

    def average_name(self, var: Variable) -> str:
        """The name of the variable that holds the average of ``var``."""
        return f"{var._name}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Variable] | None = None
    ) -> dict[str, Variable]:
        """Variables by the names that their averages have in a checkpoint of names.

        Without ``moving_avg_variables`` those that ``apply`` was given.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [variable for variable, _ in self._averages.values()]
        return {self.average_name(variable): variable for variable in moving_avg_variables}


def _check(variable: Any) -> None:
    if not isinstance(variable, Variable):
        raise TypeError(f"ExponentialMovingAverage averages variables, got {shown(variable)}")
    if variable.dtype.name not in ("float16", "bfloat16", "float32", "float64"):
        raise TypeError(
            f"ExponentialMovingAverage averages variables of floats, {variable.name} is "
            f"{variable.dtype.name}"
        )
