"""Images: resizing, crops, colours, patches, boxes."""

import numpy as np

from shapes.arrays import case, ints, numbers, scalar, words

BATCH, ONE = (2, 6, 5, 3), (6, 5, 3)
METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "gaussian", "mitchellcubic")
for kind, shape in (("batch", BATCH), ("one", ONE)):
    for method in METHODS:
        case(
            f"resize {method} {kind}",
            lambda m, x, f=method: m.image.resize(x, [4, 7], f),
            shape,
        )
    case(
        f"resize antialias {kind}",
        lambda m, x: m.image.resize(x, [4, 7], antialias=True),
        shape,
    )
    case(
        f"resize keeping the aspect {kind}",
        lambda m, x: m.image.resize(x, [4, 7], preserve_aspect_ratio=True),
        shape,
    )
    case(
        f"resize to a computed size {kind}",
        lambda m, x: m.image.resize(x, [m.shape(x)[-3] * 2, 7]),
        shape,
    )
    case(
        f"resize to a stacked size {kind}",
        lambda m, x: m.image.resize(x, m.stack([4, m.shape(x)[-2]])),
        shape,
    )
    case(
        f"resize to a slice of the shape {kind}",
        lambda m, x: m.image.resize(x, m.shape(x)[-3:-1] * 2),
        shape,
    )
    case(f"resize to an argument {kind}", lambda m, x, n: m.image.resize(x, n), shape, ints(4, 7))
    case(f"resize_with_pad {kind}", lambda m, x: m.image.resize_with_pad(x, 9, 10), shape)
    case(
        f"resize_with_crop_or_pad {kind}",
        lambda m, x: m.image.resize_with_crop_or_pad(x, 4, 8),
        shape,
    )
    case(
        f"resize_with_crop_or_pad computed {kind}",
        lambda m, x, n: m.image.resize_with_crop_or_pad(x, n, 8),
        shape,
        scalar(4),
    )
    case(
        f"crop_to_bounding_box {kind}",
        lambda m, x: m.image.crop_to_bounding_box(x, 1, 1, 3, 2),
        shape,
    )
    case(
        f"crop_to_bounding_box computed {kind}",
        lambda m, x, n: m.image.crop_to_bounding_box(x, 1, 1, n, 2),
        shape,
        scalar(3),
    )
    case(
        f"crop_to_bounding_box from a computed place {kind}",
        lambda m, x, n: m.image.crop_to_bounding_box(x, n, 1, 3, 2),
        shape,
        scalar(1),
    )
    case(
        f"pad_to_bounding_box {kind}",
        lambda m, x: m.image.pad_to_bounding_box(x, 1, 1, 9, 8),
        shape,
    )
    case(
        f"pad_to_bounding_box computed {kind}",
        lambda m, x, n: m.image.pad_to_bounding_box(x, 1, 1, n, 8),
        shape,
        scalar(9),
    )
    case(f"central_crop {kind}", lambda m, x: m.image.central_crop(x, 0.5), shape)
    case(
        f"central_crop by a tensor {kind}",
        lambda m, x, f: m.image.central_crop(x, f),
        shape,
        scalar(0.5, np.float32),
    )
    for name in (
        "flip_left_right",
        "flip_up_down",
        "rot90",
        "transpose",
        "rgb_to_grayscale",
        "rgb_to_hsv",
        "hsv_to_rgb",
        "rgb_to_yiq",
        "rgb_to_yuv",
        "yuv_to_rgb",
        "per_image_standardization",
        "random_flip_left_right",
        "random_flip_up_down",
        "total_variation",
    ):
        case(f"{name} {kind}", lambda m, x, f=name: getattr(m.image, f)(x), shape)
    case(f"rot90 twice {kind}", lambda m, x: m.image.rot90(x, 2), shape)
    case(f"rot90 of a tensor {kind}", lambda m, x, k: m.image.rot90(x, k), shape, scalar(1))
    case(f"adjust_brightness {kind}", lambda m, x: m.image.adjust_brightness(x, 0.1), shape)
    case(f"adjust_contrast {kind}", lambda m, x: m.image.adjust_contrast(x, 0.1), shape)
    case(f"adjust_gamma {kind}", lambda m, x: m.image.adjust_gamma(x, 0.5), shape)
    case(f"adjust_hue {kind}", lambda m, x: m.image.adjust_hue(x, 0.1), shape)
    case(f"adjust_saturation {kind}", lambda m, x: m.image.adjust_saturation(x, 0.1), shape)
    case(f"random_brightness {kind}", lambda m, x: m.image.random_brightness(x, 0.1), shape)
    case(f"random_contrast {kind}", lambda m, x: m.image.random_contrast(x, 0.1, 0.9), shape)
    case(f"random_hue {kind}", lambda m, x: m.image.random_hue(x, 0.1), shape)
    case(f"random_saturation {kind}", lambda m, x: m.image.random_saturation(x, 0.1, 0.9), shape)
    case(
        f"stateless_random_flip_left_right {kind}",
        lambda m, x: m.image.stateless_random_flip_left_right(x, [1, 2]),
        shape,
    )
    case(f"grayscale_to_rgb {kind}", lambda m, x: m.image.grayscale_to_rgb(x), (*shape[:-1], 1))
    case(
        f"convert_image_dtype {kind}",
        lambda m, x: m.image.convert_image_dtype(x, m.uint8),
        shape,
    )
