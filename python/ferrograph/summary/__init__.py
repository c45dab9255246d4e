"""Summaries of a run, which TensorBoard shows."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental
    from .._src.files.summaries import audio, graph, histogram, image, scalar, text
    from .._src.files.summary_state import (
        SummaryWriter,
        create_file_writer,
        create_noop_writer,
        flush,
        record_if,
        should_record_summaries,
        write,
    )
    from .._src.files.summary_traces import trace_export, trace_off, trace_on

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]

if not TYPE_CHECKING:
    _LAZY = {
        "SummaryWriter": "files.summary_state:SummaryWriter",
        "audio": "files.summaries:audio",
        "create_file_writer": "files.summary_state:create_file_writer",
        "create_noop_writer": "files.summary_state:create_noop_writer",
        "flush": "files.summary_state:flush",
        "graph": "files.summaries:graph",
        "histogram": "files.summaries:histogram",
        "image": "files.summaries:image",
        "record_if": "files.summary_state:record_if",
        "scalar": "files.summaries:scalar",
        "should_record_summaries": "files.summary_state:should_record_summaries",
        "text": "files.summaries:text",
        "trace_export": "files.summary_traces:trace_export",
        "trace_off": "files.summary_traces:trace_off",
        "trace_on": "files.summary_traces:trace_on",
        "write": "files.summary_state:write",
    }
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
