"""The file system: file objects, and functions on files and folders."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..native import _core
from ..ops._dispatch import told
from ..values import errors
from ..values.dtypes import string
from ..values.errors import shown
from ..values.public import public

__all__ = [
    "FileStatistics",
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

_CLASSES = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EBUSY: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EFBIG: errors.OutOfRangeError,
}


@contextlib.contextmanager
def _documented(path: str) -> Iterator[None]:
    """What the system says of a file is raised as the documented class, with the file's name."""
    try:
        yield
    except OSError as e:
        cls = _CLASSES.get(e.errno or 0, errors.UnknownError)
        raise cls(None, None, f"{path}; {e.strerror or e}") from None


def _name(path: Any) -> str:
    """The name of a file as the system takes it; ``file://`` before it says what it is anyway."""
    return os.fsdecode(path).removeprefix("file://")


class FileStatistics(NamedTuple):
    """What is known of a file.

    Attributes:
      length: how many bytes it has.
      mtime_nsec: when it was changed, in nanoseconds since 1970.
      is_directory: whether it is a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


_READS = ("r", "r+", "w+", "a+")
_WRITES = ("w", "a", "r+", "w+", "a+")


@public("io.gfile.GFile")
class GFile:
    """A file, opened when it is first read or written.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "f")
    >>> with fg.io.gfile.GFile(path, "w") as f:
    ...     f.write("one\\ntwo")
    >>> with fg.io.gfile.GFile(path) as f:
    ...     list(f)
    ['one\\n', 'two']

    Args:
      name: the name of the file.
      mode: ``r``, ``w``, ``a``, ``r+``, ``w+`` or ``a+``; with ``b``, what is read are bytes.
    """

    def __init__(self, name: Any, mode: str = "r"):
        self._path, self._mode = _name(name), mode
        self._plain = mode.replace("b", "")
        self._is_binary = "b" in mode
        self._file: Any = None
        if self._plain not in {*_READS, *_WRITES}:
            raise errors.InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )

    @property
    def name(self) -> str:
        """The name of the file."""
        return self._path

    @property
    def mode(self) -> str:
        """How it is opened."""
        return self._mode

    def _opened(self) -> io.BufferedRandom:
        if self._file is None:
            with _documented(self._path):
                self._file = open(self._path, self._plain + "b")  # noqa: SIM115 - kept open
        return self._file

    def _for_reading(self) -> Any:
        if self._plain not in _READS:
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        return self._opened()

    def _given(self, text: bytes) -> Any:
        return text if self._is_binary else text.decode()

    def read(self, n: int = -1) -> Any:
        """The next ``n`` bytes, or all that are left, as a text or as bytes."""
        file = self._for_reading()
        with _documented(self._path):
            return self._given(file.read(None if n < 0 else n))

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        file = self._for_reading()
        with _documented(self._path):
            return self._given(file.readline())

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def write(self, file_content: Any) -> None:
        """Appends a text or bytes to what was written."""
        if self._plain not in _WRITES:
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if not isinstance(file_content, (str, bytes, bytearray)):
            raise TypeError(f"Expected binary or unicode string, got {shown(file_content)}")
        text = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        file = self._opened()
        with _documented(self._path):
            file.write(text)

    def seek(self, offset: int | None = None, whence: int = 0, position: Any = None) -> None:
        """Goes to a place: from the beginning, from here (``whence=1``), or from the end (2)."""
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        place = position if offset is None else offset
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(None, None, f"Invalid whence argument: {whence}")
        file = self._for_reading()
        if whence == 0 and place < 0:
            raise errors.InvalidArgumentError(
                None, None, f"Seeking to a negative position: {place}"
            )
        with _documented(self._path):
            file.seek(place, whence)

    def tell(self) -> int:
        """Where the next byte is."""
        if self._plain in _READS:
            return self._for_reading().tell()
        return self._opened().tell()

    def size(self) -> int:
        """How many bytes the file has."""
        return stat(self._path).length

    def seekable(self) -> bool:
        """True: every file can be read from any place."""
        return True

    def flush(self) -> None:
        """Hands to the system what was written so far."""
        if self._file is not None:
            with _documented(self._path):
                self._file.flush()

    def close(self) -> None:
        """Writes what is left, and closes the file."""
        if self._file is not None:
            file, self._file = self._file, None
            with _documented(self._path):
                file.close()

    def next(self) -> Any:
        """The next line; StopIteration at the end."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self) -> Iterator[Any]:
        return self

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


