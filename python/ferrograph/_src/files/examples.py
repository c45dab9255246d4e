"""Examples: features by name, as messages."""

from __future__ import annotations

from typing import ClassVar

from ..values.public import public
from .messages import Field, Message

__all__ = [
    "BytesList",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
]


@public("train.BytesList")
class BytesList(Message):
    """A list of strings of bytes, in ``value``.

    >>> fg.train.BytesList(value=[b"a", b"bc"]).value
    [b'a', b'bc']
    """

    FIELDS: ClassVar = {"value": Field(1, "list", "bytes")}


@public("train.FloatList")
class FloatList(Message):
    """A list of floats, in ``value``, which are rounded to float32.

    >>> fg.train.FloatList(value=[0.5, 2]).value
    [0.5, 2.0]
    """

    FIELDS: ClassVar = {"value": Field(1, "list", "float")}


@public("train.Int64List")
class Int64List(Message):
    """A list of integers, in ``value``.

    >>> fg.train.Int64List(value=range(3)).value
    [0, 1, 2]
    """

    FIELDS: ClassVar = {"value": Field(1, "list", "int64")}


@public("train.Feature")
class Feature(Message):
    """A list of one kind: ``bytes_list``, ``float_list`` or ``int64_list``.

    >>> feature = fg.train.Feature(int64_list=fg.train.Int64List(value=[1, 2]))
    >>> feature.WhichOneof("kind")
    'int64_list'
    """

    FIELDS: ClassVar = {
        "bytes_list": Field(1, "one", BytesList, "kind"),
        "float_list": Field(2, "one", FloatList, "kind"),
        "int64_list": Field(3, "one", Int64List, "kind"),
    }


@public("train.Features")
class Features(Message):
    """Features by their names, in ``feature``, which makes those that are asked for.

    >>> features = fg.train.Features()
    >>> features.feature["age"].int64_list.value.append(33)
    >>> list(features.feature)
    ['age']
    """

    FIELDS: ClassVar = {"feature": Field(1, "map", Feature)}


@public("train.FeatureList")
class FeatureList(Message):
    """The features of the steps of a sequence, in ``feature``.

    >>> steps = fg.train.FeatureList()
    >>> steps.feature.add().float_list.value.append(0.5)
    >>> len(steps.feature)
    1
    """

    FIELDS: ClassVar = {"feature": Field(1, "many", Feature)}


@public("train.FeatureLists")
class FeatureLists(Message):
    """Lists of features by their names, in ``feature_list``.

    >>> lists = fg.train.FeatureLists()
    >>> lists.feature_list["words"].feature.add(bytes_list={"value": [b"one"]})
    bytes_list {
      value: "one"
    }
    <BLANKLINE>
    """

    FIELDS: ClassVar = {"feature_list": Field(1, "map", FeatureList)}


@public("train.Example")
class Example(Message):
    """One example of a data set: ``features`` by their names.

    >>> example = fg.train.Example()
    >>> example.features.feature["age"].int64_list.value.append(33)
    >>> text = example.SerializeToString()
    >>> fg.train.Example.FromString(text).features.feature["age"].int64_list.value
    [33]
    >>> wanted = {"age": fg.io.FixedLenFeature([], fg.int64)}
    >>> int(fg.io.parse_single_example(text, wanted)["age"])
    33
    """

    FIELDS: ClassVar = {"features": Field(1, "one", Features)}


@public("train.SequenceExample")
class SequenceExample(Message):
    """One example that has steps: features of all of it in ``context``, lists of features, one for
    each step, in ``feature_lists``.

    >>> example = fg.train.SequenceExample()
    >>> example.context.feature["length"].int64_list.value.append(1)
    >>> step = example.feature_lists.feature_list["word"].feature.add()
    >>> step.bytes_list.value.append(b"one")
    >>> print(example.feature_lists)
    feature_list {
      key: "word"
      value {
        feature {
          bytes_list {
            value: "one"
          }
        }
      }
    }
    <BLANKLINE>
    """

    FIELDS: ClassVar = {
        "context": Field(1, "one", Features),
        "feature_lists": Field(2, "one", FeatureLists),
    }
