"""JPEG files against what tensorflow-cpu 2.21.0 and Pillow 13.0.0 read, byte for byte.

Both read them by libjpeg-turbo.
"""

import io
import json

import ferrograph as fg
import numpy as np
import pytest
from jpegs.cases import files, pixels, reads
from jpegs.record import FILE, read, summed
from PIL import Image, ImageFile

RECORD = json.loads(FILE.read_text())
FILES = files()


@pytest.mark.parametrize("name", sorted(FILES))
def test_pixels_are_those_of_libjpeg(name):
    assert len(FILES) == 40
    file = FILES[name]
    found = fg.io.decode_jpeg(file, dct_method="INTEGER_ACCURATE").numpy()
    picture = Image.open(io.BytesIO(file))
    if picture.mode != "CMYK":
        want = np.asarray(picture)
        np.testing.assert_array_equal(found, want.reshape(found.shape))
    # Another release of Pillow may write other files.
    if summed(file) == RECORD[name]["file"]:
        for key, settings in reads(name):
            assert read(fg, file, settings) == RECORD[name][key], key


def test_large_pictures_are_read_band_by_band():
    for settings in (
        {"quality": 90},
        {"subsampling": 1, "progressive": True},
        {"progressive": True, "restart_marker_rows": 3},
    ):
        to = io.BytesIO()
        Image.fromarray(pixels(603, 517, 60, 3)).save(to, "JPEG", **settings)
        found = fg.io.decode_jpeg(to.getvalue(), dct_method="INTEGER_ACCURATE").numpy()
        np.testing.assert_array_equal(found, np.asarray(Image.open(to)))


@pytest.mark.parametrize("sampling", [0x12, 0x21, 0x22, 0x44])
@pytest.mark.parametrize("progressive", [False, True])
def test_a_component_alone_goes_block_by_block(sampling, progressive):
    """Its sampling does not count, as in Pillow 13.0.0 by libjpeg-turbo."""
    to = io.BytesIO()
    Image.fromarray(pixels(61, 85, 40, 5)).convert("L").save(to, "JPEG", progressive=progressive)
    file = bytearray(to.getvalue())
    frame = file.index(b"\xff\xc2" if progressive else b"\xff\xc0")
    file[frame + 11] = sampling
    found = fg.io.decode_jpeg(bytes(file), dct_method="INTEGER_ACCURATE").numpy()
    np.testing.assert_array_equal(found[..., 0], np.asarray(Image.open(io.BytesIO(file))))


def test_files_may_have_more_scans_than_are_read_at_a_time():
    """A scan that is there again writes the same coefficients."""
    to = io.BytesIO()
    Image.fromarray(pixels(100, 70, 40, 6)).save(to, "JPEG", progressive=True)
    file = to.getvalue()
    scans = [i for i in range(len(file)) if file[i : i + 2] == b"\xff\xda"]
    tables = [i for i in range(len(file)) if file[i : i + 2] == b"\xff\xc4"]
    again = file[scans[1] : min(i for i in tables if i > scans[1])]
    file = file[: scans[1]] + again * 250 + file[scans[1] :]
    found = fg.io.decode_jpeg(file, dct_method="INTEGER_ACCURATE").numpy()
    np.testing.assert_array_equal(found, np.asarray(Image.open(to)))


def test_cut_files_are_refused_or_made_up_for():
    """What is there of a file of one scan is as libjpeg has it; Pillow reads it when asked to."""
    file = FILES["RGB 45x60"]
    half = file[: len(file) // 2]
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.io.decode_jpeg(half)
    found = fg.io.decode_jpeg(half, try_recover_truncated=True, dct_method="INTEGER_ACCURATE")
    try:
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        want = np.asarray(Image.open(io.BytesIO(half + b"\xff\xd9")))
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    np.testing.assert_array_equal(found.numpy(), want)


def test_settings_that_are_none_are_refused():
    file = FILES["4:2:0 8x8"]
    with pytest.raises(fg.errors.InvalidArgumentError, match="dct_method"):
        fg.io.decode_jpeg(file, dct_method="FLOAT")
    for window in ([0, 0, 0, 1], [-1, 0, 1, 1], [0, 0, 1, 1000], [1000, 0, 1, 1]):
        with pytest.raises(fg.errors.InvalidArgumentError):
            fg.io.decode_and_crop_jpeg(file, window)


def test_shapes_count_components():
    """tensorflow-cpu 2.21.0 tells four for CMYK, which is read as three."""
    name = next(name for name in FILES if name.startswith("CMYK"))
    assert fg.io.extract_jpeg_shape(FILES[name]).numpy()[2] == 4
    assert fg.io.decode_jpeg(FILES[name]).shape[2] == 3


def markers(file):
    """The kinds and contents of the segments of a file."""
    at, found = 2, []
    while file[at + 1] != 0xD9:
        end = at + 2 + int.from_bytes(file[at + 2 : at + 4], "big")
        found.append((file[at + 1], file[at + 4 : end]))
        at = end
        while found[-1][0] == 0xDA and not (file[at] == 0xFF and file[at + 1] != 0):
            at += 1
    return found


@pytest.mark.parametrize("progressive", [False, True])
def test_components_are_numbered_from_one(progressive):
    """As libjpeg and tensorflow-cpu 2.21.0 do; progressive files have tables of their own."""
    picture = pixels(44, 60, 20, 1)
    file = fg.io.encode_jpeg(picture, progressive=progressive).numpy()
    segments = markers(file)
    frame = next(body for kind, body in segments if kind in (0xC0, 0xC2))
    assert frame[6::3] == bytes([1, 2, 3])
    scans = [body for kind, body in segments if kind == 0xDA]
    assert {i for body in scans for i in body[1 : 1 + 2 * body[0] : 2]} == {1, 2, 3}
    want = np.asarray(Image.open(io.BytesIO(file)))
    found = fg.io.decode_jpeg(file, dct_method="INTEGER_ACCURATE").numpy()
    np.testing.assert_array_equal(found, want)
    if progressive:
        assert len(file) < len(fg.io.encode_jpeg(picture).numpy())
