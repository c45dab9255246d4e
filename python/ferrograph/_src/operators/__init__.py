"""Linear operators: matrices given by their action, in batches."""

from . import algebra as algebra
from . import circulant as circulant
