"""``ExtensionType``: classes of the program's own that functions and operations treat as values."""

from .classes import BatchableExtensionType, ExtensionType
from .spec import ExtensionTypeBatchEncoder, ExtensionTypeSpec

__all__ = [
    "BatchableExtensionType",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
]
