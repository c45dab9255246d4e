"""Cases in which traces differ from tensorflow's: each for good with its reason, or open as yet."""

import pathlib

ABSENT = "the name is not there, see docs/coverage.md"
RANKS = "tensorflow takes an unknown rank for the usual one; images may be stacked"
EMPTY = "tensorflow takes an unknown size for 0"
SHORT = "the sequences have one element more: where the last window ends"
FOUR = "tensorflow infers four axes where there are five"

# Cases by name, or by name and variant, whose recorded shapes are not held against ours.
DIFFERENT = {
    "parallel_stack": ABSENT,
    "quantize": ABSENT,
    "where of rows": ABSENT,
    "generate_bounding_box_proposals": ABSENT,
    "space_to_batch by arguments": "block_shape must be known to a trace, which the error says",
    "edit distance": "a loop variable keeps the rank that it begins with, which the error says",
    "fractional_max_pool": SHORT,
    "fractional_avg_pool": SHORT,
    "extract_volume_patches VALID": FOUR,
    "extract_volume_patches SAME": FOUR,
    "diag above": EMPTY,
    "diag of a size": EMPTY,
    "fftnd": "tensorflow keeps the size of an axis that has another one when it runs",
    "convolution VALID 1": "filters of unknown rank are refused with the rank that is needed",
    "convolution SAME 1": "filters of unknown rank are refused with the rank that is needed",
    "convolution dilated VALID 1": "filters of unknown rank are refused",
    "convolution dilated SAME 1": "filters of unknown rank are refused",
}
for _name in ("crop_to_bounding_box", "pad_to_bounding_box", "resize_with_crop_or_pad"):
    for _kind in ("", " computed", " from a computed place"):
        for _images in (" batch", " one"):
            for _variant in (" 0", " ranks"):
                DIFFERENT[f"{_name}{_kind}{_images}{_variant}"] = RANKS
for _images in (" batch", " one"):
    for _variant in (" 0", " ranks"):
        DIFFERENT[f"resize_with_pad{_images}{_variant}"] = RANKS


def opened():
    """Variants by case that know less than tensorflow as yet; each leaves the file when mended."""
    lines = (pathlib.Path(__file__).parent / "open.txt").read_text().splitlines()
    return {name: set(variants.split()) for name, variants in (line.split(": ") for line in lines)}


OPEN = opened()


def is_listed(name, variant):
    """Whether a variant of a case may know less than recorded."""
    return bool({name, f"{name} {variant}"} & set(DIFFERENT)) or variant in OPEN.get(name, ())
