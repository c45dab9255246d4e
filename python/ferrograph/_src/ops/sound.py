"""Sound from and to the contents of files."""

from __future__ import annotations

from typing import NamedTuple

from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, float32
from ._numbers import int32_of

__all__ = ["DecodeWav"]


class DecodeWav(NamedTuple):
    """Samples from -1 to 1, a row for each time and a column for each channel, and their rate."""

    audio: Tensor
    sample_rate: Tensor


@public("audio.decode_wav")
def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> DecodeWav:
    """The samples in the contents of a WAV file of 16 bits a sample.

    >>> file = fg.audio.encode_wav([[0.0], [0.5], [-1.0]], 8000)
    >>> audio, rate = fg.audio.decode_wav(file)
    >>> audio.numpy().ravel(), int(rate)
    (array([ 0. ,  0.5, -1. ], dtype=float32), 8000)

    Args:
      contents: a string.
      desired_channels: how many channels come out: the last one is repeated where the file has
        fewer. -1 for those of the file.
      desired_samples: how many samples come out: zeros stand behind those of the file. -1 for
        those of the file.
      name: a name for the operation.

    Returns:
      ``audio``, float32 ``[samples, channels]``, and ``sample_rate``: how many there are in a
      second.

    Raises:
      InvalidArgumentError: where it is no such file.
    """
    attrs = {"desired_channels": desired_channels, "desired_samples": desired_samples}
    return DecodeWav(*emit("DecodeWav", (contents,), attrs, name))


@public("audio.encode_wav")
def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Sound as the contents of a WAV file of 16 bits a sample.

    >>> len(fg.audio.encode_wav(fg.zeros([4, 2]), 44100).numpy())
    60

    Args:
      audio: float32 ``[samples, channels]``; what lies beyond -1 and 1 is cut.
      sample_rate: how many samples there are in a second.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for no channels, or a rate that is not positive.
    """
    inputs = (convert(audio, float32), int32_of(sample_rate))
    return emit("EncodeWav", inputs, None, name)
