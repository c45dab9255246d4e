"""Programs over images: each takes the package and gives tensors."""

import struct

import numpy as np


def image(*shape, dtype="float32", seed=0):
    """Pixels from 0 to 1, or of all bytes."""
    drawn = np.random.default_rng(seed).uniform(0.0, 1.0, shape)
    return drawn.astype(dtype) if dtype.startswith("float") else (drawn * 255).astype(dtype)


def bitmap(width, height, bits, data):
    """A BMP file."""
    head = b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54)
    sizes = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(data), 0, 0, 0, 0)
    return head + sizes + data


X = image(2, 5, 7, 3)
BYTES = image(4, 6, 3, dtype="uint8", seed=1)
GRAY = image(12, 12, 1, dtype="uint8")
BOXES = np.float32([[0, 0, 1, 1], [0, 0, 1, 2], [0.1, 0, 1, 1.1], [0, 5, 1, 6], [1, 1, 0, 0.2]])
SCORES = np.float32([0.9, 0.8, 0.7, 0.75, 0.3])
METHODS = (
    "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic",
)  # fmt: skip


def gradient(tf, f, *xs):
    """Gradients of a weighted sum of what f gives."""
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
        weights = tf.reshape(tf.range(tf.size(y)), tf.shape(y))
        total = tf.reduce_sum(y * tf.cast(weights, y.dtype))
    return tape.gradient(total, xs)


def _resizes(method, antialias):
    def case(tf):
        sizes = ([10, 3], [2, 9], [5, 7], [1, 1], [13, 14])

        def resize(x, s):
            return tf.image.resize(x, s, method=method, antialias=antialias)

        return [resize(X, s) for s in sizes], resize(BYTES, [3, 3]), resize(X[0], [2, 2])

    return case


def _slopes(method, antialias):
    def case(tf):
        def resize(s):
            return lambda x: tf.image.resize(x, s, method=method, antialias=antialias)

        return [gradient(tf, resize(s), X) for s in ([10, 3], [2, 9])]

    return case


CASES = {}
for method in METHODS:
    for antialias in (False, True):
        CASES[f"resize {method} {antialias}"] = _resizes(method, antialias)
        if method != "area":
            CASES[f"gradient of resize {method} {antialias}"] = _slopes(method, antialias)

