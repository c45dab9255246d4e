"""Rows of comma-separated values as elements, as tensorflow 2.21 was seen to have them."""

import gzip
import zlib

import ferrograph as fg
import pytest

errors = fg.errors
CsvDataset = fg.data.experimental.CsvDataset
make = fg.data.experimental.make_csv_dataset
INTS = [fg.int32, fg.int32]
TEXT = [fg.string, fg.int32]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of that name into a folder of the test's own, which is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        contents = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(contents)
        return name

    return write


def rows(dataset):
    return [tuple(x.numpy() for x in row) for row in dataset]


def stepwise(dataset):
    """The rows, with the name of the error for each that fails."""
    found, it = [], iter(dataset)
    while True:
        try:
            found.append(tuple(x.numpy() for x in next(it)))
        except StopIteration:
            return found
        except errors.OpError as e:
            found.append(type(e).__name__)


@pytest.mark.parametrize(
    "text, defaults, options, expect",
    [
        (
            'name,score,n\n"a, b",1.5,3\nc,,4\n',
            [fg.string, fg.constant([-1.0]), fg.int32],
            {"header": True},
            [(b"a, b", 1.5, 3), (b"c", -1.0, 4)],
        ),
        ("1,2\r\n3,4\r\n", INTS, {}, [(1, 2), (3, 4)]),
        ("1,2\r3,4", INTS, {}, [(1, 2), (3, 4)]),
        ('"a\nb",1\n"c""d",2\n', TEXT, {}, [(b"a\nb", 1), (b'c"d', 2)]),
        ('"a\r\nb",1\r\n', TEXT, {}, [(b"a\r\nb", 1)]),
        ('a"b,1\n', TEXT, {"use_quote_delim": False}, [(b'a"b', 1)]),
        ("x\n\ny\n", [["none"]], {}, [(b"x",), (b"none",), (b"y",)]),
        ("1|NA\n|3\n", [[7], [8]], {"field_delim": "|", "na_value": "NA"}, [(1, 8), (7, 3)]),
        ("1,2,3\n4,5,6\n", [fg.int32], {"select_cols": [2]}, [(3,), (6,)]),
        ("1,2,3\n4,5,6\n", INTS, {"exclude_cols": [1]}, [(1, 3), (4, 6)]),
        (" 1, 2 \n", INTS, {}, [(1, 2)]),
        (" 1, 2 \n", [fg.string] * 2, {}, [(b" 1", b" 2 ")]),
        ("1,2\n", [fg.int64, fg.float64], {"buffer_size": 1}, [(1, 2.0)]),
        ("1,2\n", [0, 1.5], {}, [(1, 2.0)]),
        ("", INTS, {}, []),
        ('"",1\n', [["d"], fg.int32], {}, [(b"d", 1)]),
    ],
)
def test_rows(write, text, defaults, options, expect):
    write("t.csv", text)
    assert rows(CsvDataset("t.csv", defaults, **options)) == expect

    @fg.function
    def last():
        found = [fg.zeros([], s.dtype) if s.dtype != fg.string else fg.constant("") for s in spec]
        for row in CsvDataset("t.csv", defaults, **options):
            found = list(row)
        return found

    spec = CsvDataset("t.csv", defaults, **options).element_spec
    if expect:
        assert tuple(x.numpy() for x in last()) == expect[-1]


def test_files_and_compression(write):
    write("a", "h,h\n1,2\n")
    write("b", "h,h\n3,4\n")
    assert rows(CsvDataset(["a", "b"], INTS, header=True)) == [(1, 2), (3, 4)]
    write("g", gzip.compress(b"1,2\n"))
    write("z", zlib.compress(b"1,2\n"))
    assert rows(CsvDataset("g", INTS, compression_type="GZIP")) == [(1, 2)]
    assert rows(CsvDataset("z", INTS, compression_type="ZLIB")) == [(1, 2)]


