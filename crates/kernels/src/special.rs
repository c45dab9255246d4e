//! Special functions of single numbers, for kernels that are built on them.

pub use crate::vmath::double::Double;
pub use crate::vmath::lgamma::lgamma;
pub use crate::vmath::special::bessel_ie;
pub use crate::vmath::zeta::polygamma;
