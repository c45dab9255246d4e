"""Pictures of the examples: arrays as PNG files, which notebooks show."""

import ferrograph as fg
import numpy as np


class Picture:
    """An image of red, green and blue in 0..1, `[height, width, 3]`."""

    def __init__(self, pixels):
        pixels = np.clip(np.asarray(pixels) * 255, 0, 255).astype(np.uint8)
        self._png = fg.io.encode_png(pixels).numpy()

    def save(self, path):
        """Write it to a file. The picture itself, which a notebook shows."""
        path.write_bytes(self._png)
        print(f"picture {path}")
        return self

    def _repr_png_(self):
        return self._png


def enlarged(image, scale):
    """Each pixel as a square of that many."""
    return np.repeat(np.repeat(image, scale, axis=0), scale, axis=1)


def grid(rows, size, scale):
    """Rows of square images side by side, those of a row at its beginning."""
    width = max(map(len, rows), default=0)
    sheet = np.ones([len(rows) * (size + 1) + 1, width * (size + 1) + 1, 3])
    for i, row in enumerate(rows):
        for j, image in enumerate(row):
            top, left = 1 + i * (size + 1), 1 + j * (size + 1)
            sheet[top : top + size, left : left + size] = image
    return enlarged(sheet, scale)
