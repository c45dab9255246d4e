//! The Python bindings: conversions, the call path, classes
