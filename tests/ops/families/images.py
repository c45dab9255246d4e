"""Images, against sums over all pixels and files written by hand."""

import struct
import zlib

import numpy as np
from table import FLOATS, INEXACT, REAL, Vary, row

from families.slopes import slope
from families.windows import spread

SINGLE = ("float32", "float16", "bfloat16")
# Slopes of wider floats are summed in single precision, too.
SLOPES = (*SINGLE, "float64")
X = Vary(2, 4, 4, 3, ints=(0, 200))
SIZE = [8, 2]


def bell(x, kind):
    """The weight of a neighbour at that distance."""
    x = np.abs(x)
    if kind == "triangle":
        return np.maximum(1 - x, 0)
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def weights(n, m, method, antialias=False):
    """How much each of ``n`` elements counts for each of ``m``."""
    at = (np.arange(m)[:, None] + 0.5) * n / m
    k = np.arange(n)[None, :]
    if method == "nearest":
        return (np.floor(at) == k).astype(float)
    if method == "area":
        low, high = np.arange(m)[:, None] * n / m, np.arange(1, m + 1)[:, None] * n / m
        return np.clip(np.minimum(high, k + 1) - np.maximum(low, k), 0, None) * m / n
    wide = max(n / m, 1) if antialias else 1
    kind = "triangle" if method == "bilinear" else "keys"
    found = bell((at - 0.5 - k) / wide, kind)
    return found / found.sum(1, keepdims=True)


def resized(x, size, method, antialias=False):
    down = weights(x.shape[1], size[0], method, antialias)
    across = weights(x.shape[2], size[1], method, antialias)
    return np.einsum("yh,xw,nhwc->nyxc", down, across, x)


def resizer(fg, method, antialias=False, size=SIZE):
    return lambda x: fg.image.resize(x, size, method=method, antialias=antialias)


NAMES = {
    "bilinear": "ResizeBilinear",
    "bicubic": "ResizeBicubic",
    "area": "ResizeArea",
}
for method, op in NAMES.items():
    row(
        op,
        lambda fg, x, m=method: resizer(fg, m)(x),
        [X],
        lambda x, m=method: resized(x, SIZE, m),
        None,
        dtypes=REAL,
        out="float32",
        tol=64,
        forms={"none": [X.of(0, 4, 4, 3)], "one channel": [X.of(1, 2, 6, 1)]},
    )
    row(
        op + "Grad",
        lambda fg, x, g, m=method: slope(fg, resizer(fg, m), x, fg.cast(g, fg.float32)),
        [X, Vary(2, 8, 2, 3, seed=1)],
        lambda x, g, m=method: spread(lambda y: resized(y, SIZE, m), x.shape)(g),
        None,
        dtypes=SLOPES,
        tol=512,
    )
row(
    "ScaleAndTranslate",
    lambda fg, x: resizer(fg, "bilinear", True)(x),
    [X],
    lambda x: resized(x, SIZE, "bilinear", True),
    None,
    dtypes=REAL,
    out="float32",
    tol=64,
    forms={"none": [X.of(0, 4, 4, 3)]},
)
row(
    "ScaleAndTranslateGrad",
    lambda fg, x, g: slope(fg, resizer(fg, "bilinear", True), x, fg.cast(g, fg.float32)),
    [X, Vary(2, 8, 2, 3, seed=1)],
    lambda x, g: spread(lambda y: resized(y, SIZE, "bilinear", True), x.shape)(g),
    None,
    dtypes=SLOPES,
    tol=512,
)
row(
    "ResizeNearestNeighbor",
    lambda fg, x: resizer(fg, "nearest")(x),
    [X],
    lambda x: resized(x, SIZE, "nearest"),
    (0,),
    dtypes=REAL,
    forms={"none": [X.of(0, 4, 4, 3)], "two channels": [X.of(1, 4, 4, 2)]},
)
row(
    "ResizeNearestNeighborGrad",
    lambda fg, x, g: slope(fg, resizer(fg, "nearest"), x, g),
    [X, Vary(2, 8, 2, 3, seed=1)],
    lambda x, g: spread(lambda y: resized(y, SIZE, "nearest"), x.shape)(g),
    None,
    dtypes=FLOATS,
    tol=8,
)

BOXES = np.float32([[0, 0, 1, 1], [0.5, 0.25, 0, 2.0]])


def cropped(x, boxes=BOXES, size=(3, 2)):
    """Boxes of images, pixel by pixel."""
    out = np.zeros((len(boxes), *size, x.shape[-1]))
    for n, (top, left, bottom, right) in enumerate(boxes.astype(float)):
        for i in range(size[0]):
            for j in range(size[1]):
                y = (top + (bottom - top) * i / (size[0] - 1)) * (x.shape[1] - 1)
                z = (left + (right - left) * j / (size[1] - 1)) * (x.shape[2] - 1)
                if not (0 <= y <= x.shape[1] - 1 and 0 <= z <= x.shape[2] - 1):
                    continue
                for a in range(x.shape[1]):
                    for b in range(x.shape[2]):
                        part = max(0, 1 - abs(y - a)) * max(0, 1 - abs(z - b))
                        out[n, i, j] += part * x[1 - n, a, b]
    return out