@pytest.mark.parametrize(
    "text, defaults, expect",
    [
        ("1,2,3\n3,4\n", INTS, ["InvalidArgumentError", (3, 4)]),
        ("1\n3,4\n", INTS, ["InvalidArgumentError", (3, 4)]),
        ("1,2\n\n3,4\n", INTS, [(1, 2), "InvalidArgumentError", (3, 4)]),
        ("1,abc\n2,3\n", INTS, ["InvalidArgumentError", (2, 3)]),
        ("1,9999999999\n2,3\n", INTS, ["InvalidArgumentError", (2, 3)]),
        (",1\n2,3\n", INTS, ["InvalidArgumentError", (2, 3)]),
        ('a"b,1\nx,2\n', TEXT, ["InvalidArgumentError", (b"x", 2)]),
        ('"ab"c,1\nx,2\n', TEXT, ["InvalidArgumentError", (b"x", 2)]),
        ('"ab,1\nx,2\n', TEXT, ["InvalidArgumentError"]),
    ],
)
def test_behind_a_row_that_fails_comes_the_next(write, text, defaults, expect):
    write("t.csv", text)
    assert stepwise(CsvDataset("t.csv", defaults)) == expect


@pytest.mark.parametrize(
    "options",
    [
        {"select_cols": [1, 0]},
        {"select_cols": [-1, 0]},
        {"select_cols": [0]},
        {"field_delim": "ab"},
        {"field_delim": '"'},
        {"record_defaults": []},
        {"record_defaults": [[1, 2], fg.int32]},
        {"header": True, "filenames": "empty"},
    ],
)
def test_what_does_not_fit(write, options):
    write("t.csv", "1,2\n")
    write("empty", "")
    arguments = {"filenames": "t.csv", "record_defaults": INTS, **options}
    with pytest.raises(errors.InvalidArgumentError):
        rows(CsvDataset(**arguments))


def test_arguments_of_other_types(write):
    write("t.csv", "1,2\n")
    with pytest.raises(ValueError):
        CsvDataset("t.csv", [fg.bool, fg.int32])
    with pytest.raises(ValueError, match="both"):
        CsvDataset("t.csv", [fg.int32], select_cols=[0], exclude_cols=[1])
    with pytest.raises(errors.NotFoundError, match="missing"):
        rows(CsvDataset("missing", INTS))


M = "age,city,w,big,label\n30,rome,1.5,9999999999,0\n25,oslo,2,1,1\n41,rome,,5,1\n"
ONCE = {"num_epochs": 1, "shuffle": False}


def batches(dataset, n=10):
    def plain(batch):
        return {name: column.numpy().tolist() for name, column in batch.items()}

    return [
        (plain(batch[0]), batch[1].numpy().tolist()) if isinstance(batch, tuple) else plain(batch)
        for batch in dataset.take(n)
    ]


def test_batches_of_named_columns(write):
    write("m.csv", M)
    found = make("m.csv", 2, **ONCE)
    kinds = {name: (spec.dtype, spec.shape.as_list()) for name, spec in found.element_spec.items()}
    assert kinds == {
        "age": (fg.int32, [None]),
        "city": (fg.string, [None]),
        "w": (fg.float32, [None]),
        "big": (fg.int64, [None]),
        "label": (fg.int32, [None]),
    }
    first = {"age": [30, 25], "city": [b"rome", b"oslo"], "w": [1.5, 2.0], "big": [9999999999, 1]}
    last = {"age": [41], "city": [b"rome"], "w": [0.0], "big": [5]}
    assert batches(found) == [{**first, "label": [0, 1]}, {**last, "label": [1]}]
    assert batches(make("m.csv", 2, label_name="label", **ONCE)) == [(first, [0, 1]), (last, [1])]
    for chosen in (["age", "label"], ["label", "age"], [0, 4]):
        assert batches(make("m.csv", 3, select_columns=chosen, **ONCE)) == [
            {"age": [30, 25, 41], "label": [0, 1, 1]}
        ]


