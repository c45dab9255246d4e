"""What has no one meaning is refused, eagerly and while tracing, rather than answered somehow."""

import ferrograph as fg
import pytest


def both(call):
    return [call, fg.function(call, autograph=False)]


def refused(call, error, text):
    for way in both(call):
        with pytest.raises(error, match=text):
            way()


def ten(n):
    return lambda: fg.constant(10 * n)


@pytest.mark.parametrize("numbers", [(0, 2), (1, 2), (-1, 0), (0, 1, 3), (5,)])
@pytest.mark.parametrize("index", [0, 1, 2, 7])
def test_switch_case_without_a_branch(numbers, index):
    branches = {n: ten(n) for n in numbers}
    refused(lambda: fg.switch_case(fg.constant(index), branches), ValueError, "give a default")
    pairs = list(branches.items())
    refused(lambda: fg.switch_case(fg.constant(index), pairs), ValueError, "give a default")
    for way in both(lambda: fg.switch_case(fg.constant(index), branches, default=ten(9))):
        assert int(way()) == (10 * index if index in numbers else 90)


@pytest.mark.parametrize("index", [0, 1, 2, -1])
def test_switch_case_of_all_branches(index):
    for way in both(lambda: fg.switch_case(fg.constant(index), {1: ten(1), 0: ten(0)})):
        assert int(way()) == (0 if index == 0 else 10)


@pytest.mark.parametrize("equation", ["...i->i", "...i,ij->j", "i...->", "...,...->"])
def test_einsum_says_where_the_ellipsis_goes(equation):
    x = fg.ones([2, 2])
    operands = [x] * (1 + equation.count(","))
    refused(lambda: fg.einsum(equation, *operands), ValueError, r"no '\.\.\.'")


@pytest.mark.parametrize("equation", ["...ij->ij", "...i->...", "...ij", "...->..."])
def test_einsum_with_an_ellipsis_that_stands_for_nothing_or_is_kept(equation):
    x = fg.reshape(fg.range(4.0), [2, 2])
    wanted = {"...i->...": [1.0, 5.0]}.get(equation, [[0.0, 1.0], [2.0, 3.0]])
    for way in both(lambda: fg.einsum(equation, x)):
        assert way().numpy().tolist() == wanted


@pytest.mark.parametrize("part", [fg.math.real, fg.math.imag])
def test_text_has_no_parts(part):
    refused(lambda: part(["a"]), TypeError, "numbers, got dtype string")


def test_sparse_values_go_with_the_coordinates():
    sparse = fg.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
    for values in ([1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], 1.0):
        refused(lambda values=values: sparse.with_values(values), ValueError, None)
    assert sparse.with_values([3, 4]).values.numpy().tolist() == [3, 4]
