"""Files of records."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ..native import _core
from ..values.public import public

__all__ = ["TFRecordOptions", "TFRecordWriter"]

_KINDS = {None: "", "": "", 0: "", "GZIP": "GZIP", 2: "GZIP", "ZLIB": "ZLIB", 1: "ZLIB"}


@public("io.TFRecordOptions")
class TFRecordOptions:
    """How the records of a file are compressed.

    >>> fg.io.TFRecordOptions("GZIP", compression_level=9).compression_type
    'GZIP'

    Args:
      compression_type: "GZIP", "ZLIB", or empty or None for no compression.
      flush_mode: of no effect, as are those below but for the level.
      input_buffer_size: of no effect.
      output_buffer_size: of no effect.
      window_bits: of no effect.
      compression_level: from 0 for fast to 9 for small; None for the usual.
      compression_method: of no effect.
      mem_level: of no effect.
      compression_strategy: of no effect.
    """

    compression_type_map: ClassVar[dict[int, str]] = {1: "ZLIB", 2: "GZIP", 0: ""}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: Any = None,
        input_buffer_size: Any = None,
        output_buffer_size: Any = None,
        window_bits: Any = None,
        compression_level: int | None = None,
        compression_method: Any = None,
        mem_level: Any = None,
        compression_strategy: Any = None,
    ):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression that options, or the name of one, say: "GZIP", "ZLIB" or empty."""
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if options not in _KINDS:
            raise ValueError(f'Not a valid compression_type: "{options}"')
        return _KINDS[options]


@public("io.TFRecordWriter")
class TFRecordWriter(_core.RecordWriter):
    """Writes records, strings of any bytes, to a file; ``fg.data.TFRecordDataset`` reads them.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> with fg.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> os.path.getsize(path)
    43

    Args:
      path: the name of the file, which is emptied.
      options: ``TFRecordOptions``, or the name of a compression.
    """

    def __new__(cls, path: Any, options: Any = None) -> TFRecordWriter:
        """A writer of a new file."""
        kind = TFRecordOptions.get_compression_type_string(options)
        level = getattr(options, "compression_level", None)
        level = None if level is None or level < 0 else min(int(level), 9)
        return super().__new__(cls, os.fsdecode(path), kind, level)

    def write(self, record: Any) -> None:
        """Appends a record, bytes or a text."""
        if isinstance(record, str):
            record = record.encode()
        self.write_record(record)

    def flush(self) -> None:
        """Hands to the system what was written so far."""
        self.flush_records()

    def close(self) -> None:
        """Writes what is left; nothing more can be written then."""
        self.close_records()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
