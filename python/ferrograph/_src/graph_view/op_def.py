"""The arguments, results and attributes of an operation, as an ``OpDef``."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..native import _core

__all__ = ["ArgDef", "AttrDef", "OpDef", "op_def"]

_KINDS = {
    "bool": "bool",
    "dtype": "type",
    "float": "float",
    "graph": "func",
    "int": "int",
    "shape": "shape",
    "str": "string",
    "tensor": "tensor",
}


class ArgDef(NamedTuple):
    """An input or output.

    Attributes:
      name: its name.
      type: the dtype, where there is only one that it may have; else None.
      type_attr: the attribute that says its dtype.
      number_attr: the attribute that says how many tensors of one dtype it is.
      type_list_attr: the attribute that lists the dtypes of its tensors.
    """

    name: str
    type: Any = None
    type_attr: str = ""
    number_attr: str = ""
    type_list_attr: str = ""


class AttrDef(NamedTuple):
    """An attribute.

    Attributes:
      name: its name.
      type: what it holds: ``"int"``, ``"type"``, ``"list(shape)"``.
      default_value: what it holds where it is not said, or None.
    """

    name: str
    type: str
    default_value: Any = None


class OpDef(NamedTuple):
    """An operation as it is declared.

    Attributes:
      name: its public name.
      input_arg: its inputs.
      output_arg: its outputs.
      attr: its attributes, those that say dtypes and numbers of tensors first.
      summary: what it does.
    """

    name: str
    input_arg: tuple[ArgDef, ...]
    output_arg: tuple[ArgDef, ...]
    attr: tuple[AttrDef, ...]
    summary: str


def op_def(name: str) -> OpDef | None:
    """What is declared of the operation of that name; None where there is none."""
    declared = _core.op_declaration(name)
    if declared is None:
        return None
    inputs, attrs, outputs, doc = declared
    ports = [*inputs, *outputs]
    implied = {
        var: "list(type)" if form == "each" else "type" for _, form, _, var, _ in ports if var
    }
    implied.update({count: "int" for *_, count in ports if count})
    made = [AttrDef(var, kind) for var, kind in implied.items()]
    made += [
        AttrDef(attr, _kind(kind), value if has_default else None)
        for attr, kind, has_default, value in attrs
        if attr not in implied
    ]
    return OpDef(
        name, tuple(map(_argument, inputs)), tuple(map(_argument, outputs)), tuple(made), doc
    )


def _argument(port: tuple) -> ArgDef:
    name, form, dtypes, var, count = port
    if form == "each":
        return ArgDef(name, type_list_attr=var or "")
    only = dtypes[0] if len(dtypes) == 1 and not var else None
    return ArgDef(name, only, var or "", count or "")


def _kind(kind: str) -> str:
    """The public name of a kind of attributes: ``ints`` are a ``list(int)``."""
    one = kind.removesuffix("s")
    if kind not in _KINDS and one in _KINDS:
        return f"list({_KINDS[one]})"
    return _KINDS.get(kind, kind)
