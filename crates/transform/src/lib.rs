//! Graph to graph: pruning, inlining, gradients of regions