def cropper(fg):
    return lambda x: fg.image.crop_and_resize(x, BOXES, [1, 0], [3, 2])


def boxes_slope(fg, x, g):
    """The gradient of the boxes of crops."""
    return slope(
        fg, lambda b: fg.image.crop_and_resize(x, b, [1, 0], [3, 2]), fg.constant(MOVED), g
    )


MOVED = BOXES * np.float32(0.81) + np.float32(0.013)


def boxes_slope_by_steps(x, g):
    """The same by differences; crops are made of lines between these steps."""
    out, step = np.zeros((2, 4)), 1e-4
    for at in np.ndindex(2, 4):
        more, less = MOVED.astype(float), MOVED.astype(float)
        more[at] += step
        less[at] -= step
        out[at] = np.sum((cropped(x, more) - cropped(x, less)) * g) / (2 * step)
    return out


row(
    "CropAndResize",
    lambda fg, x: cropper(fg)(x),
    [X],
    cropped,
    None,
    dtypes=REAL,
    out="float32",
    tol=64,
)
row(
    "CropAndResizeGradImage",
    lambda fg, x, g: slope(fg, cropper(fg), x, fg.cast(g, fg.float32)),
    [X, Vary(2, 3, 2, 3, seed=1)],
    lambda x, g: spread(cropped, x.shape)(g),
    None,
    dtypes=SLOPES,
    tol=512,
)
row(
    "CropAndResizeGradBoxes",
    boxes_slope,
    [np.float32(X.at("float64")), np.float32(Vary(2, 3, 2, 3, seed=1).at("float64"))],
    boxes_slope_by_steps,
    None,
    out="float32",
    tol=2000,
)


def patches(x):
    """Windows of 2 by 2, a pixel apart, from every second pixel."""
    at = [(i, j) for i in (0, 2) for j in (0, 2)]
    seen = [x[:, i : i + 2, j : j + 2] for i, j in at]
    return np.concatenate([s[:, ::1, ::1] for s in seen], -1)


def patched(fg):
    return lambda x: fg.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], "VALID")


PLAIN = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
row(
    "ExtractImagePatches",
    lambda fg, x: patched(fg)(x),
    [X],
    patches,
    (0,),
    dtypes=(*PLAIN, "complex64", "complex128", "bool"),
    forms={"none": [X.of(0, 4, 4, 3)]},
)
row(
    "ExtractImagePatchesGrad",
    lambda fg, x, g: slope(fg, patched(fg), x, g),
    [X, Vary(2, 2, 2, 12, seed=1)],
    lambda x, g: spread(patches, x.shape)(g),
    None,
    dtypes=INEXACT,
    tol=4,
)

CORNERS = np.array([[0, 0, 1, 1], [0, 0.25, 1, 1.25], [0, 2, 1, 3], [0, 2, 1, 2.5]])
SCORES = np.array([0.75, 0.875, 0.5, 0.625])
B, S = Vary(values=CORNERS), Vary(values=SCORES)


def fixed(*results):
    """What is known of the boxes above."""
    found = tuple(np.array(x) for x in results)
    return lambda *_: found if len(found) > 1 else found[0]


row(
    "NonMaxSuppressionV3",
    lambda fg, b, s: fg.image.non_max_suppression(b, s, 4, 0.25),
    [B, S],
    fixed([1, 3]),
    dtypes=SINGLE,
    out="int32",
)
row(
    "NonMaxSuppressionV4",
    lambda fg, b, s: fg.image.non_max_suppression_padded(
        b, s, 3, 0.25, pad_to_max_output_size=True
    ),
    [B, S],
    fixed([1, 3, 0], 2),
    dtypes=SINGLE,
    out="int32",
)
row(
    "NonMaxSuppressionV5",
    lambda fg, b, s: fg.image.non_max_suppression_with_scores(b, s, 4, 0.25),
    [B, S],
    fixed([1, 3], [0.875, 0.625]),
    dtypes=SINGLE,
    out=("int32", "T"),
)
row(
    "NonMaxSuppressionWithOverlaps",
    lambda fg, o, s: fg.image.non_max_suppression_overlaps(o, s, 3, 0.5),
    [np.float32([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]]), np.float32([0.3, 0.5, 0.4])],
    fixed([1, 2]),
    out="int32",
)
row(
    "CombinedNonMaxSuppression",
    lambda fg, b, s: tuple(fg.image.combined_non_max_suppression(b, s, 2, 3, 0.25)),
    [np.float32(CORNERS)[None, :, None], np.float32(SCORES)[None, :, None]],
    fixed([[[0, 0.25, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]]], [[0.875, 0.625, 0]], [[0, 0, 0]], [2]),
    out=("float32", "float32", "float32", "int32"),
)


def framed(x):
    out = x.copy()
    out[:, [0, 3]] = 2
    out[:, :, [0, 3]] = 2
    return out


