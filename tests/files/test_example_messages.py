"""Examples as messages: what protobuf's classes of these names do, as recorded."""

import contextlib
import copy
import pickle

import numpy as np
import pytest
from ferrograph import train
from ferrograph._src.values.wire import DecodeError

EXAMPLE = {
    "b": train.Feature(int64_list=train.Int64List(value=[1, 2])),
    "a": train.Feature(bytes_list=train.BytesList(value=[b"x\xff\n\"'"])),
    "c": train.Feature(float_list=train.FloatList(value=[0.1, 1e10, -3.0])),
}
# By protobuf's SerializeToString(deterministic=True).
SERIALIZED = (
    b"\n4\n\x0e\n\x01a\x12\t\n\x07\n\x05x\xff\n\"'\n\x0b\n\x01b\x12\x06\x1a\x04\n\x02\x01\x02"
    b"\n\x15\n\x01c\x12\x10\x12\x0e\n\x0c\xcd\xcc\xcc=\xf9\x02\x15P\x00\x00@\xc0"
)


def example():
    return train.Example(features=train.Features(feature=EXAMPLE))


def test_bytes_are_those_of_protobuf():
    assert example().SerializeToString() == SERIALIZED
    assert example().ByteSize() == len(SERIALIZED)
    assert train.Example.FromString(SERIALIZED) == example()


def test_unpacked_lists_and_unknown_fields_are_read():
    feature = train.Feature.FromString(b"\x1a\x04\x08\x01\x08\x02")
    assert feature.int64_list.value == [1, 2]
    assert train.Example.FromString(b"\x78\x01").SerializeToString() == b"\x78\x01"


def test_every_truncation_and_flip_is_read_or_refused():
    for end in range(1, len(SERIALIZED)):
        with pytest.raises(DecodeError):
            train.Example.FromString(SERIALIZED[:end])
    for bit in range(8 * len(SERIALIZED)):
        damaged = bytearray(SERIALIZED)
        damaged[bit // 8] ^= 1 << bit % 8
        with contextlib.suppress(DecodeError):
            train.Example.FromString(bytes(damaged))


def test_fields_are_made_when_they_change():
    message = train.Example()
    assert not message.HasField("features")
    assert list(message.features.feature) == [] and not message.HasField("features")
    assert message.features.feature["q"].WhichOneof("kind") is None
    assert message.HasField("features")
    assert message.SerializeToString() == b"\n\x07\n\x05\n\x01q\x12\x00"
    message.features.feature["q"].float_list.value.append(1.0)
    assert message.features.feature["q"].WhichOneof("kind") == "float_list"


def test_one_alternative_takes_the_place_of_another():
    feature = train.Feature(int64_list={"value": [1]})
    feature.float_list.value.append(2.0)
    assert feature.WhichOneof("kind") == "float_list"
    assert not feature.HasField("int64_list") and feature.int64_list.value == []
    feature.ClearField("kind")
    assert feature.WhichOneof("kind") is None and str(feature) == ""


def test_text():
    text = str(train.Feature(bytes_list={"value": [b"a\"b'c\\\n\t\r\x00\xff", b""]}))
    shown = '  value: "a\\"b\\\'c\\\\\\n\\t\\r\\000\\377"\n  value: ""\n'
    assert text == "bytes_list {\n" + shown + "}\n"
    floats = [0.1, 1 / 3, 1e20, float("inf"), -0.0, 100.0, 16777216.0, 1e-5]
    shown = ["0.1", "0.333333343", "1e+20", "inf", "-0", "100", "16777216", "1e-05"]
    text = str(train.FloatList(value=floats))
    assert text == "".join(f"value: {v}\n" for v in shown)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: train.Int64List(value=["a"]), TypeError),
        (lambda: train.Int64List(value=[1.0]), TypeError),
        (lambda: train.Int64List(value=[True]), TypeError),
        (lambda: train.Int64List(value=[2**63]), ValueError),
        (lambda: train.Int64List(value=1), TypeError),
        (lambda: train.BytesList(value=["abc"]), TypeError),
        (lambda: train.FloatList(value=["1"]), TypeError),
        (lambda: train.Feature(int64_list=train.FloatList()), TypeError),
        (lambda: train.Example(nope=1), ValueError),
        (lambda: train.Example(3), TypeError),
        (lambda: train.Example().HasField("nope"), ValueError),
        (lambda: train.Int64List().HasField("value"), ValueError),
        (lambda: train.Example().MergeFrom(train.Features()), TypeError),
        (lambda: setattr(train.Example(), "features", train.Features()), AttributeError),
        (lambda: setattr(train.Int64List(), "value", [1]), AttributeError),
        (lambda: train.Features().feature.__setitem__("a", train.Feature()), ValueError),
        (lambda: hash(train.Example()), TypeError),
        (lambda: train.Example.FromString("abc"), TypeError),
    ],
)
def test_what_does_not_fit_is_refused(make, error):
    with pytest.raises(error):
        make()


def test_lists_are_lists():
    value = train.Int64List(value=np.array([5, 3, 9])).value
    value.append(1)
    value.extend([7, 8])
    value.insert(0, 4)
    assert (value.pop(), value.pop(0)) == (8, 4)
    value.remove(9)
    value[0] = 50
    assert value[1:3] == [3, 1] and isinstance(value[1:3], list)
    value[1:2] = [70, 71]
    del value[0]
    value.sort()
    assert value == [1, 7, 70, 71] and 70 in value and repr(value) == "[1, 7, 70, 71]"


def test_merging_and_copying():
    message = example()
    message.MergeFrom(train.Example(features={"feature": {"b": {"int64_list": {"value": [9]}}}}))
    assert message.features.feature["b"].int64_list.value == [9]
    other = train.Example()
    other.CopyFrom(message)
    assert other == message == copy.deepcopy(message) == pickle.loads(pickle.dumps(message))
    other.Clear()
    assert other == train.Example() and other != message
