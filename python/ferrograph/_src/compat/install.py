"""``as_tensorflow``: programs that import tensorflow find ferrograph."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from ..native import FG, _core
from ..values.public import public
from .classes import name_classes
from .modules import FACE, Finder, is_face

__all__ = ["as_tensorflow", "install"]

_FINDER = Finder()


@public("as_tensorflow")
def as_tensorflow() -> ModuleType:
    """Let ``import tensorflow`` find ferrograph in this process: packages that import it run on it.

    The modules hold the public names, and the few parts below the documents that supported
    packages ask for. Nothing is installed, and a second call changes nothing. From now on printed
    values and messages say ``tf.``, as after ``config.set_printed_name("tf")``.

    Returns:
      The module that ``import tensorflow`` gives from now on.

    Raises:
      RuntimeError: where TensorFlow itself is loaded in the process.

    >>> fg.as_tensorflow()  # doctest: +SKIP
    <module 'tensorflow' (ferrograph)>
    >>> from tensorflow.math import erf  # doctest: +SKIP
    >>> erf is fg.math.erf  # doctest: +SKIP
    True
    """
    module = install()
    _core.set_printed_name("tf")
    return module


def install() -> ModuleType:
    """What ``as_tensorflow`` does besides setting the printed name."""
    loaded = sys.modules.get(FACE)
    if loaded is not None and not is_face(loaded):
        version = getattr(loaded, "__version__", "of unknown version")
        raise RuntimeError(
            f"TensorFlow {version} is loaded in this process: call {FG}.as_tensorflow() before "
            "anything imports tensorflow"
        )
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
        name_classes()
    return importlib.import_module(FACE)
