"""``Asset``: a file that is saved with a model."""

from __future__ import annotations

from ..checkpoint.paths import path_text
from ..context import thread
from ..hints import Any
from ..native import _core
from ..values.markers import Trackable
from ..values.public import public

__all__ = ["Asset"]


@public("saved_model.Asset")
class Asset(Trackable):
    """A file that a saved model takes along.

    As an attribute of a saved object it is the file's path: the file is copied into the model's
    folder, and what functions see after loading is its path there.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     words = pathlib.Path(folder, "words.txt")
    ...     _ = words.write_text("red")
    ...     model = fg.Module()
    ...     model.words = fg.saved_model.Asset(words)
    ...     model.read = fg.function(lambda: fg.io.read_file(model.words), input_signature=[])
    ...     fg.saved_model.save(model, folder + "/model")
    ...     words.unlink()
    ...     fg.saved_model.load(folder + "/model").read().numpy()
    b'red'

    Args:
      path: the file: a string, bytes, an ``os.PathLike`` or a string tensor.
    """

    def __init__(self, path: Any):
        with thread.init_scope():
            self._path = _core.convert_to_tensor(path_text(path))

    @property
    def asset_path(self) -> Any:
        """The path, a scalar string tensor."""
        return self._path

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return _core.convert_to_tensor(self._path, dtype)

    def __repr__(self) -> str:
        return f"<Asset {path_text(self._path)!r}>"
