"""``Dataset.save`` that goes on where it was stopped."""

import ferrograph as fg
import pytest

D = fg.data.Dataset


class Stopped(Exception):
    pass


def counted(n, stop_at=None):
    """A dataset that fails at an element, and the list of what it computed."""
    calls = []

    def record(x):
        if int(x) == stop_at:
            raise Stopped(f"at {stop_at}")
        calls.append(int(x))
        return x

    return D.range(n).map(lambda x: fg.py_function(record, [x], fg.int64)), calls


def arguments(folder, **more):
    return {"directory": str(folder / "checkpoints"), "max_to_keep": 2, **more}


def numbers(path):
    return [int(x) for x in D.load(str(path))]


def test_a_stopped_save_goes_on(tmp_path):
    path, counter = tmp_path / "saved", fg.Variable(0, dtype=fg.int64)
    args = arguments(tmp_path, checkpoint_interval=3, step_counter=counter)
    dataset, calls = counted(10, stop_at=7)
    with pytest.raises(fg.errors.UnknownError, match="at 7"):
        dataset.save(path, checkpoint_args=args)
    assert not path.exists()
    assert calls == [0, 1, 2, 3, 4, 5, 6]

    dataset, calls = counted(10)
    counter.assign(0)
    dataset.save(path, checkpoint_args=args)
    # The iterator passes over what was saved, and then gives the rest.
    assert calls[-4:] == [6, 7, 8, 9]
    assert numbers(path) == list(range(10))
    assert int(counter) == 10

    dataset, calls = counted(10)
    dataset.save(path, checkpoint_args=args)
    assert numbers(path) == list(range(10))
    assert int(counter) == 10
    assert not (tmp_path / "checkpoints" / "parts").exists()


def test_without_an_interval_each_element_is_noted(tmp_path):
    dataset, _ = counted(4, stop_at=2)
    args = arguments(tmp_path)
    with pytest.raises(fg.errors.UnknownError, match="at 2"):
        dataset.save(tmp_path / "saved", checkpoint_args=args)
    dataset, calls = counted(4)
    dataset.save(tmp_path / "saved", checkpoint_args=args)
    assert calls[-2:] == [2, 3]
    assert numbers(tmp_path / "saved") == [0, 1, 2, 3]
    assert set(args) == {"directory", "max_to_keep"}


def test_elements_of_any_structure_shards_and_compression(tmp_path):
    rows = fg.ragged.constant([[1.0], [], [2.0, 3.0]])
    dataset = D.from_tensor_slices({"row": rows, "name": ["a", "b", "c"]})
    dataset.save(
        str(tmp_path / "saved"),
        "GZIP",
        lambda e: fg.size(e["name"], fg.int64) - 1,
        arguments(tmp_path, checkpoint_interval=2, step_counter=fg.Variable(0)),
    )
    found = list(D.load(str(tmp_path / "saved")))
    assert [e["row"].numpy().tolist() for e in found] == [[1.0], [], [2.0, 3.0]]
    assert [e["name"].numpy() for e in found] == [b"a", b"b", b"c"]


def test_nothing_is_saved_as_nothing(tmp_path):
    D.range(0).save(str(tmp_path / "saved"), checkpoint_args=arguments(tmp_path))
    assert numbers(tmp_path / "saved") == []


def test_arguments_that_are_refused(tmp_path):
    args = arguments(tmp_path)
    with pytest.raises(ValueError, match="no 'checkpoint'"):
        D.range(2).save(tmp_path / "s", checkpoint_args={**args, "checkpoint": 1})
    with pytest.raises(ValueError, match="needs a 'directory'"):
        D.range(2).save(tmp_path / "s", checkpoint_args={"max_to_keep": 1})

    @fg.function
    def f():
        D.range(2).save(str(tmp_path / "s"), checkpoint_args=args)

    with pytest.raises(NotImplementedError, match="outside of one"):
        f()
