"""Iterators in checkpoints: they go on where they were, here and in another process."""

import ferrograph as fg
import pytest

Dataset = fg.data.Dataset


def values(iterator, n):
    found = []
    for _ in range(n):
        try:
            found.append(fg.nest.map_structure(lambda t: t.numpy().tolist(), next(iterator)))
        except StopIteration:
            break
    return found


def drawn(x):
    return x + fg.random.uniform([], 0, 1000, fg.int64, seed=7)


def batches(ds):
    return ds.shuffle(5).batch(3).repeat()


def nested(i):
    return Dataset.range(4).shuffle(4).map(lambda x: x + 10 * i)


SPEC = fg.TensorSpec([], fg.int64)
PIPELINES = {
    "range": lambda: Dataset.range(40),
    "rows": lambda: Dataset.from_tensor_slices(list(range(40))),
    "batches": lambda: Dataset.range(10).batch(3).repeat(4),
    "shuffled": lambda: Dataset.range(40).shuffle(10),
    "shuffled with a seed": lambda: Dataset.range(12).shuffle(12, seed=3).repeat(),
    "shuffled once": lambda: Dataset.range(9).shuffle(9, reshuffle_each_iteration=False).repeat(),
    "two shuffles": lambda: Dataset.range(9).shuffle(4).repeat(3).shuffle(5).repeat(2),
    "behind threads": lambda: Dataset.range(9).shuffle(9).repeat().prefetch(4),
    "two threads": lambda: Dataset.zip(
        (
            Dataset.range(3).shuffle(3).repeat().prefetch(9),
            Dataset.range(5).shuffle(5).repeat().prefetch(1),
        )
    ),
    "parallel map": lambda: (
        Dataset.range(9).shuffle(9).repeat().map(lambda x: x * x, num_parallel_calls=4)
    ),
    "turns": lambda: Dataset.range(6).shuffle(6).interleave(nested, 3).repeat(),
    "parallel turns": lambda: Dataset.range(6).interleave(nested, 3, num_parallel_calls=3).repeat(),
    "flat": lambda: Dataset.range(5).flat_map(nested).repeat(3),
    "cache": lambda: Dataset.range(7).cache().shuffle(7).repeat(),
    "cached order": lambda: Dataset.range(7).shuffle(7).cache().repeat(),
    "random": lambda: Dataset.random(rerandomize_each_iteration=True).take(5).repeat(),
    "sampled": lambda: Dataset.sample_from_datasets(
        [Dataset.range(50), Dataset.range(100, 150)], rerandomize_each_iteration=True
    ),
    "windows": lambda: Dataset.range(40).shuffle(9).window(3, 1).flat_map(lambda d: d.batch(3)),
    "filter": lambda: Dataset.range(80).shuffle(20).filter(lambda x: x % 2 == 0),
    "generator": lambda: Dataset.from_generator(lambda: iter(range(40)), output_signature=SPEC),
    "draws": lambda: Dataset.range(40).map(drawn),
    "scan": lambda: Dataset.range(40).scan(0, lambda s, x: (s + 1, x + fg.cast(s, fg.int64))),
}


@pytest.mark.parametrize("taken", [0, 1, 7, 20])
@pytest.mark.parametrize("name", PIPELINES)
def test_an_iterator_resumes(name, taken, tmp_path):
    fg.random.set_seed(1)
    data = PIPELINES[name]()
    iterator = iter(data)
    values(iterator, taken)
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    expected = values(iterator, 19)

    fg.train.Checkpoint(it=iterator).restore(path).assert_consumed()
    assert values(iterator, 19) == expected

    fg.random.set_seed(1)
    other = iter(PIPELINES[name]())
    values(other, 3)
    fg.train.Checkpoint(it=other).restore(path).assert_consumed()
    assert values(other, 19) == expected


def test_an_iterator_resumes_behind_its_end(tmp_path):
    iterator = iter(Dataset.range(3))
    assert len(values(iterator, 9)) == 3
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    other = iter(Dataset.range(3))
    fg.train.Checkpoint(it=other).restore(path)
    assert values(other, 1) == []


