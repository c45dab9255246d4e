"""Ragged tensors of every kind in every function against what tensorflow 2.21.0 gives.

Values, ragged ranks and dtypes are alike; no size is less known than there, and none is wrong.
"""

import json
import math
import pathlib
import sys

import ferrograph as fg
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ragged_values

RECORD = json.loads((pathlib.Path(__file__).parent / "recorded" / "ragged_values.json").read_text())
CASES = {key: (names, call) for key, names, call in ragged_values.cases() if key in RECORD}
FAMILIES = sorted({key.partition("(")[0].split(" ")[0].split("[")[0] for key in CASES})

# Where tensorflow's own value is another one, and why it does not stand here.
DIFFERENT = {
    # The rank of the result is that of the argument, also where inner axes are not partitioned.
    "reduce_sum(inner, None, True)",
    "reduce_sum(inner3, None, True)",
    "reduce_sum(deep, None, True)",
    "reduce_sum(both1, None, True)",
    # Along an inner axis nothing becomes partitioned, whatever stands behind it.
    "stack(inner3, 2)",
    "concat(inner3, 2)",
}
# A gather with an index that a row does not have reads the rows behind it there; batches that
# differ are not seen. Both are refused here.
REFUSED = ("an index is outside of its row", "ragged tensors have different lengths")


def agree(ours, theirs, is_eager):
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(
            agree(a, b, is_eager) for a, b in zip(ours, theirs, strict=True)
        )
    pairs = zip(ours["shape"], theirs["shape"], strict=True)
    known = all(b is None or a == b or a is None and not is_eager for a, b in pairs)
    return known and ours["kind"] == theirs["kind"] and close(ours["holds"], theirs["holds"])


def close(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4) or a != a and b != b
    return a == b


@pytest.mark.parametrize("way", ["eager", "traced"])
@pytest.mark.parametrize("family", FAMILIES)
def test_family(family, way):
    values, wrong, refused = ragged_values.values(fg), [], 0
    for key, (names, call) in CASES.items():
        if key.partition("(")[0].split(" ")[0].split("[")[0] != family or key in DIFFERENT:
            continue
        function = lambda *args, call=call: call(fg, *args)  # noqa: E731
        function = fg.function(function) if way == "traced" else function
        try:
            ours = ragged_values.plain(function(*[values[name] for name in names]))
        except fg.errors.InvalidArgumentError as e:
            assert any(text in str(e) for text in REFUSED), f"{key}: {e}"
            refused += 1
            continue
        if not agree(ours, RECORD[key], way == "eager"):
            wrong.append(f"{key}: {ours}, recorded is {RECORD[key]}")
    assert not wrong, "\n".join(wrong[:20])
    assert family == "gather" or refused == 0


def test_ranks_of_sums_and_joins_are_those_of_the_arguments():
    values = ragged_values.values(fg)
    for name in ("inner", "inner3", "deep", "both1"):
        found = fg.reduce_sum(values[name], keepdims=True)
        assert found.shape == [1] * values[name].shape.rank
    joined = fg.concat([values["inner3"]] * 2, 2)
    assert joined.ragged_rank == 1 and joined.shape == [2, None, 4, 2]


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_indices_outside_of_their_row_are_refused(wrap):
    rows = fg.ragged.constant([[1, 2], [], [3, 4, 5]])
    gather = wrap(lambda r, i: fg.gather(r, i, axis=1))
    with pytest.raises(fg.errors.InvalidArgumentError, match="outside of its row"):
        gather(rows, fg.constant([0]))
    assert gather(rows[2:], fg.constant([2, 0])).numpy().tolist() == [[5, 3]]
    batched = wrap(lambda r, i: fg.gather(r, i, batch_dims=1))
    with pytest.raises(fg.errors.InvalidArgumentError, match="outside of its row"):
        batched(rows, fg.ragged.constant([[0, 2], [], [1]]))
    with pytest.raises(fg.errors.InvalidArgumentError, match="numbers of batches"):
        batched(rows, fg.ragged.constant([[0], [], [1], []]))
