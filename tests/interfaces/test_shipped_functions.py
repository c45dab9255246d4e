"""What is defined in ``__main__`` goes by value to another process, which has no text of it."""

import importlib.util

import pytest

pytest.importorskip("cloudpickle", reason="the test extra brings cloudpickle")

SEND = """
import copy, pickle
import cloudpickle
import ferrograph as fg

FACTOR = 3
variable = fg.Variable(5.0)

def helper(x):
    if x > 0:
        return x * 2
    return -x

@fg.function
def double(x):
    if fg.reduce_sum(x) > 0:
        x = helper(x)
    return x * FACTOR

@fg.function
def even(n, *, step=1):
    if n == 0:
        return fg.constant(True)
    return odd(n - step)

@fg.function
def odd(n):
    if n == 0:
        return fg.constant(False)
    return even(n - 1)

@fg.function(input_signature=[fg.TensorSpec([None])], reduce_retracing=True)
def counted(x):
    variable.assign_add(fg.reduce_sum(x))
    return variable + x

class Model(fg.Module):
    def __init__(self):
        super().__init__()
        self.w = fg.Variable(2.0)

    @fg.function
    def __call__(self, x):
        if x > 0:
            return x * self.w
        return x

    @fg.function
    def step(self, x):
        return self.w.assign_add(x)

    @staticmethod
    @fg.function
    def plus(x):
        return x + 1

    @classmethod
    @fg.function
    def made(cls, x):
        return x + 2

def local():
    w = fg.Variable(10.0)

    @fg.function
    def inner(x):
        if x > 0:
            return x * w
        return helper(x)

    return inner

model = Model()
sent = {
    "double": double,
    "even": even,
    "counted": counted,
    "model": model,
    "step": model.step,
    "plus": Model.plus,
    "made": Model.made,
    "class": Model,
    "local": local(),
    "lambda": fg.function(lambda x: x + 1 if x > 0 else x - 1),
    "plain": lambda x: double(x),
    "concrete": double.get_concrete_function(fg.TensorSpec([])),
}

if __name__ == "__main__":
    for name, value in sent.items():
        with open(f"{name}.pkl", "wb") as file:
            cloudpickle.dump(value, file)
    for function in (double, even, counted, Model.plus):
        for protocol in (2, 4, 5):
            assert pickle.loads(pickle.dumps(function, protocol)) is function
        assert copy.copy(function) is function and copy.deepcopy(function) is function
        assert cloudpickle.loads(cloudpickle.dumps(function)) is not function
"""

RECEIVE = """
import pickle, sys

def received(name):
    with open(f"{name}.pkl", "rb") as file:
        return pickle.load(file)

assert "ferrograph" not in sys.modules
double = received("double")
import ferrograph as fg

def of(function, *args):
    return function(*(fg.constant(a) for a in args)).numpy()

assert (double.__name__, double.__qualname__, double.__module__) == ("double", "double", "__main__")
assert of(double, 2.0) == 12.0 and of(double, -2.0) == -6.0
even = received("even")
assert of(even, 4) and not of(even, 3)
counted = received("counted")
assert counted([1.0, 2.0]).numpy().tolist() == [9.0, 10.0]
assert counted.input_signature == (fg.TensorSpec([None]),)
model = received("model")
assert of(model, 3.0) == 6.0 and of(model, -3.0) == -3.0 and of(model.step, 1.0) == 3.0
assert of(type(model).plus, 1) == 2 and of(type(model).made, 1) == 3
assert of(received("step"), 1.0) == 3.0 and of(received("class")(), 1.0) == 2.0
assert of(received("plus"), 1) == 2 and of(received("made"), 1) == 3
local = received("local")
assert of(local, 2.0) == 20.0 and of(local, -2.0) == 2.0
assert of(received("lambda"), -2) == -3
assert of(received("plain"), 2.0) == 12.0 and of(received("concrete"), 2.0) == 12.0
import cloudpickle
assert of(cloudpickle.loads(cloudpickle.dumps(double)), 2.0) == 12.0
print("received")
"""


def test_functions_modules_and_classes_of_main_go_by_value(run_python):
    """The receiving program has another text under the name of the file that was sent."""
    run_python(SEND)
    assert run_python(RECEIVE).stdout.split() == ["received"]


def test_modules_registered_with_cloudpickle_go_by_value(run_python, tmp_path):
    (tmp_path / "own.py").write_text(
        "import ferrograph as fg\n"
        "@fg.function\n"
        "def twice(x):\n"
        "    if x > 0:\n"
        "        return x * 2\n"
        "    return x\n"
    )
    program = """
import cloudpickle, own, pickle
assert len(pickle.dumps(own.twice)) < 100
cloudpickle.register_pickle_by_value(own)
data = cloudpickle.dumps(own.twice)
cloudpickle.unregister_pickle_by_value(own)
print(data.hex(), len(cloudpickle.dumps(own.twice)) < 100)
"""
    data, is_short = run_python(program).stdout.split()
    assert is_short == "True"
    (tmp_path / "own.py").unlink()
    program = f"""
import pickle
twice = pickle.loads(bytes.fromhex("{data}"))
import ferrograph as fg
print(int(twice(fg.constant(3))), int(twice(fg.constant(-3))))
"""
    assert run_python(program).stdout.split() == ["6", "-3"]


def test_values_go_whatever_their_classes_are_called(run_python):
    """``as_tensorflow`` has classes say that they are in modules of TensorFlow."""
    program = """
import pickle
import ferrograph as fg
fg.as_tensorflow()
values = [
    fg.constant([1.0]),
    fg.ragged.constant([[1], [2, 3]]),
    fg.sparse.eye(2),
    fg.TensorSpec([None], fg.int32),
    fg.RaggedTensorSpec([None, None], fg.int32),
    fg.SparseTensorSpec([2, 2]),
    fg.Variable(1),
    fg.float32,
    fg.TensorShape([1, None]),
]
print(pickle.dumps(values).hex())
"""
    data = run_python(program).stdout.strip()
    program = f"""
import pickle
print(len(pickle.loads(bytes.fromhex("{data}"))))
"""
    assert run_python(program).stdout.split() == ["9"]


def test_classes_of_keras_layers_with_traced_methods_go_by_value(run_python, tmp_path):
    if importlib.util.find_spec("keras") is None:
        pytest.skip("Keras is not installed")
    home = f"import os\nos.environ['KERAS_HOME'] = {str(tmp_path)!r}\n"
    send = """
import cloudpickle
import ferrograph as fg

class Scaled(fg.keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(shape=(), initializer="ones")

    @fg.function
    def positive(self, x):
        if fg.reduce_sum(x) > 0:
            return x * self.scale
        return -x

    def call(self, x):
        return self.positive(x)

print(cloudpickle.dumps(Scaled).hex())
"""
    data = run_python(home + send).stdout.strip()
    receive = f"""
import pickle
import ferrograph as fg
fg.keras
layer = pickle.loads(bytes.fromhex("{data}"))()
layer(fg.constant([1.0]))
layer.scale.assign(3.0)
print(float(layer(fg.constant([2.0]))[0]), float(layer(fg.constant([-2.0]))[0]))
"""
    assert run_python(home + receive).stdout.split() == ["6.0", "2.0"]