def test_epochs_names_and_order(write):
    write("m.csv", M)
    write("m2.csv", "age,city,w,big,label\n1,a,1,1,1\n")
    ages = lambda *args, **options: [b["age"] for b in batches(make(*args, **options))]  # noqa: E731
    assert ages("m.csv", 2, num_epochs=2, shuffle=False) == [[30, 25], [41, 30], [25, 41]]
    assert ages(["m.csv", "m2.csv"], 2, **ONCE) == [[30, 25], [41, 1]]
    assert ages("m*.csv", 9, num_parallel_reads=2, **ONCE) == [[30, 1, 25, 41]]
    shuffled = ages("m*.csv", 4, num_epochs=1, shuffle_seed=1)
    assert sorted(shuffled[0]) == [1, 25, 30, 41]
    forever = make("m.csv", 2, shuffle=False)
    assert forever.element_spec["age"].shape.as_list() == [2]
    assert int(forever.cardinality()) == -1
    renamed = make("m.csv", 9, column_names=list("abcde"), **ONCE)
    assert batches(renamed)[0]["a"] == [30, 25, 41]
    as_text = make("m.csv", 9, column_names=list("abcde"), header=False, **ONCE)
    assert batches(as_text)[0]["a"] == [b"age", b"30", b"25", b"41"]
    typed = make("m.csv", 9, column_defaults=[fg.int64, "", 0.5, fg.int64, fg.int32], **ONCE)
    assert batches(typed)[0]["w"] == [1.5, 2.0, 0.5]
    assert batches(make("m.csv", 9, na_value="rome", **ONCE))[0]["city"] == [b"", b"oslo", b""]
    write("m.gz", gzip.compress(M.encode()))
    assert ages("m.gz", 9, compression_type="GZIP", **ONCE) == [[30, 25, 41]]


@pytest.mark.parametrize(
    "column, dtype",
    [
        ("1\n2\n", fg.int32),
        ("1\n3000000000\n", fg.int64),
        ("1e5\n1\n", fg.float32),
        ("1e39\n1\n", fg.float64),
        ("nan\n1\n", fg.string),
        ("0x1\n1\n", fg.string),
        ("99999999999999999999\n", fg.float32),
        ('""\n""\n', fg.string),
    ],
)
def test_types_are_found_out(write, column, dtype):
    write("t.csv", "a\n" + column)
    assert make("t.csv", 1, **ONCE).element_spec["a"].dtype == dtype


@pytest.mark.parametrize(
    "names, options",
    [
        ("nothing*.csv", {}),
        ([], {}),
        ("m.csv", {"label_name": "zz"}),
        ("m.csv", {"select_columns": ["zz"]}),
        ("m.csv", {"select_columns": ["age", 0]}),
        ("m.csv", {"header": False}),
        ("m.csv", {"column_defaults": [0]}),
        ("m.csv", {"label_name": "age", "select_columns": ["city"]}),
        (["m.csv", "other.csv"], {}),
        ("twice.csv", {}),
        ("short.csv", {}),
        ("empty.csv", {}),
    ],
)
def test_what_cannot_be_made(write, names, options):
    write("m.csv", M)
    write("other.csv", "age,town\n1,a\n")
    write("twice.csv", "a,a\n1,2\n")
    write("short.csv", "a,b\n1,2\n3\n")
    write("empty.csv", "")
    with pytest.raises(ValueError):
        make(names, 2, **{**ONCE, **options})


def test_rows_that_fail_are_left_out(write):
    write("t.csv", "a,b\n1,2\nx,3\n4,5\n")
    found = make("t.csv", 9, column_defaults=[fg.int32] * 2, ignore_errors=True, **ONCE)
    assert batches(found) == [{"a": [1, 4], "b": [2, 5]}]
