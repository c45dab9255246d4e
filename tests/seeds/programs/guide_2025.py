# The programs of the tf.function guide of 2025, letter for letter, a cell each.
# Copyright the TensorFlow Authors, licensed under Apache-2.0.


# %% imports
import contextlib
import traceback

import ferrograph as tf


# %% assert_raise
# Some helper code to demonstrate the kinds of errors you might encounter.
@contextlib.contextmanager
def assert_raise(error_class):
    try:
        yield
    except error_class as e:
        print("Caught expected exception \n {}:".format(error_class))
        traceback.print_exc(limit=2)
    except Exception as e:
        raise e
    else:
        raise Exception("Expected {} to be raised by error was raised!".format(error_class))


# %% add
# The decorator converts `add` into a `PolymorphicFunction`
@tf.function
def add(a, b):
    return a + b

# [[2., 2.], [2., 2.]]
add(tf.ones([2, 2]), tf.ones([2, 2]))


# %% gradients
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = add(v, 1.0)
tape.gradient(result, v)


# %% dense_layer
@tf.function
def dense_layer(x, w, b):
    return add(tf.matmul(x, w), b)

dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2]))


# %% conv_layer
import timeit
conv_layer = tf.keras.layers.Conv2D(100, 3)

@tf.function
def conv_fn(image):
    return conv_layer(image)

image = tf.zeros([1, 200, 200, 100])
# Warm up
conv_layer(image)
conv_fn(image)
print("Eager conv:", timeit.timeit(lambda: conv_layer(image), number=10))
print("Function conv:", timeit.timeit(lambda: conv_fn(image), number=10))
print("Note how there's not much difference in performance for convolutions")


# %% double
@tf.function
def double(a):
    print("Tracing with", a)
    return a + a


# %% polymorphic
print(double(tf.constant(1)))
print()
print(double(tf.constant(1.1)))
print()
print(double(tf.constant('a')))
print()


# %% same_types
# This doesn't print 'Tracing with ...'
print(double(tf.constant("b")))


# %% signatures
print(double.pretty_printed_concrete_signatures())
