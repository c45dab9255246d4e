"""Pictures of the examples: arrays as PNG files, which notebooks show."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ferrograph as fg
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


class Picture:
    """An image of red, green and blue in 0..1, `[height, width, 3]`."""

    def __init__(self, pixels: ArrayLike):
        scaled = np.clip(np.asarray(pixels) * 255, 0, 255).astype(np.uint8)
        self._png: bytes = fg.io.encode_png(scaled).numpy()

    def save(self, path: Path) -> "Picture":
        """Write it to a file. The picture itself, which a notebook shows."""
        path.write_bytes(self._png)
        print(f"picture {path}")
        return self

    def _repr_png_(self) -> bytes:
        return self._png


def enlarged(image: Array, scale: int) -> Array:
    """Each pixel as a square of that many."""
    return np.repeat(np.repeat(image, scale, axis=0), scale, axis=1)


def grid(rows: Sequence[Sequence[Array]], size: int, scale: int) -> Array:
    """Rows of square images side by side, those of a row at its beginning."""
    width = max(map(len, rows), default=0)
    sheet = np.ones([len(rows) * (size + 1) + 1, width * (size + 1) + 1, 3])
    for i, row in enumerate(rows):
        for j, image in enumerate(row):
            top, left = 1 + i * (size + 1), 1 + j * (size + 1)
            sheet[top : top + size, left : left + size] = image
    return enlarged(sheet, scale)
