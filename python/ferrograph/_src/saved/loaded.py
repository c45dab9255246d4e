"""Loaded models: their objects, and their functions with their traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..function.concrete import ConcreteFunction
from ..hints import Any
from ..native import _core
from ..state.module import Module
from ..state.variable import Variable
from ..values import nest
from ..values.markers import Trackable
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["CallableObject", "LoadedFunction", "LoadedObject", "LoadedResource", "SignatureMap"]


class LoadedObject(Module):
    """An object of a loaded model: its children are its attributes."""

    def __init__(self) -> None:
        self._name = "loaded"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of a saved model with {sorted(self._children())}>"

    def _children(self) -> list[str]:
        return [name for name in vars(self) if name != "_name"]


class CallableObject(LoadedObject):
    """An object of a loaded model that has a function ``__call__``."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


class LoadedResource(Trackable):
    """A table of a loaded model, which its functions refer to."""

    def __init__(self) -> None:
        self._handle: Any = None

    @property
    def resource_handle(self) -> Any:
        """The tensor that refers to it."""
        return self._handle


class SignatureMap(Mapping[Any, Any]):
    """The signatures of a model by their names."""

    def __init__(self, signatures: dict[str, ConcreteFunction]):
        self._signatures = signatures

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"SignatureMap({self._signatures!r})"


class LoadedFunction:
    """A function of a loaded model: the traces that were saved, and no more.

    A call runs the first trace that fits it: whose Python values are equal, and whose tensors have
    dtypes and shapes like the arguments'.
    """

    def __init__(self, name: str, params: list[tuple[Any, ...]], traces: list[ConcreteFunction]):
        self.__name__ = self._name = name
        self._params, self.concrete_functions = params, traces
        self.input_signature: tuple[Any, ...] | None = None

    @property
    def name(self) -> str:
        """The name it was saved under."""
        return self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        trace, args, kwargs = self._found(args, kwargs)
        return trace(*args, **kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, TensorSpecs for tensors; the only one without any.

        ValueError where none fits.
        """
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return self._found(args, kwargs)[0]

    def _found(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any]
    ) -> tuple[ConcreteFunction, tuple[Any, ...], dict[Any, Any]]:
        """The trace for a call, and the arguments as it takes them."""
        if not self.concrete_functions:
            raise ValueError(
                f"{self._name}() was saved without a trace, so there are zero restored functions: "
                "call it before it is saved, or give it an input_signature"
            )
        bound, named = self._bind(args, kwargs)
        differences = []
        for converts in (False, True):
            for trace in self.concrete_functions:
                found = _Difference(converts)
                found.compare_all(trace, bound, named)
                if found.text is None:
                    return trace, bound, named
                differences.append((found.n_equal, found.text, trace))
        raise self._no_trace(max(differences, key=lambda d: d[0]))

    def _no_trace(self, closest: tuple[int, str, ConcreteFunction]) -> ValueError:
        _, text, trace = closest
        others = "\n".join(f"  {_shown(t)}" for t in self.concrete_functions if t is not trace)
        also = f"\nOther saved traces:\n{others}" if others else ""
        return ValueError(
            f"{self._name}(): no saved trace fits this call. The closest one is\n"
            f"  {_shown(trace)}\nbut {text}.{also}"
        )

    def _bind(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any]
    ) -> tuple[tuple[Any, ...], dict[Any, Any]]:
        """Positional and keyword arguments as traces have them, defaults filled in."""
        named = dict(kwargs)
        bound: list[Any] = []
        rest = list(args)
        variadic = any(kind == 2 for _, kind, _, _ in self._params)
        for name, kind, has_default, default in self._params:
            if kind in (0, 1):
                if rest:
                    if name in named:
                        raise TypeError(f"{self._name}() got two values for argument {name!r}")
                    bound.append(rest.pop(0))
                elif name in named:
                    bound.append(named.pop(name))
                elif has_default:
                    bound.append(default)
                else:
                    raise TypeError(f"{self._name}() misses argument {name!r}")
            elif kind == 3 and has_default:
                named.setdefault(name, default)
        if rest and not variadic:
            n = len(args) - len(rest)
            raise TypeError(f"{self._name}() takes {n} positional arguments, got {len(args)}")
        return (*bound, *rest), named

    def __repr__(self) -> str:
        n = len(self.concrete_functions)
        return f"<saved function {self._name} with {n} {'trace' if n == 1 else 'traces'}>"


def _shown(trace: ConcreteFunction) -> str:
    parts = [f"{name}: {value!r}" for name, _, value in trace._parameters()]
    return f"{trace._function_name}({', '.join(parts)})"


class _Difference:
    """The first difference of a call from a trace, and how many leaves before it were equal."""

    def __init__(self, converts: bool):
        self._converts = converts
        self.n_equal = 0
        self.text: str | None = None

    def compare_all(
        self, trace: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[Any, Any]
    ) -> None:
        """Compare all arguments."""
        wanted, named = trace._args, trace._kwargs
        if len(wanted) != len(args):
            self._differ(f"it takes {len(wanted)} positional arguments, got {len(args)}")
            return
        if set(named) != set(kwargs):
            self._differ(f"it takes the keywords {sorted(named)}, got {sorted(kwargs)}")
            return
        names = [name for name, _, _ in trace._positional()]
        for name, want, got in zip(names, wanted, args, strict=True):
            self._compare(name, want, got)
        for name, want in named.items():
            self._compare(name, want, kwargs[name])

    def _differ(self, text: str) -> None:
        if self.text is None:
            self.text = text

    def _compare(self, path: str, want: Any, got: Any) -> None:
        if self.text is not None:
            return
        if isinstance(want, TensorSpec):
            self._compare_tensor(path, want, got)
        elif isinstance(want, TypeSpec):
            self._settle(want.is_compatible_with(got), path, want, got)
        elif isinstance(want, dict):
            if not isinstance(got, dict) or set(got) != set(want):
                self._differ(f"argument {path!r} must be a dict of {sorted(want)}, got {got!r}")
                return
            for key in sorted(want):
                self._compare(f"{path}[{key!r}]", want[key], got[key])
        elif isinstance(want, (list, tuple)):
            if not isinstance(got, (list, tuple)) or len(got) != len(want):
                self._differ(f"argument {path!r} must be a sequence of {len(want)}, got {got!r}")
                return
            for i, (w, g) in enumerate(zip(want, got, strict=True)):
                self._compare(f"{path}[{i}]", w, g)
        else:
            is_tensor = isinstance(got, (_core.Tensor, Variable, TypeSpec)) or nest.is_nested(got)
            same = not is_tensor and type(want) is type(got) and want == got
            self._settle(same, path, want, got)

    def _compare_tensor(self, path: str, want: TensorSpec, got: Any) -> None:
        known = isinstance(got, (_core.Tensor, Variable, TensorSpec))
        if not known and self._converts and not isinstance(got, TypeSpec):
            try:
                got = _core.convert_to_tensor(got, want.dtype)
                known = True
            except (TypeError, ValueError) as e:
                self._differ(f"argument {path!r}: {e}")
                return
        fits = known and got.dtype == want.dtype and want.shape.is_compatible_with(got.shape)
        self._settle(fits, path, want, got)

    def _settle(self, fits: bool, path: str, want: Any, got: Any) -> None:
        if fits:
            self.n_equal += 1
        else:
            shown = getattr(got, "_type_spec", None)
            if shown is None and isinstance(got, (_core.Tensor, Variable)):
                shown = TensorSpec(got.shape, got.dtype)
            self._differ(f"argument {path!r} is {got if shown is None else shown!r}, not {want!r}")
