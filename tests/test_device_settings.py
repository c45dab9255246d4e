"""Settings that programs make before they begin, where there is one device."""

import ferrograph as fg
import pytest

SETTINGS = fg.config.experimental
CPU = fg.config.list_physical_devices("CPU")[0]


def test_settings_are_kept():
    SETTINGS.set_device_policy("warn")
    assert SETTINGS.get_device_policy() == "warn"
    SETTINGS.set_device_policy(None)
    assert SETTINGS.get_device_policy() == "silent"
    SETTINGS.set_synchronous_execution(False)
    assert not SETTINGS.get_synchronous_execution()
    SETTINGS.set_synchronous_execution(None)
    SETTINGS.enable_tensor_float_32_execution(False)
    assert not SETTINGS.tensor_float_32_execution_enabled()
    SETTINGS.enable_tensor_float_32_execution(True)
    SETTINGS.enable_op_determinism()
    threading = fg.config.threading
    for name in ("inter", "intra"):
        ask = getattr(threading, f"set_{name}_op_parallelism_threads")
        told = getattr(threading, f"get_{name}_op_parallelism_threads")
        ask(2)
        assert told() == 2
        ask(0)
        with pytest.raises(ValueError, match="integer of 0 or more, got -1"):
            ask(-1)


def test_devices():
    for gpu in SETTINGS.list_physical_devices("GPU"):
        SETTINGS.set_memory_growth(gpu, True)
    assert SETTINGS.get_device_details(CPU) == {}
    assert SETTINGS.get_memory_growth(CPU)
    assert SETTINGS.get_visible_devices("CPU") == [CPU]
    one = [SETTINGS.VirtualDeviceConfiguration()]
    SETTINGS.set_virtual_device_configuration(CPU, one)
    assert SETTINGS.get_virtual_device_configuration(CPU) == one


def test_what_is_not_here_is_refused():
    refused = [
        (lambda: SETTINGS.set_memory_growth(CPU, True), "memory growth is set for accelerators"),
        (lambda: SETTINGS.get_memory_growth("GPU:0"), "there is no device 'GPU:0'"),
        (lambda: SETTINGS.get_device_details("CPU:0"), "must be a config.PhysicalDevice"),
        (lambda: SETTINGS.get_memory_info("CPU:0"), "is not counted"),
        (lambda: SETTINGS.get_memory_usage("GPU:0"), "no device matches 'GPU:0'"),
        (lambda: SETTINGS.reset_memory_stats("CPU:0"), "is not counted"),
        (lambda: SETTINGS.set_device_policy("loud"), "must be one of 'silent'"),
    ]
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()
