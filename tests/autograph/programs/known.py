"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

FOREIGN = "changes of objects that no statement shows are neither undone nor refused"
CONTAINERS = "a name and the items behind it, changed by two branches, are mixed up"
OBJECTS = "what operators, properties and class attributes change is not undone"
FUNCTIONS = "cells, modules and callees that are changed without a statement are not compared"
FLOW = "what context managers and handlers change is not undone"

FAULTS: dict[str, str] = {
    "buffers": FOREIGN,
    "arrays of the standard library": FOREIGN,
    "counters": FOREIGN,
    "default dicts": FOREIGN,
    "ordered dicts": FOREIGN,
    "wrapped containers": FOREIGN,
    "chained maps": FOREIGN,
    "heaps": FOREIGN,
    "lists": "elements, slices and whole lists mixed up by two branches",
    "nested lists": CONTAINERS,
    "dicts": CONTAINERS,
    "dicts of lists": CONTAINERS,
    "sorting": CONTAINERS,
    "properties and attributes": OBJECTS,
    "class attributes": OBJECTS,
    "dataclasses": OBJECTS,
    "closures and cells": FUNCTIONS,
    "globals": FUNCTIONS,
    "calls that change": "lists that grow escape to code that is not converted",
    "recursion": "lists of lists that grow fail without a line",
    "exceptions": FLOW,
    "unpacking": FLOW,
    "texts": "a text that branches choose is a tensor, which fails without a rewrite",
}