case("random_crop", lambda m, x: m.image.random_crop(x, [3, 2, 3]), ONE)
case(
    "random_crop computed",
    lambda m, x: m.image.random_crop(x, [3, m.shape(x)[1], 3]),
    ONE,
)
case(
    "stateless_random_crop",
    lambda m, x: m.image.stateless_random_crop(x, [3, 2, 3], [1, 2]),
    ONE,
)
case("sobel_edges", lambda m, x: m.image.sobel_edges(x), BATCH)
case("image_gradients", lambda m, x: m.image.image_gradients(x), BATCH)
case("psnr", lambda m, x, y: m.image.psnr(x, y, 1.0), BATCH, BATCH)
case("ssim", lambda m, x, y: m.image.ssim(x, y, 1.0), (2, 12, 13, 3), (2, 12, 13, 3))
for padding in ("VALID", "SAME"):
    case(
        f"extract_patches {padding}",
        lambda m, x, p=padding: m.image.extract_patches(
            x, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], p
        ),
        BATCH,
    )
    case(
        f"extract_patches at a rate {padding}",
        lambda m, x, p=padding: m.image.extract_patches(
            x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 2, 2, 1], p
        ),
        BATCH,
    )
    case(
        f"extract_volume_patches {padding}",
        lambda m, x, p=padding: (
            m.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 2, 2, 1], p)
            if hasattr(m, "extract_volume_patches")
            else m.compat.v1.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 2, 2, 1], p)
        ),
        (1, 4, 5, 6, 2),
    )
BOXES = np.array([[0.0, 0.0, 0.5, 0.5], [0.1, 0.1, 0.9, 0.9], [0.0, 0.5, 1.0, 1.0]], np.float32)
SCORES = np.array([0.9, 0.8, 0.3], np.float32)
case(
    "crop_and_resize",
    lambda m, x, b, i: m.image.crop_and_resize(x, b, i, [4, 7]),
    BATCH,
    BOXES,
    ints(0, 1, 0),
)
case(
    "crop_and_resize computed",
    lambda m, x, b, i, n: m.image.crop_and_resize(x, b, i, n),
    BATCH,
    BOXES,
    ints(0, 1, 0),
    ints(4, 7),
)
case(
    "extract_glimpse",
    lambda m, x, o: m.image.extract_glimpse(x, [2, 3], o),
    BATCH,
    np.zeros((2, 2), np.float32),
)
case(
    "extract_glimpse computed",
    lambda m, x, n, o: m.image.extract_glimpse(x, n, o),
    BATCH,
    ints(2, 3),
    np.zeros((2, 2), np.float32),
)
case(
    "draw_bounding_boxes",
    lambda m, x, b: m.image.draw_bounding_boxes(x, b, numbers(1, 3)),
    BATCH,
    np.stack([BOXES, BOXES]),
)
case(
    "non_max_suppression",
    lambda m, b, s: m.image.non_max_suppression(b, s, 2),
    BOXES,
    SCORES,
)
case(
    "non_max_suppression_with_scores",
    lambda m, b, s: m.image.non_max_suppression_with_scores(b, s, 2),
    BOXES,
    SCORES,
)
case(
    "non_max_suppression_padded",
    lambda m, b, s: m.image.non_max_suppression_padded(b, s, 2, pad_to_max_output_size=True),
    BOXES,
    SCORES,
)
case(
    "non_max_suppression_overlaps",
    lambda m, b, s: m.image.non_max_suppression_overlaps(b, s, 2),
    numbers(3, 3),
    SCORES,
)
case(
    "combined_non_max_suppression",
    lambda m, b, s: m.image.combined_non_max_suppression(b, s, 2, 4),
    np.stack([BOXES, BOXES])[:, :, None],
    np.ones((2, 3, 2), np.float32) * 0.5,
)
case(
    "combined_non_max_suppression padded",
    lambda m, b, s: m.image.combined_non_max_suppression(b, s, 2, 40, pad_per_class=True),
    np.stack([BOXES, BOXES])[:, :, None],
    np.ones((2, 3, 2), np.float32) * 0.5,
)
case(
    "sample_distorted_bounding_box",
    lambda m, b: m.image.sample_distorted_bounding_box([6, 5, 3], b, 1),
    BOXES[None],
)
case(
    "generate_bounding_box_proposals",
    lambda m, s, d, i, a: m.image.generate_bounding_box_proposals(
        s, d, i, a, pre_nms_topn=4, post_nms_topn=3
    ),
    (1, 2, 2, 1),
    (1, 2, 2, 4),
    np.ones((1, 5), np.float32),
    (1, 4),
)
for name in ("decode_png", "decode_jpeg", "decode_image", "decode_bmp", "decode_gif"):
    case(name, lambda m, x, f=name: getattr(m.io, f)(x), np.array(b"", object))
for name in ("decode_png", "decode_jpeg", "decode_image"):
    for channels in (1, 3):
        case(
            f"{name} {channels}",
            lambda m, x, f=name, c=channels: getattr(m.io, f)(x, c),
            np.array(b"", object),
        )
case(
    "decode_image first of a film",
    lambda m, x: m.io.decode_image(x, 3, expand_animations=False),
    np.array(b"", object),
)
case("encode_png", lambda m, x: m.io.encode_png(x), np.zeros((2, 4, 3, 3), np.uint8))
case("encode_jpeg", lambda m, x: m.io.encode_jpeg(x), np.zeros((4, 3, 3), np.uint8))
case(
    "decode and crop",
    lambda m, x: m.image.decode_and_crop_jpeg(x, [0, 0, 2, 3], 3),
    np.array(b"", object),
)
case("words", lambda m, x: m.strings.length(x), words("a", "b"))
