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