row(
    "DrawBoundingBoxesV2",
    lambda fg, x: fg.image.draw_bounding_boxes(x, [[[0.0, 0.0, 1.0, 1.0]]] * 2, [[2.0, 2.0, 2.0]]),
    [X],
    framed,
    None,
    dtypes=SINGLE,
)


def png(pixels):
    """A PNG file of gray bytes."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    h, w = pixels.shape[:2]
    lines = b"".join(b"\0" + bytes(line.ravel().tolist()) for line in pixels)
    head = struct.pack(">IIBBBBB", w, h, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def bmp(pixels):
    """A BMP file of colours."""
    h, w = pixels.shape[:2]
    lines = [line[:, ::-1].tobytes() for line in pixels[::-1]]
    data = b"".join(line + bytes(-len(line) % 4) for line in lines)
    sizes = struct.pack("<IiiHHIIiiII", 40, w, h, 1, 24, 0, len(data), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + sizes + data


def gif(frames):
    """A GIF file of black and red pixels, each code behind one that begins anew."""
    h, w = frames.shape[1:3]
    head = struct.pack("<HHBBB", w, h, 0x80, 0, 0) + bytes([0, 0, 0, 255, 0, 0])
    file = b"GIF89a" + head
    for frame in frames:
        codes = [code for x in frame[..., 0].ravel() for code in (4, int(x > 0))] + [5]
        bits = sum(code << 3 * i for i, code in enumerate(codes))
        data = bits.to_bytes(-(-3 * len(codes) // 8), "little")
        file += b"," + struct.pack("<HHHHB", 0, 0, w, h, 0)
        file += b"\x02" + bytes([len(data)]) + data + b"\0"
    return file + b";"


GRAY = np.arange(12, dtype=np.uint8).reshape(3, 4, 1) * 20
COLORS = np.arange(18, dtype=np.uint8).reshape(2, 3, 3) * 13
FRAMES = np.zeros((2, 2, 3, 3), np.uint8)
FRAMES[0, 0, :, 0] = FRAMES[1, :, 1, 0] = 255
FLAT = np.full((8, 8, 1), 100, np.uint8)
# Gray pixels as another encoder writes them.
JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010101012c012c0000ffdb0043000302020302020303030304030304050805050404050a07"
    "0706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffc0000b080008"
    "000801011100ffc40014000100000000000000000000000000000007ffc4001410010000000000000000000000000000"
    "0000ffda0008010100003f00347fffd9"
)


def text(data):
    return np.array(data, object)


def of_file(op, read, file, expect, **fields):
    row(
        op,
        lambda fg, s: read(fg)(s),
        [text(file)],
        lambda _: expect,
        **{"out": expect.dtype.name, **fields},
    )


of_file("DecodePng", lambda fg: fg.io.decode_png, png(GRAY), GRAY)
of_file("DecodeImage", lambda fg: fg.io.decode_image, png(GRAY), GRAY)
of_file("DecodeBmp", lambda fg: fg.io.decode_bmp, bmp(COLORS), COLORS)
of_file("DecodeGif", lambda fg: fg.io.decode_gif, gif(FRAMES), FRAMES)
# The fast transform, which is the default, loses one.
of_file("DecodeJpeg", lambda fg: fg.io.decode_jpeg, JPEG, FLAT - 1)
of_file(
    "DecodeAndCropJpeg",
    lambda fg: lambda s: fg.io.decode_and_crop_jpeg(s, [2, 3, 4, 5]),
    JPEG,
    FLAT[2:6, 3:8] - 1,
)
of_file(
    "ExtractJpegShape",
    lambda fg: fg.io.extract_jpeg_shape,
    JPEG,
    np.array([8, 8, 1], np.int32),
)
row(
    "EncodePng",
    lambda fg, x: fg.io.decode_png(fg.io.encode_png(x), dtype=x.dtype),
    [Vary(3, 4, 3, ints=(0, 200))],
    lambda x: x,
    dtypes=("uint8", "uint16"),
    forms={"gray": [Vary(2, 1, 1, ints=(0, 200))]},
)
row(
    "EncodeJpeg",
    lambda fg, x: fg.io.decode_jpeg(fg.io.encode_jpeg(x)),
    [np.full((8, 8, 3), 128, np.uint8)],
    lambda x: x,
    dtypes=("uint8",),
)
row(
    "EncodeJpegVariableQuality",
    lambda fg, x: fg.image.adjust_jpeg_quality(x, 90),
    [np.full((8, 8, 1), 128, np.uint8)],
    lambda x: x,
    out="uint8",
)

# As tensorflow 2.21 draws it.
row(
    "DistortedWindow",
    lambda fg, size: fg.image.stateless_sample_distorted_bounding_box(
        size,
        [[[0.0, 0.0, 1.0, 1.0]]],
        [1, 0],
        aspect_ratio_range=[0.75, 4 / 3],
        area_range=[0.08, 1.0],
        max_attempts=10,
    ),
    [np.array([224, 180, 3], np.int32)],
    lambda size: (
        np.array([83, 60, 0]),
        np.array([85, 107, -1]),
        np.array([[[0.37053570, 0.33333334, 0.75, 0.92777777]]]),
    ),
    out=("int32", "int32", "float32"),
)
