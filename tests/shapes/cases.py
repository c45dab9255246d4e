"""Calls whose static shapes are compared beside those of the table, a module a family."""

from importlib import import_module

from shapes.arrays import CASES

FAMILIES = ("layers", "images", "joins", "regions", "targets", "algebra", "composites", "sequences")
for _family in FAMILIES:
    import_module(f"shapes.{_family}")

__all__ = ["CASES"]