@public("io.gfile.exists")
@told
def exists(path: Any) -> bool:
    """Whether there is a file or folder of that name.

    >>> fg.io.gfile.exists("/nowhere")
    False

    Args:
      path: a name, a string, bytes or a path object; it may begin with ``file://``.

    Returns:
      A bool.
    """
    return os.path.exists(_name(path))


@public("io.gfile.isdir")
@told
def isdir(path: Any) -> bool:
    """Whether there is a folder of that name.

    >>> fg.io.gfile.isdir("/")
    True

    Args:
      path: a name, a string, bytes or a path object; it may begin with ``file://``.

    Returns:
      A bool.
    """
    return os.path.isdir(_name(path))


@public("io.gfile.listdir")
@told
def listdir(path: Any) -> list[str]:
    """The names of what is in a folder.

    >>> import tempfile
    >>> fg.io.gfile.listdir(tempfile.mkdtemp())
    []

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Returns:
      A sorted list of strings, without the name of the folder.

    Raises:
      NotFoundError: where there is no such folder.
    """
    folder = _name(path)
    if not os.path.isdir(folder):
        raise errors.NotFoundError(None, None, f"Could not find directory {folder}")
    with _documented(folder):
        return sorted(os.listdir(folder))


@public("io.gfile.mkdir")
@told
def mkdir(path: Any) -> None:
    """Makes a folder, in one that is there; nothing where it is there.

    >>> import tempfile
    >>> fg.io.gfile.mkdir(tempfile.mkdtemp() + "/new")

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Raises:
      NotFoundError: where the folder around it is not there.
      AlreadyExistsError: where a file has the name.
    """
    folder = _name(path)
    with _documented(folder):
        if not os.path.isdir(folder):
            os.mkdir(folder)


@public("io.gfile.makedirs")
@told
def makedirs(path: Any) -> None:
    """Makes a folder and those around it; nothing where it is there.

    >>> import tempfile
    >>> fg.io.gfile.makedirs(tempfile.mkdtemp() + "/new/inner")

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Raises:
      FailedPreconditionError: where a file has the name.
    """
    folder = _name(path)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise errors.FailedPreconditionError(None, None, f"{folder} is not a directory")
    with _documented(folder):
        os.makedirs(folder, exist_ok=True)


@public("io.gfile.remove")
def remove(path: Any) -> None:
    """Removes a file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/f"
    >>> fg.io.write_file(path, "")
    >>> fg.io.gfile.remove(path)

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Raises:
      NotFoundError: where there is none.
      FailedPreconditionError: for a folder.
    """
    file = _name(path)
    with _documented(file):
        os.remove(file)


@public("io.gfile.rmtree")
def rmtree(path: Any) -> None:
    """Removes a folder with all that is in it, or a file.

    >>> import tempfile
    >>> fg.io.gfile.rmtree(tempfile.mkdtemp())

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Raises:
      NotFoundError: where there is none.
    """
    folder = _name(path)
    if not os.path.lexists(folder):
        raise errors.NotFoundError(None, None, f"{folder} not found")
    with _documented(folder):
        if os.path.isdir(folder) and not os.path.islink(folder):
            shutil.rmtree(folder)
        else:
            os.remove(folder)


