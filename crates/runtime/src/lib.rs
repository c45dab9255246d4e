//! Plans, scheduling, trace caches, eager dispatch and the tape
