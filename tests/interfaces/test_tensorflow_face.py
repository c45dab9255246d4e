"""``as_tensorflow``: programs that import tensorflow find ferrograph."""


def shown(run_python, program):
    return run_python("import ferrograph as fg\n" + program).stdout.split()


def test_public_modules_hand_out_the_public_names(run_python):
    program = """
import sys
assert fg.as_tensorflow() is fg.as_tensorflow()
import tensorflow as tf
import tensorflow.nn
from tensorflow.math import erf
from tensorflow import data, types
assert erf is fg.math.erf and tf.reduce_sum is fg.reduce_sum and tf.nn.relu is fg.nn.relu
assert tf.Tensor is fg.Tensor and data.Dataset is fg.data.Dataset
assert tf.types.experimental.GenericFunction is fg.types.experimental.GenericFunction
assert "reduce_sum" in dir(tf) and "relu" in tensorflow.nn.__all__
print(tf.__version__, tf.__spec__.origin, fg.version.VERSION)
"""
    assert shown(run_python, program) == ["2.21.0", "ferrograph", "2.21.0"]


def test_every_name_of_the_tables_is_there(run_python):
    program = """
import importlib
fg.as_tensorflow()
from ferrograph._src.compat.internals import INTERNALS
from ferrograph._src.compat.names import OWN
tables = {**OWN, **{name: [*i.names, *i.public] for name, i in INTERNALS.items()}}
for name, own in tables.items():
    module = importlib.import_module(f"tensorflow.{name}" if name else "tensorflow")
    for attribute in own:
        getattr(module, attribute)
assert all(internal.asked_by for internal in INTERNALS.values())
print(len(tables))
"""
    assert int(shown(run_python, program)[0]) > 10


def test_what_is_not_there_says_so(run_python):
    program = """
fg.as_tensorflow()
import tensorflow as tf
for ask in (lambda: tf.load_op_library, lambda: tf.python.ops, lambda: tf.python.ops.no_such):
    try:
        ask()
    except AttributeError as e:
        print("left_out" if "left out" in str(e) else "no_attribute")
try:
    import tensorflow.python.no_such
except ModuleNotFoundError as e:
    print("no_module")
"""
    assert shown(run_python, program) == ["left_out", "no_attribute", "no_module"]


def test_the_real_one_is_not_replaced(run_python):
    program = """
import sys, types
real = types.ModuleType("tensorflow")
real.__version__ = "9.9"
sys.modules["tensorflow"] = real
try:
    fg.as_tensorflow()
except RuntimeError as e:
    assert "9.9" in str(e) and "before" in str(e)
    print("refused")
"""
    assert shown(run_python, program) == ["refused"]


def test_nothing_is_imported_as_tensorflow_unasked(run_python):
    program = """
import sys
fg.constant(1) + 1
print("tensorflow" in sys.modules, "keras" in sys.modules)
"""
    assert shown(run_python, program) == ["False", "False"]


def test_a_scratch_graph_tells_shapes(run_python):
    program = """
fg.as_tensorflow()
import tensorflow as tf
with tf.__internal__.FuncGraph("scratch").as_default():
    x = tf.compat.v1.placeholder("float32", [None, 3])
    y = tf.matmul(x, tf.ones([3, 2]))
    s = tf.compat.v1.sparse_placeholder("int32", [2, None])
    print(y.shape.as_list() == [None, 2], s.shape.as_list() == [2, None], s.dtype.name)
print(tf.executing_eagerly())
try:
    tf.compat.v1.placeholder("float32")
except RuntimeError:
    print("refused")
"""
    assert shown(run_python, program) == ["True", "True", "int32", "True", "refused"]


def test_a_slice_is_replaced(run_python):
    program = """
fg.as_tensorflow()
from tensorflow.compiler.tf2xla.python.xla import dynamic_update_slice
x = fg.zeros([4], fg.int32)
print(*dynamic_update_slice(x, [1, 2], [1]).numpy(), *dynamic_update_slice(x, [1, 2], [9]).numpy())
"""
    assert shown(run_python, program) == list("0120" + "0012")


