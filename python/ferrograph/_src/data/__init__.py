"""Datasets: pipelines of elements that are computed on demand.

One module imports all, so that the methods of the class are there.
"""

from ..context.hooks import hooks
from . import methods, staged

hooks.on_datasets = staged
