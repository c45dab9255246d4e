"""Adds methods to ``Dataset`` that are defined in other modules."""

from __future__ import annotations

from . import applied, batching, composites, files, resampling, sources, storing
from .dataset import late

late.slices = sources.slices
late.generated = sources.generated
late.random_numbers = sources.random_numbers
late.zipped = sources.zipped
late.chosen = sources.chosen
late.sampled = sources.sampled
late.seeds = sources.seeds
late.list_files = files.list_files
late.interleave = applied.interleave
late.parallel_map = applied.parallel_map
late.scan = applied.scan
late.reduce = applied.reduce
late.batch = batching.batch
late.rebatch = batching.rebatch
late.padded_batch = batching.padded_batch
late.unbatch = batching.unbatch
late.group_by_window = batching.group_by_window
late.bucket_by_sequence_length = batching.bucket_by_sequence_length
late.window = batching.window
late.ragged_batch = composites.batch
late.cache = storing.cache
late.save = storing.save
late.load = storing.load
late.snapshot = storing.snapshot
late.sparse_batch = composites.sparse_batch
late.rejection_resample = resampling.rejection_resample
