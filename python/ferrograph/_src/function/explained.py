"""Introspection of a function: its traces, why they were made, and the plans that they run."""

from __future__ import annotations

from .. import later
from ..hints import TYPE_CHECKING, Any
from ..native import _core

if TYPE_CHECKING:
    from . import explain
    from .explain import TraceRecord
else:
    (explain,) = later(__package__, "explain")

__all__ = ["Explained"]


class Explained(_core.FunctionBase):
    """A polymorphic function that can be asked about its traces and plans."""

    _n_traced: int
    input_signature: Any

    if TYPE_CHECKING:

        def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any: ...

    def experimental_get_tracing_count(self) -> int:
        """How many times the Python function was traced."""
        return self._n_traced

    def cache_info(self) -> dict[str, int]:
        """Traces kept, calls that found one (hits) or none (misses), traces dropped to make room
        (evictions), and how many are kept at most (max_traces)."""
        n, hits, misses, evictions, most = self._cache_stats()
        return {
            "traces": n,
            "hits": hits,
            "misses": misses,
            "evictions": evictions,
            "max_traces": most,
        }

    def cache_clear(self) -> None:
        """Drop all traces, and give memory that is kept for reuse back to the system."""
        self._clear()

    def trace_records(self) -> list[TraceRecord]:
        """Why its latest traces were made, oldest first, a record for each call that found none."""
        return explain.records_of(self)

    def explain_last_trace(self) -> TraceRecord | None:
        """Why the latest trace was made; None where nothing was traced yet."""
        records = self.trace_records()
        return records[-1] if records else None

    def explain(self) -> str:
        """Why its latest traces were made, as text: what differed, where, and what to change."""
        return explain.explain(self)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, as text."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._traces())

    def _list_all_concrete_functions(self) -> list[Any]:
        """All traces; one with an input signature is traced now where it was not."""
        if self.input_signature is not None:
            return [self.get_concrete_function()]
        return list(self._traces())

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What it refers to, by name: for a saved model its traces, for a checkpoint nothing."""
        if save_type == "checkpoint":
            return {}
        traces = self._list_all_concrete_functions()
        return {f"trace_{number}": trace for number, trace in enumerate(traces)}

    def explain_plan(self, *args: Any, **kwargs: Any) -> str:
        """The plan that a call with these arguments runs, as text, which notebooks show as such.

        Arguments are given as to a call; without a trace for them one is made. The head says how
        many steps there are, how many operations were fused into how few, the work in
        floating-point operations and the bytes that intermediate values share. Then the values
        (where each lives) and the steps.

        >>> f = fg.function(lambda x: fg.tanh(x) * 2.0 + 1.0)
        >>> f.explain_plan(fg.ones([100, 100])).split(",")[0]
        '1 steps of 3 operations'
        """
        concrete = self.get_concrete_function(*args, **kwargs)
        return explain.plan_report(concrete, self._tensors_of(args, kwargs))