CASES |= {
    "resize within": lambda tf: tf.image.resize(X, [9, 8], preserve_aspect_ratio=True),
    "resize with pad": lambda tf: [tf.image.resize_with_pad(X, h, w) for h, w in ((9, 9), (3, 9))],
    "crop or pad": lambda tf: [
        tf.image.resize_with_crop_or_pad(X, h, w) for h, w in ((4, 9), (8, 4), (2, 2), (7, 9))
    ],
    "turns": lambda tf: [tf.image.rot90(X, k) for k in (0, 1, 2, 3, 5, -1)],
    "turned by a tensor": lambda tf: [tf.image.rot90(X, tf.constant(k)) for k in (1, 2, 3, 4)],
    "flips": lambda tf: (
        tf.image.flip_left_right(X), tf.image.flip_up_down(X[0]), tf.image.transpose(X),
    ),
    "parts": lambda tf: (
        tf.image.crop_to_bounding_box(X, 1, 2, 3, 4),
        tf.image.pad_to_bounding_box(X, 1, 2, 8, 9),
        [tf.image.central_crop(X, f) for f in (0.2, 0.5, 0.75, 1.0)],
    ),
    "crop and resize": lambda tf: [
        tf.image.crop_and_resize(X, BOXES * 0.7, [0, 1, 1, 0, 1], size, method, 0.25)
        for size in ([2, 3], [1, 1], [6, 5])
        for method in ("bilinear", "nearest")
    ],
    "gradients of crop and resize": lambda tf: gradient(
        tf,
        lambda x, b: tf.image.crop_and_resize(x, b, [0, 1, 1, 0, 1], [3, 4]),
        X,
        BOXES * 0.71 + 0.003,
    ),
    "patches": lambda tf: [
        tf.image.extract_patches(X, [1, *k, 1], [1, *s, 1], [1, *r, 1], padding)
        for k, s, r in (
            ((2, 3), (1, 1), (1, 1)), ((3, 2), (2, 3), (1, 2)), ((1, 1), (2, 2), (1, 1)),
        )
        for padding in ("VALID", "SAME")
    ],
    "gradient of patches": lambda tf: [
        gradient(
            tf,
            lambda x, p=p: tf.image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], p),
            X,
        )
        for p in ("VALID", "SAME")
    ],
    "brightness": lambda tf: (
        tf.image.adjust_brightness(X, 0.3), tf.image.adjust_brightness(BYTES, -0.25),
        tf.image.adjust_brightness(image(2, 2, 1, dtype="float16"), 0.5),
    ),
    "contrast": lambda tf: (
        tf.image.adjust_contrast(X, 1.7), tf.image.adjust_contrast(BYTES, 0.4),
        tf.image.adjust_contrast(X.astype("float64"), 0.4),
    ),
    "gamma": lambda tf: (tf.image.adjust_gamma(X, 0.5, 2), tf.image.adjust_gamma(BYTES, 1.5)),
    "hue": lambda tf: [tf.image.adjust_hue(x, d) for x in (X, BYTES) for d in (-1.0, -0.3, 0.45)],
    "saturation": lambda tf: [
        tf.image.adjust_saturation(x, s) for x in (X, BYTES) for s in (-1.0, 0.3, 4.0)
    ],
    "hsv": lambda tf: (
        tf.image.rgb_to_hsv(X), tf.image.hsv_to_rgb(X), tf.image.rgb_to_hsv(X.astype("float64")),
        tf.image.hsv_to_rgb(np.float32([[1, 1, 1], [1.2, 1, 1], [-0.2, 1, 1], [0.5, 2, 1]])),
        tf.image.rgb_to_hsv(np.float32([[1, 1, 1], [-1.2, 1, 1], [0, 0, 0], [2, 3, 1], [1, 1, 0]])),
    ),
    "gradient of hsv": lambda tf: gradient(tf, tf.image.rgb_to_hsv, X),
    "gray": lambda tf: (
        tf.image.rgb_to_grayscale(X), tf.image.rgb_to_grayscale(BYTES),
        tf.image.grayscale_to_rgb(tf.constant(X[..., :1])),
    ),
    "yiq and yuv": lambda tf: [
        f(X)
        for f in (
            tf.image.rgb_to_yiq, tf.image.yiq_to_rgb, tf.image.rgb_to_yuv, tf.image.yuv_to_rgb,
        )
    ],
    "standardized": lambda tf: (
        tf.image.per_image_standardization(X), tf.image.per_image_standardization(BYTES),
        tf.image.per_image_standardization(np.full((2, 2, 1), 4.0, np.float32)),
    ),
    "dtypes": lambda tf: [
        tf.image.convert_image_dtype(tf.constant(x), d, s)
        for x in (BYTES, X, BYTES.astype("int16") * 100, (X * 3 - 1).astype("float64"))
        for d in (tf.uint8, tf.int16, tf.uint16, tf.int32, tf.float16, tf.float32)
        for s in (False, True)
        if s or x.dtype != np.float64
    ],
    "measures": lambda tf: (
        [tf.image.total_variation(tf.constant(x)) for x in (X, X[0])],
        tf.image.image_gradients(tf.constant(X)), tf.image.sobel_edges(tf.constant(X)),
        tf.image.psnr(X, X[::-1], 1.0), tf.image.psnr(BYTES, BYTES + 3, 255),
    ),
    "likeness": lambda tf: (
        tf.image.ssim(image(2, 13, 15, 3), image(2, 13, 15, 3, seed=4), 1.0),
        tf.image.ssim(GRAY, GRAY[::-1], 255),
        tf.image.ssim(image(2, 9, 9, 2), image(2, 9, 9, 2, seed=2), 1.0, 5, 1.0, 0.02, 0.01, True),
        tf.image.ssim_multiscale(
            image(2, 33, 30, 2), image(2, 33, 30, 2) * 0.9, 1.0, (0.3, 0.3, 0.4), filter_size=7
        ),
    ),
    "suppression": lambda tf: [
        tf.image.non_max_suppression(BOXES, SCORES, n, o, s)
        for n, o, s in (
            (5, 0.5, -np.inf), (2, 0.5, 0.0), (5, 0.2, 0.5), (5, 1.0, 0.0), (0, 0.5, 0.0),
        )
    ],
    "suppression with scores": lambda tf: [
        tf.image.non_max_suppression_with_scores(BOXES, SCORES, 5, 0.4, s, g)
        for s, g in ((0.0, 0.0), (0.0, 0.5), (0.4, 0.5))
    ],
    "suppression padded": lambda tf: [
        tf.image.non_max_suppression_padded(b, s, 7, o, pad_to_max_output_size=True)
        for b, s in ((BOXES[:4], SCORES[:4]), (BOXES[None, :4], SCORES[None, :4]))
        for o in (0.3, 0.5)
    ],
    "suppression by overlaps": lambda tf: tf.image.non_max_suppression_overlaps(
        np.float32([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]]), SCORES[:3][::-1], 3, 0.5
    ),
    "combined suppression": lambda tf: [
        list(
            tf.image.combined_non_max_suppression(
                BOXES[None, :, None], image(1, 5, 2), n, 6, 0.4, 0.2, pad, clip
            )
        )
        for n, pad, clip in ((2, False, True), (1, True, False), (3, True, True))
    ],
    "drawn boxes": lambda tf: [
        tf.image.draw_bounding_boxes(X, (BOXES * s)[None].repeat(2, 0), c)
        for s in (0.6, 1.0)
        for c in (None, np.float32([[1, 0, 0.5], [0, 2, 0]]))
    ],
    "stateless draws": lambda tf: (
        tf.image.stateless_random_brightness(X, 0.2, (1, 2)),
        tf.image.stateless_random_contrast(X, 0.2, 0.9, (1, 2)),
        tf.image.stateless_random_crop(X, [2, 3, 4, 3], (3, 4)),
        [tf.image.stateless_random_flip_left_right(X, (i, 2)) for i in (1, 2, 3)],
        [tf.image.stateless_random_flip_up_down(X[0], (i, 2)) for i in (1, 2, 3)],
        tf.image.stateless_random_hue(X, 0.3, (5, 6)),
        tf.image.stateless_random_saturation(X, 0.5, 1.5, (7, 8)),
    ),
    "png": lambda tf: [
        tf.io.decode_png(tf.io.encode_png(image(3, 4, c, dtype="uint8")), n)
        for c in (1, 2, 3, 4)
        for n in (0, 1, 3, 4)
    ],
    "png of words": lambda tf: [
        f(tf.io.encode_png(image(3, 4, 3, dtype="uint8").astype("uint16") * 201), dtype=d)
        for f in (tf.io.decode_png, tf.io.decode_image)
        for d in (tf.uint8, tf.uint16)
    ],
    "bytes as words and floats": lambda tf: [
        tf.io.decode_image(file, dtype=d)
        for file in (tf.io.encode_png(BYTES), bitmap(2, 2, 24, bytes(range(16))))
        for d in (tf.uint16, tf.float32)
    ],
    "bmp": lambda tf: [
        tf.io.decode_bmp(bitmap(2, h, bits, bytes(range(n))), c)
        for h, bits, n, c in (
            (2, 24, 16, 0), (-2, 24, 16, 4), (1, 32, 8, 0), (1, 32, 8, 3), (1, 8, 4, 0),
        )
    ],
}  # fmt: skip