def _check_free(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.lexists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@public("io.gfile.rename")
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> fg.io.write_file(folder + "/old", "")
    >>> fg.io.gfile.rename(folder + "/old", folder + "/new")
    >>> fg.io.gfile.listdir(folder)
    ['new']

    Args:
      src, dst: the name before and after, strings, bytes or path objects; they may begin with
        ``file://``.
      overwrite: a bool, whether what has the name dst may be overwritten; False by default.

    Raises:
      AlreadyExistsError: where dst is taken, without overwrite.
      NotFoundError: where there is no src.
    """
    before, after = _name(src), _name(dst)
    _check_free(after, overwrite)
    with _documented(before):
        os.replace(before, after)


@public("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> fg.io.write_file(folder + "/a", "text")
    >>> fg.io.gfile.copy(folder + "/a", folder + "/b")
    >>> fg.io.read_file(folder + "/b").numpy()
    b'text'

    Args:
      src, dst: the names of the file and of the copy, strings, bytes or path objects; they may
        begin with ``file://``.
      overwrite: a bool, whether a file of the name dst may be overwritten; False by default.

    Raises:
      AlreadyExistsError: where dst is taken, without overwrite.
      NotFoundError: where there is no src.
    """
    before, after = _name(src), _name(dst)
    _check_free(after, overwrite)
    with _documented(before):
        shutil.copyfile(before, after)


@public("io.gfile.stat")
@told
def stat(path: Any) -> FileStatistics:
    """The size of a file, when it was changed, and whether it is a folder.

    >>> fg.io.gfile.stat("/").is_directory
    True

    Args:
      path: its name, a string, bytes or a path object; it may begin with ``file://``.

    Returns:
      A ``FileStatistics``: ``length`` in bytes, ``mtime_nsec`` and ``is_directory``.

    Raises:
      NotFoundError: where there is no such file.
    """
    file = _name(path)
    with _documented(file):
        found = os.stat(file)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(file))


@public("io.gfile.glob")
@told
def glob(pattern: Any) -> list[str]:
    """The names of the files that fit a pattern, or one of several.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> fg.io.write_file(folder + "/a1", "")
    >>> [name[-2:] for name in fg.io.gfile.glob(folder + "/a*")]
    ['a1']

    Args:
      pattern: a string, bytes or a path object with ``*``, ``?`` and ``[...]`` in it, or several of
        such; one may begin with ``file://``, which the names found do not.

    Returns:
      A list of strings, empty where none fits.
    """
    several = isinstance(pattern, Iterable) and not isinstance(pattern, (str, bytes, os.PathLike))
    found: list[str] = []
    for one in pattern if several else [pattern]:
        named = _core.convert_to_tensor(os.fsencode(_name(one)), string)
        names = _core.emit("MatchingFiles", (named,), None, None)
        found += [os.fsdecode(name) for name in names.numpy().tolist()]
    return found


@public("io.gfile.walk")
@told
def walk(
    top: Any, topdown: bool = True, onerror: Callable[..., Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder below one, with the names of the folders and of the files in it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> [(folders, files) for _, folders, files in fg.io.gfile.walk(folder)]
    [([], [])]

    Args:
      top: where to begin.
      topdown: whether a folder comes before those in it.
      onerror: is called with the error of a folder that cannot be read.
    """
    return os.walk(_name(top), topdown, onerror)


@public("io.gfile.join")
def join(path: Any, *paths: Any) -> Any:
    """Parts of a name with slashes between them.

    >>> fg.io.gfile.join("a", "b")
    'a/b'

    Args:
      path, *paths: strings, bytes or path objects; what comes before an absolute one is left out.

    Returns:
      A string, or bytes where the parts are.

    Raises:
      TypeError: for a part of another kind, and where strings and bytes are mixed.
    """
    for part in (path, *paths):
        if not isinstance(part, (str, bytes, os.PathLike)):
            raise TypeError(f"join: path and paths must be names of files, got {shown(part)}")
    return os.path.join(path, *paths)


@public("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """The kinds of file systems, as names of files begin: there is the local one.

    >>> fg.io.gfile.get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]