def test_a_conditional_is_plain_where_it_is_known(run_python):
    program = """
fg.as_tensorflow()
import tensorflow as tf
smart_cond = tf.__internal__.smart_cond.smart_cond
@fg.function
def f(p):
    known = smart_cond(fg.constant(True), lambda: "yes", lambda: "no")
    assert known == "yes"
    return smart_cond(p, lambda: 1, lambda: 2)
print(int(f(fg.constant(False))), smart_cond(1, lambda: "yes", lambda: "no"))
"""
    assert shown(run_python, program) == ["2", "yes"]


def test_classes_are_known_by_their_modules(run_python):
    program = """
import pickle
fg.as_tensorflow()
def modules(value):
    return [(c.__name__, c.__module__) for c in type(value).__mro__]
ragged, sparse = fg.ragged.constant([[1], [2, 3]]), fg.sparse.eye(2)
dataset = fg.data.Dataset.range(2)
assert ("DatasetV2", "tensorflow.python.data.ops.dataset_ops") in modules(dataset)
assert modules(ragged)[0] == ("RaggedTensor", "tensorflow.python.ops.ragged.ragged_tensor")
assert modules(sparse)[0] == ("SparseTensor", "tensorflow.python.framework.sparse_tensor")
import tensorflow as tf
assert tf.python.framework.sparse_tensor.SparseTensor is fg.SparseTensor
again = pickle.loads(pickle.dumps(ragged))
@fg.function
def f(r, flag):
    if flag:
        r = r * 2
    return fg.reduce_sum(r)
print(again.to_list() == ragged.to_list(), int(f(ragged, fg.constant(True))))
metadata = tf.compat.v1.SummaryMetadata()
metadata.plugin_data.plugin_name, metadata.plugin_data.content = "graph", b"1"
print(metadata.SerializeToString() == b"\\n\\n\\n\\x05graph\\x12\\x011")
"""
    assert shown(run_python, program) == ["True", "12", "True"]


def test_events_are_read_from_their_records(run_python, tmp_path):
    folder = str(tmp_path / "log")
    program = f"""
fg.as_tensorflow()
from tensorflow.core.util import event_pb2
from tensorflow.python.lib.io import tf_record
import os
writer = fg.summary.create_file_writer({folder!r})
with writer.as_default():
    fg.summary.scalar("loss", 0.5, step=3, description="how far off")
    fg.summary.histogram("weights", [1.0, 2.0], step=4)
writer.close()
(name,) = os.listdir({folder!r})
events = [event_pb2.Event.FromString(r) for r in
          tf_record.tf_record_iterator(os.path.join({folder!r}, name))]
print(events[0].file_version, bool(events[0].summary), events[0].wall_time > 1e9)
for event in events[1:]:
    (value,) = event.summary.value
    plugin = value.metadata.plugin_data.plugin_name
    print(event.step, value.tag, value.WhichOneof("value"), plugin, event.graph_def)
    print(repr(value.metadata.summary_description))
    print(value.HasField("tensor"), value.HasField("image"))
"""
    assert shown(run_python, program) == [
        *("brain.Event:2", "False", "True"),
        *("3", "loss", "tensor", "scalars", "b''", "'how", "far", "off'", "True", "False"),
        *("4", "weights", "tensor", "histograms", "b''", "''", "True", "False"),
    ]


def test_settings_of_other_runtimes_are_kept(run_python):
    program = """
tf = fg.as_tensorflow()
import tensorflow.config.threading as threading
assert tf.config.threading is threading
print(threading.get_intra_op_parallelism_threads())
print(tf.compat.dimension_value(tf.ones([3]).shape[0]))
threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(2)
print(threading.get_intra_op_parallelism_threads(), threading.get_inter_op_parallelism_threads())
tf.config.experimental.enable_op_determinism()
print(tf.config.experimental.tensor_float_32_execution_enabled(), tf.compat.v1.executing_eagerly())
tf.config.experimental.enable_tensor_float_32_execution(False)
print(tf.config.experimental.tensor_float_32_execution_enabled())
"""
    assert shown(run_python, program) == ["0", "3", "1", "2", "True", "True", "False"]


