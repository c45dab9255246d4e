"""Random numbers that a global seed decides, drawn in one order eagerly."""

DRAWS = {}


def draws(function):
    """Add draws: a function of the module, which gives a list of tensors."""
    DRAWS[function.__name__] = function
    return function


SEEDS = (0, 5, 123456789, 2**40 + 3, -7, 2**31 - 1)


def seeded(m, seed):
    """One draw of each kind after a seed, as often as each has a seed of its own."""
    m.random.set_seed(seed)
    return [
        m.random.uniform([3]),
        m.random.normal([3]),
        m.random.truncated_normal([3], dtype=m.float64),
        m.random.uniform([2, 2], 3, 1000, m.int32),
        m.random.uniform([3], -5, 5, m.int64),
        m.random.shuffle(m.range(9)),
        m.random.shuffle(m.reshape(m.range(8), [4, 2])),
        m.random.categorical([[0.0, 1.0, 0.5], [0.0, 0.0, 0.0]], 5),
        m.random.uniform([2], dtype=m.float64),
        m.random.uniform([2], dtype=m.bfloat16),
        m.nn.dropout(m.ones([6]), 0.5),
    ]


for one in SEEDS:
    DRAWS[f"seed {one}"] = lambda m, seed=one: seeded(m, seed)


@draws
def seeds_of_operations_go_on(m):
    m.random.set_seed(5)
    found = []
    for _ in range(3):
        found += [
            m.random.uniform([2], seed=1),
            m.random.normal([3], seed=1),
            m.random.shuffle(m.range(10), seed=1),
            m.random.categorical([[0.0, 1.0, 2.0]], 3, seed=1),
            m.random.uniform([2], seed=1, dtype=m.float64),
            m.random.uniform([3], 0, 10, m.int32, seed=2),
        ]
    return found


@draws
def small_shuffles_take_a_seed(m):
    m.random.set_seed(3)
    return [m.random.shuffle([7]), m.random.shuffle(m.zeros([0])), m.random.uniform([2])]


@draws
def zero_seeds_are_seeds(m):
    m.random.set_seed(0)
    return [m.random.uniform([2], seed=0), m.random.uniform([2], seed=2**31 - 1)]


@draws
def stateless_classes(m):
    logits = m.constant([[0.0, 1.0, 0.5], [float("inf"), 0.0, float("-inf")]])
    return [
        m.random.stateless_categorical(logits, 7, seed=[1, 2]),
        m.random.stateless_categorical(m.cast(logits, m.float64), 5, seed=[3, 4], dtype=m.int32),
        m.random.stateless_categorical(m.zeros([3, 100]), 4, seed=m.constant([5, 6], m.int64)),
        m.random.stateless_categorical(m.zeros([0, 3]), 2, seed=[1, 2]),
        m.random.stateless_categorical(m.zeros([2, 3]), 0, seed=[1, 2]),
    ]


def elements(m, dataset, n=2):
    """What so many iterations of a dataset give."""
    return [m.constant([int(x) for x in dataset], m.int64) for _ in range(n)]


@draws
def orders_of_datasets(m):
    m.random.set_seed(5)
    numbers, found = m.data.Dataset.range, []
    for n, buffer in ((8, 3), (8, 20), (5, 5), (1, 1), (0, 4)):
        found += elements(m, numbers(n).shuffle(buffer, seed=9))
        fixed = numbers(n).shuffle(buffer, seed=9, reshuffle_each_iteration=False)
        found += elements(m, fixed)
        found += elements(m, numbers(n).shuffle(buffer))
    found += elements(m, numbers(6).shuffle(4, seed=2).repeat(3))
    found += elements(m, numbers(6).repeat(2).shuffle(4, seed=2))
    found += elements(m, numbers(9).shuffle(9).batch(3).unbatch())
    return found


@draws
def datasets_and_draws_take_seeds_in_turn(m):
    m.random.set_seed(11)
    dataset = m.data.Dataset.range(6).shuffle(6)
    first = m.random.uniform([2])
    other = m.data.Dataset.range(6).shuffle(6)
    return [first, *elements(m, dataset), m.random.uniform([2]), *elements(m, other)]


@draws
def random_datasets(m):
    m.random.set_seed(5)
    found = []
    for dataset in (m.data.Dataset.random(seed=4).take(5), m.data.Dataset.random().take(5)):
        found += elements(m, dataset)
    return found


@draws
def dropouts(m):
    dtypes = (m.float16, m.bfloat16, m.float32, m.float64)
    stateless = m.nn.experimental.stateless_dropout
    found = [stateless(m.ones([9], dtype), 0.4, [1, 0]) for dtype in dtypes]
    found += [
        m.nn.experimental.general_dropout(
            m.ones([2]), 0.5, lambda shape, dtype: m.constant([0.4, 0.6], dtype)
        )
    ]
    found += [stateless(m.ones([3, 4]), 0.4, [1, 0], noise_shape=s) for s in ((None, 1), [3, 1])]
    m.random.set_seed(5)
    found += [m.nn.dropout(m.ones([4, 3]), 0.4, noise_shape=(None, 1))]
    return [m.cast(x, m.float64) for x in found]
