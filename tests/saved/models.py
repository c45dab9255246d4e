"""A model with functions of many kinds, and calls of them, for any library of this API."""


def make(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[0.1, 0.2], [0.3, -0.4]], name="w")
            self.b = tf.Variable([0.5, -0.5])
            self.kernel = tf.Variable(tf.reshape(tf.range(36.0), [3, 3, 1, 4]) / 36.0)
            self.layers = [tf.Variable(1.0), {"scale": tf.Variable(2.0)}]
            keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8], value_dtype=tf.int64)
            self.table = tf.lookup.StaticHashTable(keys, -1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def dense(self, x):
            return {"y": tf.nn.relu(x @ self.w + self.b), "half": x / 2.0}

        @tf.function
        def choose(self, x, training=False, *, scale=2.0):
            return x * scale if training else x + tf.constant([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 1], tf.float32)])
        def conv(self, x):
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, self.kernel, 1, "SAME")), 2, 2, "VALID")
            return tf.nn.softmax(tf.nn.leaky_relu(tf.reshape(y, [tf.shape(y)[0], -1])))

        @tf.function(input_signature=[tf.TensorSpec([None, None, 2], tf.float32)])
        def recurrent(self, x):
            h = tf.zeros([tf.shape(x)[0], 2])
            states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for i in tf.range(tf.shape(x)[1]):
                h = tf.tanh(x[:, i] @ self.w + h)
                states = states.write(i, h)
            return tf.transpose(states.stack(), [1, 0, 2]), h

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def grow(self, x):
            n = 0
            while x < 100.0:
                x = x * 2.0
                if x > 50.0:
                    x = x + 20.0
                n += 1
            return x, n

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def look(self, words):
            return self.table.lookup(words)

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def ragged(self, rows):
            return tf.reduce_sum(rows, axis=1), rows * self.layers[1]["scale"]

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def count(self, x):
            self.layers[0].assign_add(x)
            self.layers[0].assign(self.layers[0] * 2.0)
            return self.layers[0].read_value()

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
        def pick(self, i, x):
            branches = [lambda: x, lambda: x * 2.0, lambda: tf.sin(x), lambda: x - 1.0]
            return tf.switch_case(i, branches, default=lambda: x * self.layers[1]["scale"])

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32)])
        def slope(self, n, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tf.range(n):
                    y = tf.sin(y) * x
            return tape.gradient(y, x)

    return Model()


def results(tf, model):
    """What the functions give, by name."""
    images = tf.reshape(tf.range(128.0), [2, 8, 8, 1]) / 100.0
    rows = tf.reshape(tf.range(12.0), [2, 3, 2]) / 10.0
    dense = model.dense(tf.constant([[1.0, 2.0], [-3.0, 0.5]]))
    states, last = model.recurrent(rows)
    grown, n = model.grow(tf.constant(3.0))
    sums, doubled = model.ragged(tf.ragged.constant([[1.0, 2.0], [], [3.0]]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.recurrent(rows)[1] ** 2)
    found = {
        "y": dense["y"],
        "half": dense["half"],
        "plain": model.choose(tf.constant([1.0, 2.0])),
        "training": model.choose(tf.constant([1.0, 2.0]), True),
        "conv": model.conv(images),
        "states": states,
        "last": last,
        "grown": grown,
        "n": n,
        "look": model.look(tf.constant(["b", "z", "a"])),
        "sums": sums,
        "doubled": doubled.flat_values,
        "first": model.count(tf.constant(1.0)),
        "second": model.count(tf.constant(1.0)),
        "gradient": tape.gradient(loss, model.w),
        "picked": tf.stack([model.pick(i, 3.0) for i in (-7, 0, 1, 2, 3, 4, 9)]),
        "slope": model.slope(4, tf.constant([0.5, 2.0])),
        "no slope": model.slope(0, tf.constant([0.5, 2.0])),
    }
    return {name: value.numpy() for name, value in found.items()}


def counting(lib):
    """A model whose table changes: it has counted "a" five times, and "b" twice."""

    class Counting(lib.Module):
        def __init__(self):
            super().__init__()
            self.table = lib.lookup.experimental.MutableHashTable(lib.string, lib.int64, 0)
            self.dense = lib.lookup.experimental.DenseHashTable(
                lib.int64, lib.float32, -1.0, 0, -2, initial_num_buckets=8
            )

        @lib.function(input_signature=[lib.TensorSpec([None], lib.string)])
        def count(self, texts):
            self.table.insert(texts, self.table.lookup(texts) + 1)
            return self.table.lookup(texts)

        @lib.function(input_signature=[lib.TensorSpec([None], lib.int64)])
        def weigh(self, keys):
            return self.dense.lookup(keys)

    model = Counting()
    model.table.insert(["a", "b"], lib.constant([5, 2], lib.int64))
    model.dense.insert(lib.constant([7, 9], lib.int64), lib.constant([0.5, 1.5]))
    return model


def foreign(library):
    """A module of functions whose operations tensorflow has and this project composes, and their
    names: of those of images, and of those of vectors."""
    tf = library
    module = tf.Module()
    module.state = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    module.generator = tf.random.Generator.from_seed(3)

    def rows(x):
        return tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])

    def sparse(x):
        return tf.sparse.from_dense([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])

    def written(x):
        module.state.scatter_nd_add([[0]], [x[:2]])
        module.state[1].assign(x[1:])
        return module.state.gather_nd([[0, 1], [1, 0]])

    def drawn(x):
        g = module.generator
        return g.normal([2]), g.uniform([2]), g.binomial([2], 10.0, 0.5), g.make_seeds(2)

    def scanned(x):
        total = tf.zeros([], tf.int64)
        for n in tf.data.Dataset.range(6).map(lambda n: n * 2).filter(lambda n: n > 2).batch(2):
            total += tf.reduce_sum(n)
        return total

    images = {
        "contrast": lambda i: tf.image.adjust_contrast(i, 1.5),
        "saturation": lambda i: tf.image.adjust_saturation(i, 0.2),
        "response": lambda i: tf.nn.local_response_normalization(i, 1),
        "dilated": lambda i: tf.nn.dilation2d(
            i, tf.ones([2, 2, 3]), [1] * 4, "SAME", "NHWC", [1] * 4
        ),
        "blocks": lambda i: tf.space_to_batch(i, [2, 1], [[0, 0], [0, 0]]),
        "reversed": lambda i: tf.reverse_sequence(i, [2], 1),
    }
    vectors = {
        "einsum": lambda x: tf.einsum("i,j->ij", x, x),
        "parts": lambda x: tf.dynamic_partition(x, [0, 1, 0], 2),
        "dense": lambda x: rows(x).to_tensor(7.0),
        "sparse_rows": lambda x: rows(x).to_sparse().indices,
        "picked": lambda x: tf.gather(rows(x), [2, 0]).values,
        "ranges": lambda x: tf.ragged.range(tf.cast(x * 3.0, tf.int32)).values,
        "product": lambda x: tf.sparse.sparse_dense_matmul(sparse(x), tf.expand_dims(x, 1)),
        "joined": lambda x: tf.sparse.to_dense(
            tf.sparse.reorder(tf.sparse.concat(1, [sparse(x), sparse(x)]))
        ),
        "totals": lambda x: tf.sparse.reduce_sum(sparse(x), 1) + x[:2],
        "filled": lambda x: (
            tf.sparse.fill_empty_rows(tf.sparse.from_dense([x, 0 * x]), 9.0)[0].values
        ),
        "sliced": lambda x: tf.sparse.slice(sparse(x), [0, 1], [2, 2]).values,
        "softmax": lambda x: tf.sparse.softmax(sparse(x)).values,
        "embedded": lambda x: tf.nn.embedding_lookup_sparse(
            tf.expand_dims(x, 1), tf.sparse.from_dense([[1, 2], [0, 1]]), None, combiner="mean"
        ),
        "top": lambda x: tf.math.in_top_k([1], tf.expand_dims(x, 0), 1),
        "solved": lambda x: tf.linalg.tridiagonal_solve(tf.stack([x, x + 9.0, x]), x),
        "counted": lambda x: tf.math.bincount(tf.cast(x * 3.0, tf.int32)),
        "binned": lambda x: tf.histogram_fixed_width(x, [0.0, 2.0], 4),
        "union": lambda x: tf.sets.union([[1, 2]], [[2, 3]]).values,
        "rounded": lambda x: tf.quantization.fake_quant_with_min_max_vars(x, -1.0, 1.0),
        "steps": lambda x: tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0),
        "isotonic": lambda x: tf.nn.isotonic_regression(x)[0],
        "mapped": lambda x: tf.vectorized_map(lambda v: v * v, x),
        "edits": lambda x: tf.edit_distance(
            tf.sparse.from_dense([[1, 2]]), tf.sparse.from_dense([[2, 2]])
        ),
        "written": written,
        "drawn": drawn,
        "scanned": scanned,
    }
    for group, shape in ((images, [None, 2, 3, 3]), (vectors, [3])):
        for name, function in group.items():
            spec = [tf.TensorSpec(shape, tf.float32)]
            setattr(module, name, tf.function(function, input_signature=spec))
    return module, [sorted(images), sorted(vectors)]


def foreign_results(library, module, names):
    """What the functions of ``foreign`` give, by their names: lists."""
    tf = library
    image = tf.reshape(tf.range(18.0), [1, 2, 3, 3]) / 18.0
    given = (image, tf.constant([0.5, 1.5, 0.25]))
    called = [
        (n, getattr(module, n)(x)) for group, x in zip(names, given, strict=True) for n in group
    ]
    flat = {n: tf.nest.flatten(found) for n, found in called}
    return {n: [part.numpy().tolist() for part in parts] for n, parts in flat.items()}
