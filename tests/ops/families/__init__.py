"""The rows of the operations, a module for each family."""

from importlib import import_module

from table import ROWS

FAMILIES = (
    "unary",
    "binary",
    "special",
    "reductions",
    "products",
    "neural",
    "shapes",
    "indexing",
    "segments",
    "diagonals",
    "factorisations",
    "windows",
    "signal",
    "images",
    "creation",
    "ordering",
    "strings",
    "texts",
    "sequences",
    "draws",
    "state",
    "lists",
    "regions",
    "tables",
    "queues",
    "pipelines",
    "effects",
    "files",
    "older",
    "slopes",
)
for family in FAMILIES:
    import_module(f"families.{family}")

__all__ = ["ROWS"]
