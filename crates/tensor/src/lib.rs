//! Dtypes, shapes, specs, errors, and the tensor with its buffers
