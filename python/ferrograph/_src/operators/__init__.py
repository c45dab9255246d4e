"""Linear operators: matrices that are known by what they do, in stacks."""

from . import algebra as algebra
from . import circulant as circulant
