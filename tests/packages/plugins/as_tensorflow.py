"""A plugin of pytest: ``import tensorflow`` finds ferrograph, and Keras' marks are known."""

import ferrograph

ferrograph.as_tensorflow()


def pytest_configure(config):
    for mark in ("requires_trainable_backend", "multi_device"):
        config.addinivalue_line("markers", f"{mark}: of Keras' own tests")
