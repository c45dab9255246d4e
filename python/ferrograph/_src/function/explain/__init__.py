"""Explanations in words: why functions were traced, and what they run. Imported when asked for."""

from ... import lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .records import TraceRecord, explain, record_of, records_of, say_frozen, speak
    from .report import plan_report

_NAMES = ("TraceRecord", "explain", "record_of", "records_of", "say_frozen", "speak")

__getattr__ = lazy(__name__, {**dict.fromkeys(_NAMES, "records"), "plan_report": "report"})