def test_compat_v2_is_the_face_once_more(run_python):
    program = """
fg.as_tensorflow()
import tensorflow as tf
import tensorflow.compat.v2 as tf2
from tensorflow.compat.v2.nn import relu
from tensorflow.compat.v2 import math
assert tf2 is tf and tf.compat.v2 is tf and relu is tf.nn.relu and math is tf.math
try:
    import tensorflow.compat.v2.no_such
except ModuleNotFoundError:
    print(tf2.add(1, 2).numpy())
"""
    assert shown(run_python, program) == ["3"]


def test_eager_tensors_say_they_are_of_the_module_of_the_face(run_python):
    """eagerpy and foolbox look for it; tensorflow 2.21 names this module."""
    program = """
import pickle
before = type(fg.constant(1))
fg.as_tensorflow()
import tensorflow as tf
kind = type(tf.constant(1))
assert kind is before and pickle.loads(pickle.dumps(kind)) is kind
print(kind.__module__)
"""
    assert shown(run_python, program) == ["tensorflow.python.framework.ops"]


def test_levels_of_the_log(run_python):
    """Levels as tensorflow 2.21 has them."""
    program = """
fg.as_tensorflow()
import tensorflow as tf
log = tf.compat.v1.logging
print(log.get_verbosity() == log.WARN, log.DEBUG, log.INFO, log.WARN, log.ERROR, log.FATAL)
log.info("hidden")
log.set_verbosity(log.INFO)
import logging, sys
handler = logging.StreamHandler(sys.stdout)
fg.get_logger().addHandler(handler)
log.info("%d_shown", 1)
log.debug("hidden")
"""
    assert shown(run_python, program) == ["True", "10", "20", "30", "40", "50", "1_shown"]


def test_structures_are_opened_as_far_as_another(run_python):
    """Values and classes of errors from tensorflow 2.21."""
    program = """
fg.as_tensorflow()
from tensorflow.python.util import nest
assert nest.map_structure_up_to([0, 0], lambda x: x[0], [[1], [2]]) == [1, 2]
assert nest.map_structure_up_to(0, lambda x: x, [1, 2]) == [1, 2]
assert nest.map_structure_up_to([0, 0], lambda x, y: (x, y), [1, [2]], [3, 4]) == [(1, 3), ([2], 4)]
mixed = {"b": (1, [2]), "a": 3}
assert nest.flatten_with_joined_string_paths(mixed) == [("a", 3), ("b/0", 1), ("b/1/0", 2)]
assert nest.flatten_with_tuple_paths(mixed) == [(("a",), 3), (("b", 0), 1), (("b", 1, 0), 2)]
assert nest.flatten_with_tuple_paths(3) == [((), 3)]
added = nest.map_structure_with_tuple_paths(lambda p, x, y: (p, x + y), [1, (2,)], [1, (2,)])
assert added == [((0,), 2), (((1, 0), 4),)]
cases = [([0, 0], (1, 2)), ([0, 0], [1, 2, 3]), ([0, [0]], [1, 2]), ({"a": 0}, {"a": [1], "b": 2})]
for shallow, deep in cases:
    try:
        nest.flatten_up_to(shallow, deep)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
"""
    assert shown(run_python, program) == ["TypeError", "ValueError", "TypeError", "ValueError"]


def test_classes_under_other_names_stay_those_of_the_package(run_python):
    program = """
fg.as_tensorflow()
import pickle
from ferrograph._src.context.ownership import is_library_class
classes = fg.Tensor, fg.RaggedTensor, fg.SparseTensor, fg.data.Dataset, type(fg.constant(1))
print(*{is_library_class(cls) for cls in classes})
@fg.function(input_signature=[fg.RaggedTensorSpec([None, None], fg.int32)])
def total(rows):
    found = 0
    for row in rows:
        found += fg.reduce_sum(row)
    return found
print(int(total(fg.ragged.constant([[1, 2], [3]]))))
print(pickle.loads(pickle.dumps(fg.RaggedTensor)) is fg.RaggedTensor)
"""
    assert shown(run_python, program) == ["True", "6", "True"]
