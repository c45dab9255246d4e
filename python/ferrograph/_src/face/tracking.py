"""Objects that refer to objects with variables, as libraries make them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..checkpoint.trackable import is_trackable
from ..saved.functions import is_function
from ..values.markers import Trackable

__all__ = ["AutoTrackable", "ListWrapper", "no_automatic_dependency_tracking"]


class AutoTrackable(Trackable):
    """An object that refers, as a checkpoint sees it, to what its attributes hold.

    An attribute counts from when it is set, unless ``_self_setattr_tracking`` is False then.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        children = self.__dict__.setdefault("_self_tracked", {})
        if getattr(self, "_self_setattr_tracking", True):
            if _is_followed(value):
                children[name] = value
            else:
                children.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get("_self_tracked", {}).pop(name, None)
        super().__delattr__(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Refer to an object under a name. ValueError where it has another one already."""
        children = self.__dict__.setdefault("_self_tracked", {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(f"{name!r} refers to another object already")
        children[name] = trackable
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The objects that it refers to, by name; for a saved model its functions, too."""
        children = dict(self.__dict__.get("_self_tracked", {}))
        if save_type == "savedmodel":
            children.update((n, f) for n, f in vars(self).items() if is_function(f))
        return children


def _is_followed(value: Any) -> bool:
    """Whether an attribute refers to this for a checkpoint: a library's own lists keep accounts."""
    return is_trackable(value) and (type(value) is list or not isinstance(value, list))


def no_automatic_dependency_tracking(method: Callable) -> Callable:
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


class ListWrapper(list):
    """A list that a module holds. Modules hold lists as they are: nothing makes one."""


class _DictWrapper(dict):
    """A dictionary that a module holds. Modules hold them as they are: nothing makes one."""
