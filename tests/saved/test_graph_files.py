"""``io.write_graph``: graphs in files, as bytes and as text."""

import re
import types

import ferrograph as fg
import pytest


@fg.function
def branching(x, n):
    y = x
    for _ in fg.range(n):
        y = fg.sin(y) * 0.1 + [1.0, 2.0]
    words = fg.strings.join(["aé\n'\"\x00", "b"])
    y = -y if fg.reduce_sum(y) > 1 else y
    return y, words, fg.constant([-1, 2**40], fg.int64), fg.constant([float("inf"), -2.5])


@pytest.fixture(scope="module")
def graph():
    specs = fg.TensorSpec([None, 2], name="x"), fg.TensorSpec([], fg.int32, "n")
    return branching.get_concrete_function(*specs).graph


def test_bytes_are_those_of_the_graph(graph, tmp_path):
    path = fg.io.write_graph(graph, tmp_path / "new" / "folder", "g.pb", as_text=False)
    assert path == str(tmp_path / "new" / "folder" / "g.pb")
    with open(path, "rb") as file:
        content = file.read()
    assert content == graph.as_graph_def().SerializeToString()
    inputs = {"x:0": fg.constant([[1.0, 2.0]]), "n:0": fg.constant(2)}
    (found,) = fg.graph_util.import_graph_def(content, inputs, [graph.outputs[0].name])
    want = branching(inputs["x:0"], inputs["n:0"])[0]
    assert found.numpy().tolist() == want.numpy().tolist()


def values(text, name):
    return re.findall(rf"^ *{name}: (.*)$", text, re.MULTILINE)


def test_text_says_all_that_the_bytes_say(graph, tmp_path):
    path = fg.io.write_graph(graph.as_graph_def(), str(tmp_path), "g.pbtxt")
    with open(path, encoding="ascii") as file:
        text = file.read()
    names = [n.name for n in graph.as_graph_def().node]
    top = re.findall(r'^node \{\n  name: "(.*)"$', text, re.MULTILINE)
    assert top == names
    assert text.count("{") == text.count("}")
    assert {"DT_FLOAT", "DT_INT32", "DT_STRING", "DT_INT64"} <= set(values(text, "type"))
    assert {"-1", "2"} <= set(values(text, "size"))
    assert r'"a\303\251\n\'\"\000"' in values(text, "string_val") + values(text, "tensor_content")
    assert "library {" in text
    assert [p.name for p in tmp_path.iterdir()] == ["g.pbtxt"]


def test_each_kind_of_value_as_text(tmp_path):
    def part(number, content):
        size = len(content)
        head = [size] if size < 128 else [size & 127 | 128, size >> 7]
        return bytes([number << 3 | 2, *head]) + content

    attr = {
        "b": b"\x28\x01",
        "f": b"\x25\x00\x00\xc0\x7f",
        "i": b"\x18" + b"\xff" * 9 + b"\x01",
        "t": b"\x30\x7b",
        "fs": part(1, b"\x22\x08\x00\x00\x80\x3f\x00\x00\x80\xff"),
        "is": part(1, part(3, b"\x01\x7f")),
        "ss": part(1, part(2, b"a") + part(2, b"\xff")),
        "us": part(8, b"\x8a\x01\x0a" + b"\xff" * 9 + b"\x01"),
    }
    node = part(1, b"n") + part(2, b"Op")
    node += b"".join(part(5, part(1, k.encode()) + part(2, v)) for k, v in attr.items())

    class Message:
        def SerializeToString(self):
            return part(1, node) + part(4, b"\x08\x07")

    path = fg.io.write_graph(Message(), tmp_path, "m")
    with open(path) as file:
        text = " ".join(file.read().split())
    for said in [
        'key: "b" value { b: true }',
        'key: "f" value { f: nan }',
        'key: "i" value { i: -1 }',
        'key: "t" value { type: 123 }',
        'key: "fs" value { list { f: 1.0 f: -inf } }',
        'key: "is" value { list { i: 1 i: 127 } }',
        'key: "ss" value { list { s: "a" s: "\\377" } }',
        'key: "us" value { tensor { uint64_val: 18446744073709551615 } }',
        "versions { producer: 7 }",
    ]:
        assert said in text


def test_what_is_no_graph(tmp_path):
    with pytest.raises(TypeError, match="must be a Graph or a GraphDef, got 3"):
        fg.io.write_graph(3, tmp_path, "g")

    class Unknown:
        def SerializeToString(self):
            return b"\x78\x01"

    with pytest.raises(ValueError, match="field 15 in a message Graph"):
        fg.io.write_graph(Unknown(), tmp_path, "g")
    assert list(tmp_path.iterdir()) == []
    fg.io.write_graph(Unknown(), tmp_path, "g", as_text=False)
    assert (tmp_path / "g").read_bytes() == b"\x78\x01"


def test_maps_are_written_by_their_keys(tmp_path):
    """As ``google.protobuf.text_format`` writes messages."""

    def part(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    def entry(key):
        return part(5, part(1, key) + part(2, b"\x28\x01"))

    node = part(1, part(1, b"n") + entry(b"b") + entry(b"a\xc3\xa9") + entry(b"a"))
    message = types.SimpleNamespace(SerializeToString=lambda: node)
    path = fg.io.write_graph(message, str(tmp_path), "g.pbtxt")
    with open(path, encoding="ascii") as file:
        text = file.read()
    assert values(text, "key") == ['"a"', r'"a\303\251"', '"b"']