def test_a_loop_of_a_function_resumes(tmp_path):
    iterator = iter(Dataset.range(100).shuffle(100))
    checkpoint = fg.train.Checkpoint(it=iterator)

    @fg.function
    def total(it):
        found = fg.constant(0, fg.int64)
        for _ in fg.range(5):
            found += next(it)
        return found

    total(iterator)
    path = checkpoint.save(str(tmp_path / "c"))
    expected = int(total(iterator))
    checkpoint.restore(path)
    assert int(total(iterator)) == expected


def test_an_element_that_was_looked_at_is_not_passed(tmp_path):
    iterator = iter(Dataset.range(9).map(lambda x: x + 1))

    @fg.function
    def first(it):
        found = fg.constant(0, fg.int64)
        for x in it:
            found = x
            if x > 2:
                break
        return found

    assert int(first(iterator)) == 3
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    other = iter(Dataset.range(9).map(lambda x: x + 1))
    fg.train.Checkpoint(it=other).restore(path)
    assert values(other, 2) == values(iterator, 2) == [4, 5]


def test_errors_are_passed(tmp_path):
    def made():
        bad = Dataset.range(6).map(lambda x: fg.debugging.check_numerics(1 / (x - 1), "bad"))
        return iter(bad)

    iterator = made()
    next(iterator)
    with pytest.raises(fg.errors.InvalidArgumentError):
        next(iterator)
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    other = made()
    fg.train.Checkpoint(it=other).restore(path)
    assert values(other, 9) == values(iterator, 9) == [1.0, 0.5, 1 / 3, 0.25]


def test_an_order_that_a_cache_holds_is_refused(tmp_path):
    data = Dataset.range(5).shuffle(5).cache()
    list(data)
    iterator = iter(data)
    with pytest.raises(fg.errors.FailedPreconditionError, match="behind cache"):
        fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    plain = Dataset.range(5).cache()
    list(plain)
    fg.train.Checkpoint(it=iter(plain)).save(str(tmp_path / "c"))
    filed = iter(Dataset.range(5).shuffle(5).cache(str(tmp_path / "file")))
    with pytest.raises(fg.errors.FailedPreconditionError, match="behind cache"):
        fg.train.Checkpoint(it=filed).save(str(tmp_path / "c"))


def test_another_dataset_is_refused(tmp_path):
    path = fg.train.Checkpoint(it=iter(Dataset.range(9).shuffle(3))).save(str(tmp_path / "c"))
    with pytest.raises(fg.errors.FailedPreconditionError, match="another dataset"):
        fg.train.Checkpoint(it=iter(Dataset.range(9).cache())).restore(path)
    iterator = iter(Dataset.range(9))
    values(iterator, 5)
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    with pytest.raises(fg.errors.FailedPreconditionError, match="behind the end"):
        fg.train.Checkpoint(it=iter(Dataset.range(2))).restore(path)


def test_an_iterator_that_could_not_go_there_stays(tmp_path):
    iterator = iter(Dataset.range(9))
    values(iterator, 5)
    path = fg.train.Checkpoint(it=iterator).save(str(tmp_path / "c"))
    short = iter(Dataset.range(3))
    next(short)
    with pytest.raises(fg.errors.FailedPreconditionError):
        fg.train.Checkpoint(it=short).restore(path)
    assert values(short, 3) == [1, 2]


def test_another_process_resumes(run_python, tmp_path):
    program = """
    import sys
    import ferrograph as fg
    data = fg.data.Dataset.range(50).shuffle(20).repeat().prefetch(3)
    it = iter(data)
    checkpoint = fg.train.Checkpoint(it=it)
    last = fg.train.latest_checkpoint({folder!r})
    if last:
        checkpoint.restore(last).assert_consumed()
        found = [int(next(it)) for _ in range(70)]
        assert str(found) == open({folder!r} + "/expected").read()
    else:
        [next(it) for _ in range(60)]
        checkpoint.save({folder!r} + "/c")
        open({folder!r} + "/expected", "w").write(str([int(next(it)) for _ in range(70)]))
    """.format(folder=str(tmp_path))
    run_python(program)
    run_python(program)
