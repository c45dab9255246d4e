"""Cases in which traces differ from tensorflow's, each with its reason."""

ABSENT = "the name is not there, see docs/coverage.md"
RANKS = "tensorflow takes an unknown rank for the usual one; images may be stacked"
EMPTY = "tensorflow takes an unknown size for 0"
SHORT = "the sequences have one element more: where the last window ends"
FOUR = "tensorflow infers four axes where there are five"
MIRRORED = "refused while traced, as no run mirrors so many elements; tensorflow refuses the run"

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
    "MatrixDiagV3 4 #1 0.0": EMPTY,
    "MatrixDiagV3 4 #1 sizes": EMPTY,
    "MatrixDiagV3 4 #2 0.0": EMPTY,
    "MatrixDiagV3 4 #2 sizes": EMPTY,
    "pad REFLECT of a list with a tensor": MIRRORED,
    "pad REFLECT stacked": MIRRORED,
    "ragged stack ranks": "tensorflow takes vectors of unknown rank for matrices: its run fails",
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


# Cases in which the program itself says shapes, which no run checks.
ASSERTED = ("set_shape", "while_loop that grows")


def is_for_its_own(name):
    """Whether a case is run on its own arrays alone: where the program asserts shapes, also by the
    parts of a sparse or ragged tensor, which go together unchecked, and where a queue waits for as
    many elements.
    """
    is_composite = name.startswith(("sparse", "ragged")) and "segment" not in name
    return is_composite or name in ASSERTED or "Queue" in name


def is_listed(name, variant):
    """Whether a variant of a case may know less than recorded."""
    return bool({name, f"{name} {variant}"} & set(DIFFERENT))
