"""Names of devices, and how operations are dispatched: synchronously, by the calling thread."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..values.public import block, public

__all__ = ["DeviceSpec", "async_clear_error", "async_scope", "function_executor_type"]

_NUMBERS = ("replica", "task", "device_index")
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


@public("DeviceSpec")
class DeviceSpec:
    """The name of a device in its parts, some of which may be left open. It never changes.

    >>> fg.DeviceSpec(job="ps", task=1, device_type="CPU", device_index=0).to_string()
    '/job:ps/task:1/device:CPU:0'
    >>> fg.DeviceSpec.from_string("/job:worker/gpu:2").device_index
    2

    Args:
      job: the name of the job.
      replica: the number of the replica.
      task: the number of the task.
      device_type: such as "CPU"; it is written in capitals.
      device_index: the number of the device.
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: Any = None,
        task: Any = None,
        device_type: str | None = None,
        device_index: Any = None,
    ):
        given = (job, replica, task, device_type, device_index)
        parts: dict[str, Any] = {}
        for name, value in zip(_FIELDS, given, strict=True):
            parts[name] = int(value) if name in _NUMBERS and value is not None else value
        if device_type is not None:
            parts["device_type"] = device_type.upper()
        self._parts = parts

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name such as ``/job:ps/device:GPU:0``. ValueError for what is no name."""
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The parts of a name; those of this one are not taken over."""
        return self.from_string(spec)

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._parts["job"]

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._parts["replica"]

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._parts["task"]

    @property
    def device_type(self) -> str | None:
        """The kind of device, such as "CPU"."""
        return self._parts["device_type"]

    @property
    def device_index(self) -> int | None:
        """The number of the device."""
        return self._parts["device_index"]

    def to_string(self) -> str:
        """The name; parts that are left open are left out."""
        text = "".join(
            f"/{name}:{self._parts[name]}"
            for name in ("job", "replica", "task")
            if self._parts[name] is not None
        )
        if self.device_type is not None:
            number = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{number}"
        return text

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """The parts of another name where it has them, else those of this one."""
        given = {name: value for name, value in dev._parts.items() if value is not None}
        return self.replace(**given)

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """The name with other parts."""
        return type(self)(**{**self._parts, **kwargs})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(tuple(self._parts.values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self._parts.items())
        return f"<DeviceSpec({inside})>"


def _parsed(spec: str) -> dict[str, Any]:
    """The parts of the name of a device."""
    found: dict[str, Any] = {}
    for part in filter(None, spec.split("/")):
        name, *rest = part.split(":")
        if name in ("job", "replica", "task") and len(rest) == 1:
            if rest[0] != "*":
                found[name] = rest[0]
        elif name.lower() in ("cpu", "gpu", "tpu") and len(rest) == 1:
            found |= {"device_type": name, "device_index": _index(rest[0])}
        elif name == "device" and len(rest) == 2:
            kind = None if rest[0] == "*" else rest[0]
            found |= {"device_type": kind, "device_index": _index(rest[1])}
        else:
            raise ValueError(
                f"Unknown attribute {name!r} is encountered while parsing the device spec: {spec!r}"
            )
    return found


def _index(text: str) -> str | None:
    return None if text == "*" else text


@public("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """A block whose operations need not be done when they are called.

    They are: what fails raises at its line, within the block.

    >>> with fg.experimental.async_scope():
    ...     x = fg.constant(1) + 1
    >>> int(x)
    2
    """
    yield


@public("experimental.async_clear_error")
def async_clear_error() -> None:
    """Forgets errors that ``async_scope`` has not raised: there are none.

    >>> fg.experimental.async_clear_error()
    """


@public("experimental.function_executor_type")
@block
def function_executor_type(executor_type: str) -> Iterator[None]:
    """A block in which functions run by an executor of that name: there is one, whatever the name.

    >>> with fg.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     int(fg.function(lambda: fg.constant(3))())
    3

    Args:
      executor_type: a string; of no effect.

    Returns:
      A context manager.
    """
    yield
