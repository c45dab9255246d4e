"""Datasets: pipelines of elements that are computed when they are asked for."""

from ..context.hooks import hooks
from . import staged

hooks.on_datasets = staged
