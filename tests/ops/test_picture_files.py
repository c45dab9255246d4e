"""PNG, GIF, WAV and windows of pictures: values of tensorflow-cpu 2.21.0."""

import json
import pathlib
import struct
import zlib

import ferrograph as fg
import numpy as np
import pytest

GRAY, RGB, PALETTE = 0, 2, 3


def png(width, depth, color, row, **chunks):
    """A PNG file of one row."""

    def chunk(kind, data):
        kind = kind.encode()
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = chunk("IHDR", struct.pack(">IIBBBBB", width, 1, depth, color, 0, 0, 0))
    between = b"".join(chunk(kind, data) for kind, data in chunks.items())
    data = chunk("IDAT", zlib.compress(b"\0" + row))
    return b"\x89PNG\r\n\x1a\n" + head + between + data + chunk("IEND", b"")


def rows(file, channels, dtype=fg.uint8):
    return fg.io.decode_png(file, channels=channels, dtype=dtype).numpy()[0].tolist()


def test_a_transparent_colour_is_no_channel_unless_asked_for():
    rgb = png(2, 8, RGB, bytes([1, 2, 3, 4, 5, 6]), tRNS=struct.pack(">HHH", 1, 2, 3))
    assert rows(rgb, 0) == rows(rgb, 3) == [[1, 2, 3], [4, 5, 6]]
    assert rows(rgb, 4) == [[1, 2, 3, 0], [4, 5, 6, 255]]
    assert fg.io.decode_image(rgb).shape == (1, 2, 3)
    gray = png(2, 8, GRAY, bytes([7, 9]), tRNS=struct.pack(">H", 9))
    assert rows(gray, 0) == [[7], [9]]
    assert rows(gray, 4) == [[7, 7, 7, 255], [9, 9, 9, 0]]
    palette = png(2, 8, PALETTE, bytes([0, 1]), PLTE=bytes([10, 20, 30, 40, 50, 60]), tRNS=b"\5")
    assert rows(palette, 0) == [[10, 20, 30, 5], [40, 50, 60, 255]]


def test_what_is_opaque_has_all_bits_of_the_file():
    few = png(4, 2, GRAY, bytes([0b00011011]))
    assert rows(few, 0) == [[0], [85], [170], [255]]
    assert [pixel[3] for pixel in rows(few, 4)] == [3] * 4
    assert [pixel[3] for pixel in rows(few, 4, fg.uint16)] == [771] * 4


def test_brightness_of_16_bits_is_rounded():
    colors = [65535, 0, 0, 0, 65535, 0, 0, 0, 65535, 40000, 50000, 60000]
    file = png(4, 16, RGB, struct.pack(">12H", *colors))
    assert rows(file, 1, fg.uint16) == [[19594], [38467], [7474], [48151]]
    assert rows(file, 1) == [[76], [150], [29], [188]]


def test_brightness_of_8_bits_is_cut():
    assert rows(png(1, 8, RGB, bytes([200, 100, 50])), 1) == [[124]]


def gif(screen, *frames):
    """A GIF file of four colours: frames of left, top, width, height, pixels."""
    file = b"GIF89a" + struct.pack("<HHBBB", *screen, 0x91, 0, 0)
    file += bytes([10, 20, 30, 200, 0, 0, 0, 200, 0, 0, 0, 200])
    for left, top, width, height, pixels in frames:
        codes = [code for pixel in pixels for code in (4, pixel)] + [5]
        bits = sum(code << 3 * i for i, code in enumerate(codes))
        data = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
        file += b"," + struct.pack("<HHHHB", left, top, width, height, 0)
        file += b"\2" + bytes([len(data)]) + data + b"\0"
    return file + b";"


def test_the_canvas_of_a_gif_is_its_largest_frame():
    wide = gif((2, 1), (0, 0, 3, 2, [1, 2, 3, 1, 2, 3]))
    assert fg.io.decode_gif(wide).shape == (1, 2, 3, 3)
    small = gif((4, 3), (0, 0, 1, 1, [1]), (0, 0, 2, 2, [2, 2, 3, 3]))
    found = fg.io.decode_gif(small).numpy()
    assert found.shape == (2, 2, 2, 3)
    assert found[0].tolist() == [[[200, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]]
    crossed = gif((1, 1), (0, 0, 3, 1, [1, 2, 3]), (0, 0, 1, 3, [1, 2, 3]))
    assert fg.io.decode_gif(crossed).shape == (2, 3, 3, 3)
    beside = gif((3, 2), (1, 0, 1, 1, [1]))
    assert fg.io.decode_gif(beside).numpy().tolist() == [[[[0, 0, 0]]]]


WINDOWS = json.loads((pathlib.Path(__file__).parent / "images" / "windows.json").read_text())


@pytest.mark.parametrize("at", range(len(WINDOWS)))
def test_windows_are_drawn_as_recorded(at):
    """Recorded by ``images/record_windows.py``."""
    kind, sizes, boxes, seed, settings, want = WINDOWS[at]
    boxes = np.zeros((1, 0, 4), np.float32) if boxes is None else boxes
    if kind == "stateless":
        draw, seed = fg.image.stateless_sample_distorted_bounding_box, seed
    else:
        fg.random.set_seed(seed[0])
        draw, seed = fg.image.sample_distorted_bounding_box, seed[1]
    for drawn in (draw, fg.function(draw)) if kind == "stateless" else (draw,):
        begin, size, box = drawn(sizes, boxes, seed, **settings)
        assert (begin.numpy().tolist(), size.numpy().tolist()) == (want[0], want[1])
        np.testing.assert_array_equal(box.numpy().ravel(), np.float32(want[2]))


def test_chunks_before_the_format_of_a_wav_file_are_skipped():
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    data = struct.pack("<4sI2h", b"data", 4, 16384, -32768)
    before = struct.pack("<4sI3s", b"JUNK", 3, b"abc") + struct.pack("<4sI", b"bext", 0)
    sound, rate = fg.audio.decode_wav(b"RIFF" + bytes(4) + b"WAVE" + before + head + data)
    assert sound.numpy().ravel().tolist() == [0.5, -1.0]
    assert int(rate) == 8000
    with pytest.raises(fg.errors.InvalidArgumentError, match="Unexpected field data"):
        fg.audio.decode_wav(b"RIFF" + bytes(4) + b"WAVE" + data + head + data)
