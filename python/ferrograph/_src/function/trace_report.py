"""The cost of all traced functions, as a table."""

from __future__ import annotations

from typing import Any

from ..values.public import public
from . import misses
from .explain.records import records_of
from .explain.report import Report


@public("trace_report")
def trace_report() -> str:
    """A table of all functions traced so far, the most costly first.

    >>> f = fg.function(lambda x: x + 1)
    >>> int(f(fg.constant(1)))
    2
    >>> '<lambda>' in fg.trace_report()
    True
    """
    rows = sorted(misses.sites().items(), key=lambda item: -item[1].seconds)
    lines = [f"{'seconds':>9}  {'traces':>6}  {'functions':>9}  function"]
    for (file, line, name, _), site in rows:
        why = _commonest_cause(site.latest())
        text = f"{name} ({file}:{line}){why}"
        lines.append(f"{site.seconds:9.4f}  {site.n_traces:6}  {site.n_functions:9}  {text}")
    return Report("\n".join(lines))


def _commonest_cause(function: Any) -> str:
    if function is None:
        return ""
    counts: dict[str, int] = {}
    for record in records_of(function):
        for cause in record.causes:
            what = f"{cause.facet} of {cause.path}" if cause.path else cause.facet
            counts[what] = counts.get(what, 0) + 1
    if not counts:
        return ""
    most = max(counts, key=counts.__getitem__)
    return f", mostly for the {most}"
