"""Seldom forms of arguments, against what tensorflow 2.21 gives."""

import ferrograph as fg
import numpy as np
import pytest


def both(f, *args):
    """What a function gives at once and traced, which must agree."""
    eager, traced = f(*args), fg.function(f)(*args)
    np.testing.assert_array_equal(eager.numpy(), traced.numpy())
    return eager.numpy()


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_a_generator_draws_the_recorded_binomials(wrap):
    g = fg.random.Generator.from_seed(1)
    few = wrap(lambda: g.binomial([10], counts=10.0, probs=0.3))
    assert few().numpy().tolist() == [2, 3, 4, 2, 1, 6, 2, 2, 3, 2]
    assert g.state.numpy().tolist() == [166401, 0, 0]
    many = wrap(lambda: g.binomial([2, 3], counts=[10.0, 100.0, 1000.0], probs=[0.3, 0.5, 0.9]))
    assert many().numpy().tolist() == [[3, 49, 889], [2, 53, 905]]
    assert g.state.numpy().tolist() == [358401, 0, 0]
    large = wrap(lambda: g.binomial([4, 2], [1e6, 20], [0.01, 0.99], fg.float32))
    assert large().numpy().tolist() == [[9972, 20], [10095, 18], [9967, 19], [10008, 20]]


@pytest.mark.parametrize(
    ("at", "unit", "wanted"),
    [
        ((-1, -2), "BYTE", b"o"),
        ((0, -1), "BYTE", b"hello"),
        ((5, -3), "BYTE", b""),
        ((0, -1), "UTF8_CHAR", b""),
        ((5, -3), "UTF8_CHAR", b""),
    ],
)
def test_a_negative_length_cuts_to_the_end_of_bytes_and_nothing_of_characters(at, unit, wanted):
    assert both(lambda x: fg.strings.substr(x, *at, unit=unit), fg.constant("hello")) == wanted


@pytest.mark.parametrize(
    ("sizes", "k", "shape"),
    [
        ({}, 1, (1, 1)),
        ({}, -3, (3, 3)),
        ({"num_rows": 2}, 1, (2, 1)),
        ({"num_rows": 1, "num_cols": 3}, -1, (1, 3)),
        ({"num_cols": 1}, 1, (0, 1)),
    ],
)
def test_a_diagonal_of_nothing_beside_the_main_one(sizes, k, shape):
    found = both(lambda x: fg.linalg.diag(x, k=k, **sizes), fg.zeros([0]))
    assert found.shape == shape
    assert not found.any()
    with fg.GradientTape() as tape:
        x = fg.zeros([2, 0])
        tape.watch(x)
        y = fg.linalg.diag(x, k=k, padding_value=3.0, **sizes)
    assert tape.gradient(y, x).shape == [2, 0]


def test_diagonals_with_elements_must_lie_in_the_matrix():
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        fg.linalg.diag([1.0], k=1, num_rows=1, num_cols=1)


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "wanted"),
    [
        ("héllo wörld", r"(\w+)", r"[\1]", "[h]é[llo] [w]ö[rld]"),
        ("héllo", r"\b", "|", "|h|é|llo|"),
        ("1٣", r"\d", "n", "n٣"),
        ("a\u2003b c", r"\s", "_", "a\u2003b_c"),
        ("a[b]&&c", r"[[&]", "x", "axb]xxc"),
        ("a-b~c", r"[a~~]", "x", "x-bxc"),
        ("a<b>c", r"[<>]", "!", "a!b!c"),
        ("a<b", r"\<", "!", "a!b"),
        ("x.y", r"\Q.\E", "!", "x!y"),
        ("xA", r"\101", "!", "x!"),
    ],
)
def test_patterns_mean_what_they_mean_elsewhere(text, pattern, rewrite, wanted):
    found = both(lambda x: fg.strings.regex_replace(x, pattern, rewrite), fg.constant(text))
    assert found.decode() == wanted


@pytest.mark.parametrize(
    ("values", "fill", "wanted"),
    [
        ([True, False], "0", [b"true", b"false"]),
        (np.array([1, 255], np.uint8), "+", [b"     1", b"   255"]),
        (np.array([1, -2], np.int8), "+", [b"    +1", b"    -2"]),
        ([np.nan, np.inf, 1.0], "0", [b"   nan", b"   inf", b"1.0000"]),
    ],
)
def test_texts_of_a_width(values, fill, wanted):
    precision = 4 if wanted[-1] == b"1.0000" else -1
    found = both(
        lambda x: fg.strings.as_string(x, width=6, fill=fill, precision=precision),
        fg.constant(values),
    )
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("values", "dtype", "wanted"),
    [
        ([4294967297.0, 2**64], "float64", [4294967297.0, 2.0**64]),
        ([0.1, 1], "float64", [0.1, 1.0]),
        ([2**63, 1], "float32", [2.0**63, 1.0]),
        ([True, 2], "int64", [1, 2]),
        ([np.float32(0.1), 0.1], "float64", [float(np.float32(0.1)), 0.1]),
        ([None, 1.0], "float32", [np.nan, 1.0]),
    ],
)
def test_arrays_of_objects_keep_their_digits(values, dtype, wanted):
    found = fg.constant(np.array(values, dtype=object), dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    ("values", "error"), [([2.0, 2**64], OverflowError), ([1 + 2j, 1.0], TypeError)]
)
def test_arrays_of_objects_that_do_not_fit_are_refused(values, error):
    with pytest.raises(error):
        fg.constant(np.array(values, dtype=object), fg.int64)


def _picture():
    rows = np.add.outer(np.arange(33) * 5, np.arange(40) * 2)
    return np.stack([rows, rows.T[:33, :33].repeat(2, 1)[:, :40], rows[::-1]], -1).astype(np.uint8)


@pytest.mark.parametrize("sizes", [(33, 40), (16, 16), (1, 7), (17, 1)])
def test_files_with_fewer_colours_are_means_and_read_alike(sizes):
    picture = _picture()[: sizes[0], : sizes[1]]
    plain = fg.io.decode_jpeg(fg.io.encode_jpeg(picture)).numpy().astype(int)
    assert np.abs(plain - picture).mean() < 2.5
    small = fg.io.encode_jpeg(picture, optimize_size=True)
    apart = fg.io.decode_jpeg(small).numpy().astype(int)
    assert np.abs(apart - plain).max() <= 12
    assert np.abs(apart - plain).mean() < 1
    gray = fg.io.decode_jpeg(small, channels=1).numpy()[..., 0].astype(int)
    told = fg.io.decode_jpeg(fg.io.encode_jpeg(picture), channels=1).numpy()[..., 0]
    np.testing.assert_array_equal(gray, told)


def test_files_of_parts_that_are_cut_are_refused():
    file = fg.io.encode_jpeg(_picture(), optimize_size=True).numpy()
    for end in (30, 200, len(file) // 2):
        with pytest.raises(fg.errors.InvalidArgumentError):
            fg.io.decode_jpeg(file[:end])
