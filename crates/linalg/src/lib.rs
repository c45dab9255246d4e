//! Linear algebra: factorisations of stacks of matrices, what is solved by them, and their gradients.
//!
//! * Kernels are `faer`'s, a matrix each; a stack is spread over the pool. Matrices are row-major as tensors are, which
//!   `faer` reads and writes through strides.
//! * Operations take matrices in the last two axes; the leading axes are the stack.
//! * Signs that a factorisation leaves open are LAPACK's where those are a rule (QR), and `faer`'s elsewhere.

mod banded;
mod banded_system;
mod chain;
mod cholesky;
mod deflation;
mod determinant;
mod eigen;
mod emit;
mod exponential;
mod factor;
mod field;
mod logarithm;
mod lu;
mod qr;
mod root;
mod rules;
mod schur;
mod solve;
mod stack;
mod svd;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    cholesky::register(registry);
    solve::register(registry);
    determinant::register(registry);
    lu::register(registry);
    qr::register(registry);
    svd::register(registry);
    eigen::register(registry);
    exponential::register(registry);
    root::register(registry);
    logarithm::register(registry);
    banded::register(registry);
}
