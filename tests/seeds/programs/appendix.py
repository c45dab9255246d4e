# The programs of a textbook appendix on graphs, letter for letter, a cell each.


# %% imports
import ferrograph as tf


# %% tf_cube
@tf.function
def tf_cube(x):
    print("x =", x)
    return x ** 3


# %% first_call
result = tf_cube(tf.constant(2.0))
result


# %% later_calls
result = tf_cube(tf.constant(3.0))
result = tf_cube(tf.constant(4.0))


# %% new_values
result = tf_cube(2) # new Python value: trace!
result = tf_cube(3) # new Python value: trace!
result = tf_cube(tf.constant([[1., 2.]])) # New shape: trace!
result = tf_cube(tf.constant([[3., 4.], [5., 6.]])) # New shape: trace!
result = tf_cube(tf.constant([[7., 8.], [9., 10.]])) # Same shape: no trace


# %% shrink
@tf.function(input_signature=[tf.TensorSpec([None, 28, 28], tf.float32)])
def shrink(images):
    return images[:, ::2, ::2] # drop half the rows and columns

img_batch_1 = tf.random.uniform(shape=[100, 28, 28])
img_batch_2 = tf.random.uniform(shape=[50, 28, 28])
preprocessed_images = shrink(img_batch_1) # Works fine. Traces the function.
preprocessed_images = shrink(img_batch_2) # Works fine. Same concrete function.


# %% unexpected
img_batch_3 = tf.random.uniform(shape=[2, 2, 2])
preprocessed_images = shrink(img_batch_3)  # ValueError! Unexpected signature.


# %% static_loop
@tf.function
def add_10(x):
    for i in range(10):
        x += 1
    return x

add_10(tf.constant(0))


# %% dynamic_loop
@tf.function
def add_10(x):
    for i in tf.range(10):
        x += 1
    return x

add_10(tf.constant(0))


# %% operations
add_10.get_concrete_function(tf.constant(0)).graph.get_operations()


# %% counter_argument
counter = tf.Variable(0)

@tf.function
def increment(counter, c=1):
    return counter.assign_add(c)

increment(counter) # counter is now equal to 1
increment(counter) # counter is now equal to 2


# %% function_def
function_def = increment.get_concrete_function(counter).function_def
function_def.signature.input_arg[0]


# %% counter_captured
counter = tf.Variable(0)

@tf.function
def increment(c=1):
    return counter.assign_add(c)


# %% counter_method
class Counter:
    def __init__(self):
        self.counter = tf.Variable(0)

    @tf.function
    def increment(self, c=1):
        return self.counter.assign_add(c)


# %% dynamic_model
model = MyModel(dynamic=True)


# %% dynamic_layer
class MyLayer(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(dynamic=True, **kwargs)
        [...]


# %% run_eagerly
model.compile(loss=my_mse, optimizer="nadam", metrics=[my_mae],
              run_eagerly=True)
