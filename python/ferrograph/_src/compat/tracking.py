"""Trackable objects, as libraries use them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from ..checkpoint import watching
from ..checkpoint.trackable import is_trackable
from ..checkpoint.watching import TrackedDict as _DictWrapper
from ..checkpoint.watching import TrackedList as ListWrapper
from ..context.locals import keeps_arguments
from ..saved.functions import is_function
from ..values.markers import Trackable

__all__ = ["AutoTrackable", "ListWrapper", "no_automatic_dependency_tracking"]


class AutoTrackable(Trackable):
    """An object that refers, as a checkpoint sees it, to what its attributes hold.

    An attribute counts from when it is set, unless ``_self_setattr_tracking`` is False then. A list
    or dictionary that is known nowhere else is kept as one that tells of what is added to it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_self_setattr_tracking", True):
            value = self._follow(name, value)
        else:
            self.__dict__.setdefault("_self_tracked", {})
        super().__setattr__(name, value)

    def _follow(self, name: str, value: Any) -> Any:
        """Refer to an attribute if a checkpoint follows it; what is to be kept as its value."""
        children = self.__dict__.setdefault("_self_tracked", {})
        if not _is_followed(value):
            children.pop(name, None)
            return value
        if type(value) in (list, dict) and _is_nowhere_else(value):
            value = ListWrapper(value) if type(value) is list else _DictWrapper(value)
        children[name] = watching.arrived(self, name, value)
        return children[name]

    def _put(self, name: str, value: Any) -> None:
        """Keep another object under a name that it refers to."""
        self.__dict__["_self_tracked"][name] = value
        if name in self.__dict__:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get("_self_tracked", {}).pop(name, None)
        super().__delattr__(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Refer to an object under a name. ValueError where it has another one already."""
        children = self.__dict__.setdefault("_self_tracked", {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(f"{name!r} refers to another object already")
        children[name] = watching.arrived(self, name, trackable)
        return children[name]

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The objects that it refers to, by name; for a saved model its functions, too."""
        children = dict(self.__dict__.get("_self_tracked", {}))
        if save_type == "savedmodel":
            children.update((n, f) for n, f in vars(self).items() if is_function(f))
        return children


def _is_followed(value: Any) -> bool:
    """Whether an attribute refers to this for a checkpoint: a library's own lists keep accounts."""
    is_kept = type(value) in (list, ListWrapper) or not isinstance(value, list)
    return is_trackable(value) and is_kept


def _is_nowhere_else(value: Any) -> bool:
    """Whether only the active assignment to an attribute refers to a value."""
    kept = keeps_arguments()  # then each call but that by the statement has one more
    frame, n_own = sys._getframe(2), 3 + kept  # of the two frames here, and of the call that counts
    while frame is not None and frame.f_code.co_name == "__setattr__":
        frame, n_own = frame.f_back, n_own + 1 + kept  # type: ignore[assignment]
    return sys.getrefcount(value) <= n_own + 1  # that of the statement itself


watching.telling.append(AutoTrackable)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that sets attributes which no checkpoint is to follow."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked
