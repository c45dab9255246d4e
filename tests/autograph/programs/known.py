"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

FOREIGN = "changes of objects that no statement shows are neither undone nor refused"
CONTAINERS = "a name and the items behind it, changed by two branches, are mixed up"
OBJECTS = "what operators, properties and class attributes change is not undone"
FUNCTIONS = "cells, modules and callees that are changed without a statement are not compared"
FLOW = "what context managers and handlers change is not undone"

FAULTS: dict[str, str] = {
    "numpy arrays": FOREIGN,
    "buffers": FOREIGN,
    "arrays of the standard library": FOREIGN,
    "counters": FOREIGN,
    "default dicts": FOREIGN,
    "ordered dicts": FOREIGN,
    "wrapped containers": FOREIGN,
    "wrapped lists": FOREIGN,
    "chained maps": FOREIGN,
    "deques": FOREIGN,
    "heaps": FOREIGN,
    "queues": FOREIGN,
    "text streams": FOREIGN,
    "lists": "elements, slices and whole lists mixed up by two branches",
    "nested lists": CONTAINERS,
    "dicts": CONTAINERS,
    "dicts of lists": CONTAINERS,
    "sets": CONTAINERS,
    "sorting": CONTAINERS,
    "operators of classes": OBJECTS,
    "properties and attributes": OBJECTS,
    "slots": OBJECTS,
    "class attributes": OBJECTS,
    "own attribute access": OBJECTS,
    "inheritance": OBJECTS,
    "dataclasses": OBJECTS,
    "name spaces": OBJECTS,
    "closures and cells": FUNCTIONS,
    "globals": FUNCTIONS,
    "calls that change": "lists that grow escape to code that is not converted",
    "recursion": "lists of lists that grow fail without a line",
    "iterators": FUNCTIONS,
    "own iterables": FUNCTIONS,
    "context managers": FLOW,
    "exceptions": FLOW,
    "unpacking": FLOW,
    "match statements": FLOW,
    "texts": "a text that branches choose is a tensor, which fails without a rewrite",
}
