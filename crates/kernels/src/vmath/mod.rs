//! Elementary functions as branch-free scalar code that LLVM vectorises: f32 within 4 ulp, f64 where it is simple.
//!
//! Each function takes the way to multiply and add as a type ([`Isa`](crate::isa::Isa)); slices get the machine's one
//! through [`dispatch`](crate::isa::dispatch), so that an element's result never depends on its place in a slice.

pub mod coefficients;
pub mod complex;
pub mod double;
pub mod f32;
pub mod f64;
pub mod inverse;
pub mod lgamma;
pub mod special;
pub mod zeta;

#[cfg(test)]
mod tests;
