"""Small pictures of every kind that Pillow writes as JPEG, and the ways to read them."""

import io

import numpy as np
from PIL import Image

SIZES = [(1, 1), (7, 5), (8, 8), (9, 17), (33, 31), (40, 6), (6, 40), (45, 60)]
KINDS = {
    "4:2:0": {"quality": 75},
    "4:2:2 progressive": {"quality": 90, "subsampling": 1, "progressive": True},
    "4:4:4": {"quality": 95, "subsampling": 0},
    "restarts": {"quality": 60, "restart_marker_blocks": 3},
    "progressive": {"quality": 40, "progressive": True, "restart_marker_rows": 1},
    "gray": {"mode": "L", "quality": 85},
    "CMYK": {"mode": "CMYK", "quality": 80},
    "RGB": {"quality": 88, "keep_rgb": True, "subsampling": 0},
    "noise": {"noise": 120, "quality": 100},
    "coarse": {"quality": 2, "optimize": True},
}


def pixels(height: int, width: int, noise: int, seed: int) -> np.ndarray:
    """Slopes of colour with noise; whole numbers alone, so that they are the same everywhere."""
    draw = np.random.RandomState(seed)
    y, x = np.mgrid[:height, :width]
    slopes = draw.randint(-9, 10, (2, 3))
    plain = 128 + y[..., None] * slopes[0] + x[..., None] * slopes[1]
    return np.clip(plain + draw.randint(-noise, noise + 1, plain.shape), 0, 255).astype(np.uint8)


def files() -> dict[str, bytes]:
    """40 files: each kind in four sizes."""
    made = {}
    for k, (kind, settings) in enumerate(KINDS.items()):
        settings = dict(settings)
        noise, mode = settings.pop("noise", 25), settings.pop("mode", "RGB")
        for i in range(4):
            height, width = SIZES[(2 * i + k) % 8]
            picture = Image.fromarray(pixels(height, width, noise, 10 * k + i)).convert(mode)
            to = io.BytesIO()
            picture.save(to, "JPEG", **settings)
            made[f"{kind} {height}x{width}"] = to.getvalue()
    return made


# Arguments of ``decode_jpeg`` beside the contents.
READS = {
    "accurate": {"dct_method": "INTEGER_ACCURATE"},
    "fast": {},
    "plain": {"dct_method": "INTEGER_ACCURATE", "fancy_upscaling": False},
    "half": {"ratio": 2},
    "quarter": {"ratio": 4, "fancy_upscaling": False},
    "eighth": {"ratio": 8},
    "one": {"channels": 1, "dct_method": "INTEGER_ACCURATE"},
    "three": {"channels": 3},
}

# Windows of ``decode_and_crop_jpeg``, as parts of height and width: upper, left, height, width.
WINDOWS = [(0, 0, 1, 1), (0.3, 0.55, 0.5, 0.3), (0, 0.55, 0.2, 0.1), (0.5, 0, 0.5, 0.55)]


def window(parts: tuple[float, ...], height: int, width: int) -> list[int]:
    """A window of a picture, of a pixel at least."""
    top, left, rows, columns = parts
    top, left = int(top * height), int(left * width)
    return [top, left, max(1, int(rows * (height - top))), max(1, int(columns * (width - left)))]


def reads(name: str):
    """The ways to read a file, by name."""
    yield from READS.items()
    height, width = map(int, name.split()[-1].split("x"))
    for i, parts in enumerate(WINDOWS):
        yield f"window {i}", {"crop_window": window(parts, height, width)}
