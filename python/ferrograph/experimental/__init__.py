"""Parts of the API whose documents call them experimental."""

import importlib

# Where the names are that are imported when they are first used.
_LAZY = {
    "BatchableExtensionType": "classes",
    "ExtensionType": "classes",
    "ExtensionTypeBatchEncoder": "spec",
    "ExtensionTypeSpec": "spec",
}


def __getattr__(name):
    """The classes and modules that are imported when they are first used."""
    if name == "dlpack":
        return importlib.import_module(".dlpack", __name__)
    if name in _LAZY:
        return getattr(
            importlib.import_module(f"ferrograph._src.extension_type.{_LAZY[name]}"), name
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
