"""Images against what tensorflow 2.21 gave, eagerly and traced with sizes unknown."""

import json

import ferrograph as fg
import numpy as np
import pytest
from images.cases import CASES
from images.record import FILE, leaves

RECORD = json.loads(FILE.read_text())


def near(got, want, what):
    """Floats to a few parts in a hundred thousand; colours of bytes may round to the next."""
    dtype, shape, numbers = want
    assert (got.dtype.name, list(got.shape)) == (dtype, shape), what
    want = np.array(numbers, dtype).reshape(shape)
    if dtype == "float16":
        np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-3, err_msg=what)
    elif dtype.startswith("float"):
        np.testing.assert_allclose(got, want, rtol=3e-5, atol=1e-5, err_msg=what)
    else:
        assert np.abs(got.astype("int64") - want).max(initial=0) <= (what in ROUNDED), what


# Cases whose bytes come of floats, which may fall on either side of a whole number.
ROUNDED = ("hue", "saturation", "contrast", "gray", "gamma")


@pytest.mark.parametrize("name", sorted(CASES))
def test_images_are_as_recorded(name):
    got = leaves(CASES[name](fg))
    assert len(got) == len(RECORD[name])
    for ours, want in zip(got, RECORD[name], strict=True):
        near(ours, want, name)


X = np.random.default_rng(5).uniform(size=(2, 6, 5, 3)).astype("float32")
COMPOSED = {
    "flips": lambda x: fg.image.flip_left_right(fg.image.flip_up_down(x)),
    "transpose": fg.image.transpose,
    "rot90": lambda x: [fg.image.rot90(x, k) for k in (1, 2, 3)],
    "crop_or_pad": lambda x: fg.image.resize_with_crop_or_pad(x, 4, 8),
    "central_crop": lambda x: fg.image.central_crop(x, 0.6),
    "resize_with_pad": lambda x: fg.image.resize_with_pad(x, 9, 4),
    "resize": lambda x: [
        fg.image.resize(x, [4, 9], m, antialias=True) for m in ("bicubic", "lanczos3", "area")
    ],
    "contrast": lambda x: fg.image.adjust_contrast(x, 0.3),
    "hue": lambda x: fg.image.adjust_hue(x, 0.3),
    "saturation": lambda x: fg.image.adjust_saturation(x, 0.3),
    "gray": lambda x: fg.image.grayscale_to_rgb(fg.image.rgb_to_grayscale(x)[..., :1]),
    "yuv": lambda x: fg.image.yuv_to_rgb(fg.image.rgb_to_yuv(x)),
    "standardized": fg.image.per_image_standardization,
    "gradients": fg.image.image_gradients,
    "sobel": fg.image.sobel_edges,
    "variation": fg.image.total_variation,
    "psnr": lambda x: fg.image.psnr(x, x * 0.5, 1.0),
    "ssim": lambda x: fg.image.ssim(x, x * 0.5, 1.0, filter_size=3),
    "flipped": lambda x: fg.image.stateless_random_flip_left_right(x, (1, 2)),
    "cropped": lambda x: fg.image.stateless_random_crop(x, [2, 3, 3, 3], (1, 2)),
}


@pytest.mark.parametrize("name", sorted(COMPOSED))
def test_images_of_unknown_sizes_are_as_eagerly(name):
    spec = fg.TensorSpec([None] * 4, fg.float32)
    traced = fg.function(COMPOSED[name], input_signature=[spec], autograph=False)
    eager = leaves(COMPOSED[name](fg.constant(X)))
    for ours, want in zip(leaves(traced(fg.constant(X))), eager, strict=True):
        np.testing.assert_allclose(ours, want, rtol=1e-5, atol=1e-6)


