"""Programs after what the public guides of ragged tensors and extension types cover.

Each takes the package; what it returns is recorded by ``record.py`` and asked for by the test.
"""

# ruff: noqa: UP006, UP007, SIM108 - the forms that programs write
import functools
import math
import tempfile
import typing

import ragged_values

PROGRAMS = []


def program(function):
    """Take a function among the programs."""
    PROGRAMS.append(function)
    return function


def outcomes(tf):
    """What each program gives, or the class of what it raises, by its name."""
    found = {}
    for function in PROGRAMS:
        try:
            found[function.__name__] = plain(function(tf))
        except Exception as e:
            found[function.__name__] = {"raises": type(e).__name__}
    return found


def plain(value):
    """Numbers, texts and lists of them."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else repr(value)
    if isinstance(value, (int, str)):
        return value
    if hasattr(value, "row_splits") or hasattr(value, "dense_shape"):
        return ragged_values.plain(value)
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
    return plain(value.tolist()) if hasattr(value, "tolist") else plain(value)


# Ragged tensors.


def _scores(tf):
    return tf.ragged.constant([[7, 2, 9], [], [4], [1, 8]])


@program
def ragged_basics(tf):
    r = _scores(tf)
    words = tf.ragged.constant([["red", "green"], [], ["blue"], ["black", "white"]])
    return [
        r + 10,
        r * tf.constant([[1], [2], [3], [4]]),
        tf.reduce_mean(r[:1], axis=1),
        tf.concat([r, [[5, 5]]], axis=0),
        tf.tile(r, [1, 2]),
        tf.strings.substr(words, 0, 3),
        tf.map_fn(lambda row: row * row, r),
        tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.int32),
        r[0],
        r[:, :1],
        r[:, -1:],
        r.to_list(),
        r.to_tensor(default_value=-1, shape=[None, 2]),
        r.to_sparse(),
        tf.RaggedTensor.from_tensor([[3, 0, 0], [0, 4, 0]], padding=0),
    ]


@program
def ragged_shapes(tf):
    r = _scores(tf)
    shape = tf.shape(r)
    dense = tf.range(6)
    return [
        repr(shape),
        shape.rank,
        shape.num_row_partitions,
        shape.inner_rank,
        shape.inner_shape,
        [shape.is_uniform(axis) for axis in range(2)],
        shape[0],
        repr(shape[:1]),
        shape.static_lengths(),
        shape.static_lengths(ragged_lengths=False),
        tf.reshape(dense, shape),
        tf.zeros(shape),
        tf.ones(shape, tf.int64),
        tf.fill(shape, "x"),
        tf.broadcast_to([[1], [2], [3], [4]], shape),
        repr(tf.broadcast_dynamic_shape(shape, tf.constant([4, 1]))),
        repr(shape.with_dtype(tf.int64)),
        shape.dtype.name,
    ]


@program
def a_ragged_axis_has_no_size(tf):
    return tf.shape(_scores(tf))[1]


@program
def shapes_by_hand(tf):
    S, P = tf.experimental.DynamicRaggedShape, tf.experimental.RowPartition
    made = S([P.from_row_lengths([2, 0, 1])], [3, 4])
    return [
        repr(made),
        tf.ones(made),
        repr(S.from_lengths([2, (3, 1), 2])),
        repr(S.from_lengths([2, 3], num_row_partitions=1)),
        repr(S.from_lengths([2, 3, 4])),
        repr(S.from_lengths([])),
        repr(S.from_lengths([2, (1, 2), (3, 0, 1)])),
        repr(S.from_row_partitions([P.from_row_splits([0, 1, 4])])),
        repr(S.from_tensor([[1, 2], [3, 4]])),
        repr(S.from_tensor(tf.ragged.constant([[1, 2], [3]]))),
        repr(S.from_lengths([2, 3, 4])[1:]),
        made.row_partitions[0].row_lengths(),
        made.row_partitions[0].static_nrows,
    ]


@program
def shapes_that_do_not_fit(tf):
    P = tf.experimental.RowPartition
    shape = tf.experimental.DynamicRaggedShape
    return repr(shape([P.from_row_lengths([2, 1])], [4, 4], validate=True))


@program
def partitions(tf):
    P = tf.experimental.RowPartition
    found = []
    for p in (
        P.from_row_splits([0, 2, 2, 5]),
        P.from_row_lengths([2, 0, 3]),
        P.from_value_rowids([0, 0, 2, 2, 2], nrows=4),
        P.from_row_starts([0, 2, 2], nvals=5),
        P.from_row_limits([2, 2, 5], dtype=tf.int32),
        P.from_uniform_row_length(2, nvals=6),
        P.from_uniform_row_length(0, nrows=3, nvals=0),
        P.from_row_lengths([1, 2], dtype_hint=tf.int32),
    ):
        found += [p.row_splits(), p.row_lengths(), p.value_rowids(), p.row_starts(), p.row_limits()]
        found += [p.nrows(), p.nvals(), p.offsets_in_rows(), p.is_uniform(), p.dtype.name]
        found += [p.static_nrows, p.static_uniform_row_length]
        found += [p.uniform_row_length(), p.with_dtype(tf.int64).dtype.name]
    return found


@program
def falling_splits(tf):
    return tf.experimental.RowPartition.from_row_splits([0, 3, 2])


@program
def shapes_in_functions(tf):
    S = tf.experimental.DynamicRaggedShape
    made = tf.function(lambda shape: tf.ones(shape))
    given = tf.function(lambda r: tf.shape(r))
    r = _scores(tf)
    p = tf.function(lambda p: p.row_lengths())
    return [
        made(tf.shape(r)),
        made(S.from_lengths([2, (1, 3)])),
        made(S.from_lengths([3, (1, 3, 0)])),
        repr(given(r)),
        tf.fill(given(r[1:]), 3),
        p(tf.experimental.RowPartition.from_row_lengths([1, 2])),
    ]


@program
def ragged_embeddings(tf):
    ids = tf.ragged.constant([[0, 2], [], [1, 1, 2]])
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = tf.nn.embedding_lookup(table, ids)
    mask = tf.not_equal(ids, 0)
    weights = tf.cast(mask, tf.float32)
    total = tf.reduce_sum(found * tf.expand_dims(weights, -1), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids).flat_values)
    slope = tape.gradient(loss, table)
    marks = tf.fill([ids.nrows(), 1], 9)
    padded = tf.concat([marks, ids, marks], axis=1)
    pairs = tf.strings.join(
        [tf.strings.as_string(padded[:, :-1]), tf.strings.as_string(padded[:, 1:])], separator="+"
    )
    return [
        found,
        mask,
        total,
        tf.convert_to_tensor(slope),
        pairs,
        tf.ragged.boolean_mask(ids, mask),
    ]


@program
def ragged_examples(tf):
    def example(names, sizes):
        feature = tf.train.Feature
        return tf.train.Example(
            features=tf.train.Features(
                feature={
                    "names": feature(bytes_list=tf.train.BytesList(value=names)),
                    "sizes": feature(int64_list=tf.train.Int64List(value=sizes)),
                }
            )
        ).SerializeToString()

    batch = [example([b"a", b"b"], [3]), example([b"c"], []), example([], [1, 2, 4])]
    wanted = {"names": tf.io.RaggedFeature(tf.string), "sizes": tf.io.RaggedFeature(tf.int64)}
    parsed = tf.io.parse_example(batch, wanted)
    rows = tf.data.Dataset.from_tensor_slices(parsed)
    again = rows.batch(2)
    ranges = rows.map(lambda f: {"n": tf.size(f["names"]), "r": tf.ragged.range(f["sizes"])})
    dense = tf.data.Dataset.from_tensor_slices([2, 0, 3]).map(tf.range).ragged_batch(2)
    return [parsed, list(rows), list(again), list(again.unbatch()), list(ranges), list(dense)]


@program
def ragged_functions(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def ends(r):
        return tf.reduce_max(r, axis=-1), tf.reduce_min(r, axis=-1)

    @tf.function
    def mirrored(x, axis):
        return tf.concat([x, tf.reverse(x, [axis])], axis)

    r = tf.ragged.constant([[5, 2], [3], [4, 9, 6]])
    return [
        ends(r),
        mirrored(r, 1),
        mirrored(tf.constant([[1, 2]]), 1),
        tf.function(lambda x: x + 1).get_concrete_function(r)(r),
    ]


@program
def ragged_models_saved(tf):
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(3.0)

        @tf.function
        def scaled(self, x):
            return x * self.factor

    model, folder = Scaled(), tempfile.mkdtemp()
    model.scaled.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
    return loaded.scaled(tf.ragged.constant([[1.0, 2.0], [], [4.0]]))


@program
def ragged_broadcasts(tf):
    r = tf.ragged.constant([[1, 2], [3]])
    deep = tf.ragged.constant([[[[1], [2]], [], [[3]]], [[[4]]]], ragged_rank=2)
    inner = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    return [r + 3, r + [[10], [20]], inner + [[100]], deep + tf.constant([10, 20, 30]), r - r, -r]


@program
def ragged_lengths_that_differ(tf):
    return tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [2, 3]])


@program
def ragged_encodings(tf):
    R = tf.RaggedTensor
    nested = R.from_nested_row_splits([1, 2, 3, 4, 5], ([0, 1, 3], [0, 2, 2, 5]))
    even = R.from_uniform_row_length(R.from_row_splits([1, 2, 3, 4], [0, 1, 1, 2, 4]), 2)
    deep = tf.ragged.constant([[[["a"], ["b", "c"]]], [[["d"]], []]])
    return [
        nested,
        even,
        even.uniform_row_length,
        even.shape,
        deep.ragged_rank,
        deep.shape,
        deep.flat_values,
        [len(deep.nested_row_splits), deep.bounding_shape()],
        R.from_row_splits([[1, 3], [0, 0], [2, 5]], [0, 2, 3]),
        R.from_value_rowids([7, 8, 9], [0, 0, 3]),
    ]


# Extension types.


@functools.lru_cache
def _masked(tf):
    class Masked(tf.experimental.BatchableExtensionType):
        __name__ = "guide_programs.Masked"
        values: tf.Tensor
        mask: tf.Tensor

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        def filled(self, other):
            return tf.where(self.mask, self.values, other)

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values = tf.TensorSpec(shape, dtype)
                self.mask = tf.TensorSpec(shape, tf.bool)

            shape = property(lambda self: self.values.shape)
            dtype = property(lambda self: self.values.dtype)

    return Masked


def _parts(value):
    return [value.values, value.mask]


@program
def extension_dispatch(tf):
    Masked, X = _masked(tf), tf.experimental
    any_kind = typing.Union[Masked, tf.Tensor]

    def masked(x):
        return x if isinstance(x, Masked) else Masked(x, tf.ones_like(x, tf.bool))

    @X.dispatch_for_unary_elementwise_apis(Masked)
    def alone(api, x):
        return Masked(api(x.values), x.mask)

    @X.dispatch_for_binary_elementwise_apis(any_kind, any_kind)
    def both(api, x, y):
        x, y = masked(x), masked(y)
        return Masked(api(x.values, y.values), x.mask & y.mask)

    @X.dispatch_for_api(tf.stack)
    def stacked(values: list[any_kind], axis=0):
        values = [masked(v) for v in values]
        return Masked(
            tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis)
        )

    @X.dispatch_for_api(tf.matmul, {"a": Masked}, {"b": Masked})
    def product(
        a,
        b,
        transpose_a=False,
        transpose_b=False,
        adjoint_a=False,
        adjoint_b=False,
        a_is_sparse=False,
        b_is_sparse=False,
        output_type=None,
        grad_a=False,
        grad_b=False,
        name=None,
    ):
        a, b = (v.filled(0.0) if isinstance(v, Masked) else v for v in (a, b))
        return tf.matmul(a, b, transpose_a, transpose_b)

    @X.dispatch_for_api(tf.shape)
    def shape_of(input: Masked, out_type=tf.int32, name=None):
        return tf.shape(input.values, out_type)

    @X.dispatch_for_api(tf.transpose)
    def turned(a: Masked, perm=None, conjugate=False, name="transpose"):
        return Masked(tf.transpose(a.values, perm), tf.transpose(a.mask, perm))

    @X.dispatch_for_api(tf.one_hot)
    def hot(
        indices: Masked, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None
    ):
        return tf.one_hot(indices.filled(-1), depth)

    m = Masked([[1.0, -2.0], [-3.0, 4.0]], [[True, False], [True, True]])
    n = Masked([[1.0], [2.0]], [[True], [False]])

    def run(m):
        return [
            _parts(tf.abs(m)),
            _parts(tf.ones_like(m, dtype=tf.int32)),
            _parts(tf.add(m, n)),
            _parts(tf.maximum(m, tf.constant(0.0))),
            _parts(tf.stack([m, m])),
            _parts(tf.stack([m, tf.zeros([2, 2])], axis=1)),
            tf.matmul(m, [[1.0], [10.0]]),
            tf.matmul([[1.0, 10.0]], m, transpose_b=True),
            tf.shape(m),
            _parts(tf.transpose(m)),
            tf.one_hot(Masked([1, 0], [True, False]), 2),
            tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]),
        ]

    found = [run(m), tf.function(run)(m)]
    for target in (alone, both, stacked, product, shape_of, turned, hot):
        X.unregister_dispatch_for(target)
    return found


@program
def extension_fields(tf):
    X = tf.experimental

    class Leaf(X.ExtensionType):
        value: tf.Tensor

    class Node(X.ExtensionType):
        value: tf.Tensor
        children: tuple[Leaf, ...] = ()

    class Toy(X.ExtensionType):
        name: str
        price: tf.Tensor

        def __init__(self, name, price, discount=0.0):
            self.name = name
            self.price = price * (1 - discount)

    class Player(X.ExtensionType):
        name: tf.Tensor
        attributes: typing.Mapping[str, tf.Tensor]

    tree = Node(3, [Leaf(5), Leaf(2)])
    total = tf.function(lambda n: n.value + sum(c.value for c in n.children))
    anne = Player("Anne", {"height": 8.5, "speed": 28.0})
    spec = tf.type_spec_from_value(anne)
    traces = []

    @tf.function
    def nameless(player):
        traces.append(1)
        return Player("nobody", player.attributes)

    nameless(anne)
    nameless(Player("Bart", {"height": 8.0, "speed": 25.0}))
    other = nameless(Player("Chuck", {"height": 11.0, "jump": 5.5}))
    return [
        total(tree),
        Toy("ball", 5.0, discount=0.2).price,
        sorted(spec.attributes),
        spec.name.dtype.name,
        len(traces),
        dict(other.attributes),
        tf.reduce_all(anne == anne),
    ]


@program
def extension_control_flow(tf):
    Masked = _masked(tf)

    @tf.function
    def f(x, b):
        if b:
            x = Masked(x, tf.less(x, 0))
        else:
            x = Masked(x, tf.greater(x, 0))
        for _ in tf.range(5 if b else 7):
            x = Masked(x.values + 0.5, x.mask)
        return x

    x = tf.constant([1.0, -2.0, 3.0])
    a, b = Masked(x, x > 0), Masked([22.0, 33.0], [True, False])
    return [
        _parts(f(x, tf.constant(True))),
        _parts(f(x, tf.constant(False))),
        _parts(tf.cond(tf.constant(False), lambda: a, lambda: b)),
        _parts(
            tf.while_loop(
                lambda i, _: i < 3, lambda i, m: (i + 1, Masked(m.values * 2, m.mask)), [0, b]
            )[1]
        ),
    ]


@program
def extension_rows(tf):
    class Network(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        work: tf.Tensor
        width: tf.Tensor

        def __init__(self, work, width):
            self.work, self.width = tf.convert_to_tensor(work), tf.convert_to_tensor(width)
            self.shape = self.work.shape[:-1].merge_with(self.width.shape[:-2])

    def balanced(network):
        delta = tf.expand_dims(network.work, -1) - tf.expand_dims(network.work, -2)
        return Network(network.work + tf.reduce_sum(delta, -1), network.width)

    several = Network([[5.0, 3.0], [3.0, 4.0]], tf.ones([2, 2, 2]))
    rows = tf.data.Dataset.from_tensor_slices(several)
    again = list(rows.batch(2))[0]
    return [
        [[n.shape, n.work, n.width] for n in rows],
        [again.shape, again.work, rows.batch(2).element_spec.shape],
        tf.map_fn(balanced, several).work,
        [n.work for n in rows.batch(2).unbatch()],
    ]


@program
def extension_datasets(tf):
    Masked = _masked(tf)
    m = Masked(tf.reshape(tf.range(6), [3, 2]), [[True, False], [True, True], [False, False]])

    def made():
        for i in range(3):
            yield Masked([i, i + 1], [True, i % 2 == 0])

    generated = tf.data.Dataset.from_generator(
        made, output_signature=Masked.Spec(shape=[2], dtype=tf.int32)
    )
    batches = generated.batch(2)
    return [
        [_parts(x) for x in tf.data.Dataset.from_tensor_slices(m)],
        [_parts(x) for x in tf.data.Dataset.from_tensors(m)],
        [_parts(x) for x in generated],
        [_parts(x) for x in batches],
        [_parts(x) for x in batches.unbatch()],
        [_parts(x) for x in generated.map(lambda x: Masked(-x.values, x.mask)).batch(3)],
    ]


@program
def extension_models_saved(tf):
    Masked = _masked(tf)

    class Grown(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(10.0)

        @tf.function
        def grow(self, x):
            return Masked(x.values * self.v, x.mask)

        @tf.function
        def mean(self, values, mask):
            m = self.grow(Masked(values, mask))
            return tf.reduce_sum(m.filled(0.0)) / tf.reduce_sum(tf.cast(m.mask, m.dtype))

    model, folder = Grown(), tempfile.mkdtemp()
    model.grow.get_concrete_function(Masked.Spec(shape=None, dtype=tf.float32))
    model.mean.get_concrete_function(tf.TensorSpec(None), tf.TensorSpec(None, tf.bool))
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
    m = Masked([1.0, 2.0, 3.0], [True, False, True])
    return [_parts(loaded.grow(m)), loaded.mean(m.values, m.mask)]


@program
def sums_of_sparse_tensors_by_threshold(tf):
    def vector(places, values):
        return tf.SparseTensor([[i] for i in places], values, [4])

    a, b = vector([0, 1, 3], [1.0, 0.25, -2.0]), vector([0, 2, 3], [-1.0, 0.125, 1.5])
    c = tf.cast(a, tf.complex64)
    found = [tf.sparse.add(a, b, threshold=t) for t in (0, 0.5, 0.75, -1.0, tf.constant(2.0))]
    of_complex = tf.sparse.add(c, tf.cast(b, tf.complex64), threshold=0.75)
    return [*found, of_complex.indices, tf.math.real(of_complex.values)]
