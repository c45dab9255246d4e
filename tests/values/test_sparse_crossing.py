"""Crossed features, beside what TensorFlow 2.21 gives."""

import ferrograph as fg
import pytest

LONG = "long string of many bytes, more than sixty-four of them, to go another way"
A = [["a", "bb"], [], [LONG]]
B = [[1, 2], [3, -4], [5, 6]]
C = [["x", ""], ["y", "z"], ["", "w"]]


def columns():
    sparse = fg.sparse.from_dense(C)
    return fg.ragged.constant(A, dtype=fg.string), fg.constant(B, fg.int64), sparse


def rows(found):
    return [i for i, _ in found.indices.numpy().tolist()]


def test_texts_are_joined_sparse_columns_first():
    _, b, c = columns()
    found = fg.sparse.cross([b, c], separator="-")
    assert found.values.numpy().tolist() == [
        *[b"x-1", b"x-2", b"y-3", b"y--4", b"z-3", b"z--4", b"w-5", b"w-6"]
    ]
    assert found.indices.numpy().tolist()[:4] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert found.dense_shape.numpy().tolist() == [3, 4]


HASHED = {
    (0, None): [7722368476446652350, 6839035592980495920, 4998334265168874473]
    + [8443158012233291584, 4043768132052852066, 1050202587462845627],
    (1000, None): [350, 920, 473, 584, 873, 627],
    (7, 123): [5, 4, 0, 5, 3, 3],
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("options", HASHED)
def test_hashes_are_those_recorded(options, traced):
    def crossed(*inputs):
        return fg.sparse.cross_hashed(inputs, num_buckets=options[0], hash_key=options[1])

    a, b, c = columns()
    found = (fg.function(crossed) if traced else crossed)(a, b, c)
    assert found.values.numpy().tolist() == HASHED[options]
    assert rows(found) == [0, 0, 0, 0, 2, 2]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="must not be negative"):
        fg.sparse.cross_hashed([[["a"]]], num_buckets=-1)
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError), match="must be a matrix"):
        fg.sparse.cross(["a", "b"])
    with pytest.raises(fg.errors.InvalidArgumentError, match="as many rows"):
        fg.sparse.cross([[["a"]], [["b"], ["c"]]])
    with pytest.raises(ValueError, match="at least one column"):
        fg.sparse.cross([])
