"""What Keras' tests import from a file that its wheel leaves out."""

import pytest


def skip_if_backend(given_backend, reason):
    """Skip a test on that backend."""
    return pytest.mark.skipif(given_backend == "tensorflow", reason=reason)
