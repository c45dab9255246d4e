"""Names of devices and scopes of dispatch, as tensorflow 2.21 has them."""

import ferrograph as fg
import pytest

D = fg.DeviceSpec


def test_names_in_parts():
    assert D(job="ps", device_type="cpu", device_index=0).to_string() == "/job:ps/device:CPU:0"
    whole = "/job:localhost/replica:0/task:1/device:GPU:2"
    assert D.from_string(whole).to_string() == whole
    assert D().to_string() == ""
    assert D.from_string("/gpu:0").to_string() == "/device:GPU:0"
    assert D.from_string("/device:CPU:*").device_index is None
    assert D().parse_from_string("/job:x").job == "x"
    shown = "<DeviceSpec(job=None, replica=None, task=None, device_type=CPU, device_index=1)>"
    assert str(D.from_string("/cpu:1")) == shown
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        D.from_string("/foo:bar")


def test_other_parts():
    merged = D(job="a", replica=1).make_merged_spec(D(job="b", task=3))
    assert merged.to_string() == "/job:b/replica:1/task:3"
    changed = D(job="a").replace(job="c")
    assert (changed.job, changed == D(job="c"), hash(changed) == hash(D(job="c"))) == (
        "c",
        True,
        True,
    )
    assert changed != D(job="a")


def test_scopes_of_dispatch():
    with fg.experimental.async_scope():
        with pytest.raises(fg.errors.InvalidArgumentError):
            fg.constant([1, 2]) + fg.constant([1, 2, 3])
        fg.experimental.async_clear_error()
    with fg.experimental.function_executor_type(""):
        assert int(fg.function(lambda x: x + 1)(fg.constant(1))) == 2


def test_a_graph_by_its_name_at_the_top():
    f = fg.function(lambda x: x + x).get_concrete_function(fg.TensorSpec([], fg.int32))
    found = fg.import_graph_def(
        f.graph.as_graph_def(), {"x:0": fg.constant(4)}, return_elements=["Identity:0"]
    )
    assert int(found[0]) == 8


def test_devices_that_are_not_here():
    names = ("/gpu:0", "TPU:1", "/job:localhost/device:GPU:0", "/cpu:3", D.from_string("/gpu:1"))
    for name in names:
        with fg.device(name):
            assert fg.add(1, 2).device.endswith("CPU:0")
            assert int(fg.function(lambda x: x + 1)(fg.constant(1))) == 2
    with fg.device(D.from_string("/CPU:0")):
        assert int(fg.add(1, 2)) == 3
    fg.config.set_soft_device_placement(False)
    try:
        refused = pytest.raises(fg.errors.InvalidArgumentError, match="soft placement is off")
        with refused, fg.device("/gpu:0"):
            pass
        with fg.device("/CPU:0"):
            assert int(fg.add(1, 2)) == 3
    finally:
        fg.config.set_soft_device_placement(True)
    with pytest.raises(ValueError, match="there is no device 'nonsense'"), fg.device("nonsense"):
        pass
    with pytest.raises(ValueError, match="must be a string, got 3"), fg.device(3):
        pass
