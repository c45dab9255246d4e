"""Strategies of one replica."""

import ferrograph as fg
import pytest

STRATEGIES = [
    lambda: fg.distribute.get_strategy(),
    lambda: fg.distribute.OneDeviceStrategy("/cpu:0"),
    lambda: fg.distribute.MirroredStrategy(),
    lambda: fg.distribute.MirroredStrategy(["CPU:0"]),
]


@pytest.fixture(params=STRATEGIES)
def strategy(request):
    return request.param()


def test_run_calls_the_function_once(strategy):
    calls = []

    def step(x, by=1.0):
        context = fg.distribute.get_replica_context()
        calls.append((context.replica_id_in_sync_group, context.strategy is strategy))
        return x * by

    found = strategy.run(step, args=(fg.constant(2.0),), kwargs={"by": 3.0})
    assert float(found) == 6.0 and calls == [(0, True)]
    assert [float(v) for v in strategy.experimental_local_results(found)] == [6.0]


def test_run_in_a_traced_function(strategy):
    v = fg.Variable(1.0)

    @fg.function
    def train(x):
        def step(x):
            if x > 0:  # converted
                v.assign_add(x)
            return v.read_value()

        return strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None)

    assert float(train(fg.constant(2.0))) == 3.0
    assert float(train(fg.constant(-2.0))) == 3.0


def test_contexts(strategy):
    default = fg.distribute.get_strategy()
    assert not fg.distribute.has_strategy()
    assert not fg.distribute.in_cross_replica_context()
    with strategy.scope() as entered:
        assert entered is strategy is fg.distribute.get_strategy()
        assert fg.distribute.in_cross_replica_context()
        assert fg.distribute.has_strategy() is (strategy is not default)
        assert strategy.run(fg.distribute.in_cross_replica_context) is False
        merged = strategy.run(
            lambda: fg.distribute.get_replica_context().merge_call(
                lambda s, x: (s is strategy, fg.distribute.get_replica_context(), x), args=(1,)
            )
        )
        assert merged == (True, None, 1)
    assert fg.distribute.get_strategy() is default


def test_a_scope_is_left_after_an_error(strategy):
    with pytest.raises(ZeroDivisionError), strategy.scope():
        strategy.run(lambda: 1 / 0)
    assert fg.distribute.get_replica_context() is not None
    assert not fg.distribute.has_strategy()


def test_reductions(strategy):
    value = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    assert strategy.reduce("MEAN", value, axis=0).numpy().tolist() == [2.0, 3.0]
    assert strategy.reduce(fg.distribute.ReduceOp.SUM, value, axis=0).numpy().tolist() == [4.0, 6.0]
    assert strategy.reduce("sum", value, axis=None) is value
    assert strategy.gather(value, axis=0) is value
    with pytest.raises(ValueError):
        strategy.reduce("LARGEST", value, axis=None)


def test_datasets(strategy):
    dataset = fg.data.Dataset.range(4).batch(2)
    assert [b.numpy().tolist() for b in strategy.experimental_distribute_dataset(dataset)] == [
        [0, 1],
        [2, 3],
    ]
    made = strategy.distribute_datasets_from_function(
        lambda context: dataset.take(context.get_per_replica_batch_size(1))
    )
    assert len(list(made)) == 1


def test_updates(strategy):
    v = fg.Variable(1.0)
    extended = strategy.extended
    with extended.colocate_vars_with(v):
        w = fg.Variable(2.0)
    assert extended.variable_created_in_scope(w)
    found = extended.update(v, lambda v, by: v.assign_add(by), args=(w,), group=False)
    assert float(v) == 3.0 and isinstance(found, tuple)


def test_a_strategy_can_be_set():
    strategy = fg.distribute.OneDeviceStrategy("CPU:0")
    fg.distribute.experimental_set_strategy(strategy)
    try:
        assert fg.distribute.get_strategy() is strategy
        assert fg.distribute.in_cross_replica_context()
        with strategy.scope(), pytest.raises(RuntimeError, match="scope"):
            fg.distribute.experimental_set_strategy(None)
    finally:
        fg.distribute.experimental_set_strategy(None)
    assert not fg.distribute.has_strategy()


def test_several_replicas_are_refused():
    with pytest.raises(ValueError, match="2 devices"):
        fg.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    fg.config.set_soft_device_placement(False)
    try:
        with pytest.raises(fg.errors.InvalidArgumentError, match="GPU"):
            fg.distribute.OneDeviceStrategy("GPU:0")
    finally:
        fg.config.set_soft_device_placement(True)
    with fg.distribute.OneDeviceStrategy("GPU:0").scope():  # which is the CPU here
        assert "CPU:0" in fg.Variable(1.0).device
    for elsewhere in (fg.distribute.MultiWorkerMirroredStrategy, fg.distribute.TPUStrategy):
        with pytest.raises(NotImplementedError, match="OneDeviceStrategy"):
            elsewhere()
    with pytest.raises(ValueError, match="divide"):
        fg.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(3)


def test_variables_of_a_mirrored_strategy_have_values():
    strategy = fg.distribute.MirroredStrategy()
    with strategy.scope():
        v = fg.Variable([1.0, 2.0], name="v")
    assert isinstance(v, fg.Variable) and isinstance(v, fg.distribute.DistributedValues)
    (of_replica,) = v.values
    of_replica.assign_add([1.0, 1.0])
    assert strategy.unwrap(v.read_value())[0].numpy().tolist() == [2.0, 3.0]
    assert fg.function(lambda: fg.reduce_sum(v))().numpy() == 5.0
    made = []
    strategy.run(lambda: made.append(fg.Variable(1.0)))
    assert isinstance(made[0], fg.distribute.DistributedValues)
    assert not hasattr(fg.Variable(1.0), "values")


def test_creators_of_the_program_come_before_those_of_a_strategy():
    seen = []

    def creator(next_creator, **kwargs):
        made = next_creator(**kwargs)
        seen.append(hasattr(made, "values"))
        return made

    with fg.distribute.MirroredStrategy().scope(), fg.variable_creator_scope(creator):
        fg.Variable(1.0)
    assert seen == [True]
