"""The file system: files that are opened, and functions on files and folders."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.files.gfile import (
        GFile,
        copy,
        exists,
        get_registered_schemes,
        glob,
        isdir,
        join,
        listdir,
        makedirs,
        mkdir,
        remove,
        rename,
        rmtree,
        stat,
        walk,
    )

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

if not TYPE_CHECKING:
    _LAZY = {
        "GFile": "files.gfile:GFile",
        "copy": "files.gfile:copy",
        "exists": "files.gfile:exists",
        "get_registered_schemes": "files.gfile:get_registered_schemes",
        "glob": "files.gfile:glob",
        "isdir": "files.gfile:isdir",
        "join": "files.gfile:join",
        "listdir": "files.gfile:listdir",
        "makedirs": "files.gfile:makedirs",
        "mkdir": "files.gfile:mkdir",
        "remove": "files.gfile:remove",
        "rename": "files.gfile:rename",
        "rmtree": "files.gfile:rmtree",
        "stat": "files.gfile:stat",
        "walk": "files.gfile:walk",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
