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
    threading.set_inter_op_parallelism_threads(2)
    assert threading.get_inter_op_parallelism_threads() == 2
    threading.set_inter_op_parallelism_threads(0)
    for name in ("inter", "intra"):
        ask = getattr(threading, f"set_{name}_op_parallelism_threads")
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


def test_the_number_of_threads_is_settled_once(run_python):
    done = run_python(
        """
        import ferrograph as fg

        fg.config.threading.set_intra_op_parallelism_threads(3)
        fg.config.threading.set_intra_op_parallelism_threads(1)
        fg.sort(fg.random.uniform([300_000]))
        fg.config.threading.set_intra_op_parallelism_threads(1)
        try:
            fg.config.threading.set_intra_op_parallelism_threads(2)
        except RuntimeError as e:
            assert "FERROGRAPH_NUM_THREADS" in str(e), e
        else:
            raise AssertionError("the number of threads changed")
        print(fg.config.threading.get_intra_op_parallelism_threads())
        with open("/proc/self/status") as file:
            print(next(line for line in file if line.startswith("Threads:")).split()[1])
        """
    )
    assert done.stdout.split() == ["1", "1"]


@pytest.mark.parametrize("wanted", [[], [3], [fg.config.LogicalDeviceConfiguration(1024)]])
def test_other_logical_devices_are_refused(wanted):
    words = "'logical_devices' of set_logical_device_configuration: .* must be one configuration"
    with pytest.raises(ValueError, match=words):
        fg.config.set_logical_device_configuration(CPU, wanted)
