"""Parts of the API whose documents call them experimental."""

from . import dlpack

__all__ = ["dlpack"]
