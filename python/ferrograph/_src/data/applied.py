"""Functions over elements that take more than one element: interleaves, and scans with a state."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..native import _core
from . import progress, structure, traced
from .dataset import AUTOTUNE, Dataset, emitted
from .structure import scalar


def parallel_map(dataset: Dataset, f: traced.Traced, calls: Any, deterministic: Any) -> Dataset:
    """``Dataset.map`` of a traced function with ``num_parallel_calls``."""
    inputs = [dataset._variant_tensor, scalar(calls), *f.captured]
    attrs = {"f": f.graph, "deterministic": _order(deterministic)}
    return emitted("ParallelMapDatasetV2", inputs, f.type, dataset, **attrs)


def _order(deterministic: Any) -> str:
    """The attribute that says whether elements keep their order."""
    if deterministic is None:
        return "default"
    return "true" if deterministic else "false"


def interleave(
    dataset: Dataset,
    function: Callable[..., Any],
    cycle_length: Any,
    block_length: Any,
    calls: Any,
    deterministic: Any,
) -> Dataset:
    """``Dataset.interleave``."""
    arguments = traced.element_arguments(dataset.element_spec)
    f = traced.into_dataset(function, arguments, "interleave")
    if cycle_length is None or (isinstance(cycle_length, int) and cycle_length == AUTOTUNE):
        cycle_length = os.cpu_count() or 1
    counts = [scalar(cycle_length), scalar(1 if block_length is None else block_length)]
    spec, attrs = f.type.element_spec, {"f": f.graph}
    if calls is None:
        inputs = [dataset._variant_tensor, *counts, *f.captured]
        return emitted("InterleaveDataset", inputs, spec, dataset, **attrs)
    inputs = [dataset._variant_tensor, *counts, scalar(calls), *f.captured]
    attrs["deterministic"] = _order(deterministic)
    return emitted("ParallelInterleaveDatasetV4", inputs, spec, dataset, **attrs)


def scan(dataset: Dataset, initial_state: Any, function: Callable[..., Any]) -> Dataset:
    """``Dataset.scan``."""
    state = structure.normalized(initial_state)
    f, _ = traced.with_state(function, state, dataset.element_spec, "scan", True)
    tensors = structure.tensors_of(state)
    inputs = [dataset._variant_tensor, *tensors, *f.captured]
    attrs = {"f": f.graph, "n_state": len(tensors)}
    return emitted("ScanDataset", inputs, f.type[1], dataset, **attrs)


def reduce(dataset: Dataset, initial_state: Any, function: Callable[..., Any]) -> Any:
    """``Dataset.reduce``: a loop over an iterator of its own."""
    with progress.watched(dataset, "reduce") as elements:
        return _reduced(elements, initial_state, function)


def _reduced(dataset: Dataset, initial_state: Any, function: Callable[..., Any]) -> Any:
    element = dataset.element_spec
    state = structure.normalized(initial_state)
    f, state_type = traced.with_state(function, state, element, "reduce", False)
    tensors = structure.tensors_of(state)
    inputs = [dataset._variant_tensor, *tensors, *f.captured]
    if tensors:
        kinds = [structure.dtypes_and_shapes(kind) for kind in (state_type, element)]
        found = _core.emit_reduce(f.graph, inputs, *kinds)
    else:
        attrs = {"f": f.graph, "n_state": 0, **structure.attributes(state_type)}
        found = _core.emit_detached("ReduceDataset", inputs, attrs)
    return structure.packed(state_type, found)
