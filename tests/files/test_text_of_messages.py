"""Examples read and written by protobuf's own library, as its own classes of messages are.

Seen with protobuf 7.36.2 on the classes of tensorflow 2.21.0.
"""

import ferrograph as fg
import pytest

TEXT = """features {
  feature { key: "colors" value { bytes_list { value: ["red", "blue"] } } }
  feature { key: "f" value { float_list { value: 1.5 } } }
  feature { key: "lengths" value { int64_list { value: [7] value: 8 } } } }"""


@pytest.fixture
def protobuf():
    return pytest.importorskip("google.protobuf", reason="a library that programs bring themselves")


def test_messages_are_named_without_the_library(run_python):
    run_python("""
        import sys
        import ferrograph as fg
        assert fg.train.Example.DESCRIPTOR.full_name == "tensorflow.Example"
        assert not any(name.startswith("google") for name in sys.modules)
    """)


def test_text_fills_messages(protobuf):
    from google.protobuf import text_format

    example = text_format.Merge(TEXT, fg.train.Example())
    feature = example.features.feature
    assert sorted(feature) == ["colors", "f", "lengths"]
    assert feature["colors"].bytes_list.value == [b"red", b"blue"]
    assert feature["lengths"].int64_list.value == [7, 8]
    wanted = {"lengths": fg.io.RaggedFeature(fg.int64)}
    parsed = fg.io.parse_example([example.SerializeToString()], wanted)
    assert parsed["lengths"].to_list() == [[7, 8]]
    again = text_format.Parse(text_format.MessageToString(example), fg.train.Example())
    assert again == example


def test_lists_of_features_from_text(protobuf):
    from google.protobuf import text_format

    text = (
        'context { feature { key: "n" value { int64_list { value: 3 } } } } feature_lists { '
        'feature_list { key: "w" value { feature { bytes_list { value: "a" } } '
        'feature { bytes_list { value: "b" } } } } }'
    )
    example = text_format.Parse(text, fg.train.SequenceExample())
    assert text_format.MessageToString(example, as_one_line=True) == text
    assert [f.bytes_list.value for f in example.feature_lists.feature_list["w"].feature] == [
        [b"a"],
        [b"b"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "features { nothing: 1 }",
        "features { feature { key: 3 } }",
        'features { feature { key: "a" value { int64_list { value: "x" } } } }',
        "features",
    ],
)
def test_text_that_does_not_fit(protobuf, text):
    from google.protobuf import text_format

    with pytest.raises(text_format.ParseError):
        text_format.Parse(text, fg.train.Example())


def test_json(protobuf):
    from google.protobuf import json_format

    read = json_format.Parse(
        '{"features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}}', fg.train.Example()
    )
    assert read.features.feature["a"].int64_list.value == [3]
    assert json_format.MessageToDict(read) == {
        "features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}
    }
