"""Datasets: pipelines of elements that are computed when they are asked for.

One module imports all, so that the methods of the class are there.
"""

from ..context.hooks import hooks
from . import methods, staged

hooks.on_datasets = staged