HUGE = 2**31 - 1
HOSTILE = {
    "size": lambda: fg.image.resize(X, [0, 3]),
    "sizes": lambda: fg.image.resize(X, [HUGE, HUGE]),
    "antialiased": lambda: fg.image.resize(X, [HUGE, 1], "lanczos3", antialias=True),
    "nearest": lambda: fg.image.resize(X, [HUGE, HUGE], "nearest"),
    "no pixels": lambda: fg.image.resize(X[:, :0], [2, 2]),
    "rank": lambda: fg.image.resize(X[0, 0], [2, 2]),
    "method": lambda: fg.image.resize(X, [2, 2], "magic"),
    "crop": lambda: fg.image.crop_to_bounding_box(X, 0, 1, 2, 9),
    "pad": lambda: fg.image.pad_to_bounding_box(X, 0, 1, 2, 9),
    "box": lambda: fg.image.crop_and_resize(X, [[0.0, 0.0, 1.0, 1.0]], [2], [2, 2]),
    "boxes": lambda: fg.image.crop_and_resize(X, [[0.0, 0.0, 1.0]], [0], [2, 2]),
    "patches": lambda: fg.image.extract_patches(
        X, [1, HUGE, HUGE, 1], [1, 1, 1, 1], [1, HUGE, HUGE, 1], "SAME"
    ),
    "strides": lambda: fg.image.extract_patches(
        X, [1, 2, 2, 1], [1, 0, 1, 1], [1, 1, 1, 1], "SAME"
    ),
    "threshold": lambda: fg.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [1.0], 1, 1.5),
    "kept": lambda: fg.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [1.0], -1),
    "padded": lambda: fg.image.non_max_suppression_padded(
        [[[0.0, 0.0, 1.0, 1.0]]] * 4096, [[1.0]] * 4096, HUGE
    ),
    "channels": lambda: fg.image.rgb_to_hsv(X[..., :2]),
    "colours": lambda: fg.image.draw_bounding_boxes(X, [[[0.0, 0.0, 1.0, 1.0]]] * 2, [[1.0]]),
    "delta": lambda: fg.image.adjust_hue(X, 1.5),
    "fraction": lambda: fg.image.central_crop(X, 0.0),
    "larger": lambda: fg.image.random_crop(X, [2, 9, 3, 3]),
    "windows": lambda: fg.image.ssim(X, X, 1.0),
    "no file": lambda: fg.io.decode_png(b"text"),
    "nothing": lambda: fg.io.decode_image(b""),
    "huge png": lambda: fg.io.decode_png(HUGE_PNG),
    "huge bmp": lambda: fg.io.decode_bmp(b"BM" + bytes(12) + b"\xff\xff\xff\x7f" * 5 + bytes(40)),
    "quality": lambda: fg.io.encode_jpeg(np.zeros((2, 2, 3), np.uint8), quality=101),
    "empty": lambda: fg.io.encode_png(np.zeros((0, 2, 3), np.uint8)),
}
# A header of 2^31 - 1 by 2^31 - 1 pixels, and nothing behind it.
HUGE_PNG = bytes.fromhex("89504e470d0a1a0a0000000d494844527fffffff7fffffff0802000000c6ba0aef")


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_what_does_not_fit_is_refused(name):
    with pytest.raises((ValueError, fg.errors.OpError, TypeError)):
        HOSTILE[name]()


def test_damaged_files_are_read_or_refused():
    """Each byte of a file changed, and files cut short: a picture or an exception."""
    pixels = np.random.default_rng(1).integers(0, 255, (5, 7, 3)).astype("uint8")
    files = [fg.io.encode_png(pixels).numpy(), fg.io.encode_jpeg(pixels).numpy()]
    refused = 0
    for file in files:
        for i in range(len(file)):
            for damaged in (file[:i], file[:i] + bytes([file[i] ^ 0x5A]) + file[i + 1 :]):
                try:
                    fg.io.decode_image(damaged)
                except fg.errors.InvalidArgumentError:
                    refused += 1
    assert refused > sum(map(len, files)) // 2


def test_jpeg_files_come_close():
    """Another encoder's file is read to within a few levels of its decoder."""
    ramp = np.add.outer(np.arange(16) * 8, np.arange(24) * 4)[..., None] + np.array([0, 20, 60])
    ramp = np.clip(ramp, 0, 255).astype("uint8")
    for settings in (
        {},
        {"progressive": True},
        {"chroma_downsampling": False, "optimize_size": True},
    ):
        back = fg.io.decode_jpeg(fg.io.encode_jpeg(ramp, **settings)).numpy()
        assert np.abs(back.astype(int) - ramp).max() <= 6
    small = fg.io.decode_jpeg(fg.io.encode_jpeg(ramp), ratio=2).numpy()
    means = ramp.reshape(8, 2, 12, 2, 3).mean((1, 3))
    assert np.abs(small - means).max() <= 6


def test_draws_of_images_follow_seeds():
    def draws():
        fg.random.set_seed(3)
        return leaves(
            [
                fg.image.random_flip_left_right(X, seed=1),
                fg.image.random_flip_up_down(X, seed=1),
                fg.image.random_crop(X, [2, 2, 2, 3], seed=1),
                fg.image.random_brightness(X, 0.5, seed=1),
                fg.image.random_contrast(X, 0.5, 0.9, seed=1),
                fg.image.random_hue(X, 0.4, seed=1),
                fg.image.random_saturation(X, 0.5, 0.9, seed=1),
            ]
        )

    for ours, again in zip(draws(), draws(), strict=True):
        np.testing.assert_array_equal(ours, again)
