"""Why functions were traced and what they run, in words. Imported when somebody asks."""

from ... import lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .records import TraceRecord, explain, record_of, records_of, say_frozen, speak
    from .report import plan_report

_NAMES = ("TraceRecord", "explain", "record_of", "records_of", "say_frozen", "speak")

__getattr__ = lazy(__name__, {**dict.fromkeys(_NAMES, "records"), "plan_report": "report"})
