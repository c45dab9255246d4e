//! Special functions of single numbers, for kernels that are built on them.

pub use crate::vmath::special::{bessel_ie, lgamma};
pub use crate::vmath::zeta::polygamma;
