//! The numbers that matrices are factorised over.

use faer::traits::ComplexField;
use ferrograph_tensor::Element;
use num_complex::{Complex32, Complex64};

/// A number of a matrix: real or complex, single or double precision.
pub(crate) trait Field: Element + ComplexField + Copy {
    /// Whether neither part is infinite or NaN.
    fn is_finite_number(self) -> bool;
    /// The number of that real part.
    fn of_real(real: f64) -> Self;
    /// The number of that real part, in its precision.
    fn of_part(part: Self::Real) -> Self;
    /// The absolute value.
    fn modulus(self) -> f64;
    /// The real part.
    fn real_part(self) -> f64;
    /// The number divided by its absolute value; zero for zero.
    fn phase(self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The number in double precision, complex.
    fn wide(self) -> Complex64;
    /// The number nearest to a complex one, whose imaginary part a real number leaves out.
    fn of_wide(wide: Complex64) -> Self;
}

macro_rules! real {
    ($t:ty) => {
        impl Field for $t {
            fn is_finite_number(self) -> bool {
                self.is_finite()
            }
            #[allow(clippy::cast_possible_truncation)]
            fn of_real(real: f64) -> Self {
                real as $t
            }
            fn of_part(part: $t) -> Self {
                part
            }
            fn modulus(self) -> f64 {
                f64::from(self.abs())
            }
            fn real_part(self) -> f64 {
                f64::from(self)
            }
            fn phase(self) -> Self {
                if self == 0.0 { 0.0 } else { self.signum() }
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn conjugate(self) -> Self {
                self
            }
            fn wide(self) -> Complex64 {
                Complex64::new(f64::from(self), 0.0)
            }
            #[allow(clippy::cast_possible_truncation)]
            fn of_wide(wide: Complex64) -> Self {
                wide.re as $t
            }
        }
    };
}
real!(f32);
real!(f64);

macro_rules! complex {
    ($t:ty, $part:ty) => {
        impl Field for $t {
            fn is_finite_number(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }
            #[allow(clippy::cast_possible_truncation)]
            fn of_real(real: f64) -> Self {
                <$t>::new(real as $part, 0.0)
            }
            fn of_part(part: $part) -> Self {
                <$t>::new(part, 0.0)
            }
            fn modulus(self) -> f64 {
                f64::from(self.re).hypot(f64::from(self.im))
            }
            fn real_part(self) -> f64 {
                f64::from(self.re)
            }
            #[allow(clippy::cast_possible_truncation)]
            fn phase(self) -> Self {
                let size = self.modulus();
                if size == 0.0 {
                    return <$t>::new(0.0, 0.0);
                }
                let part = |x: $part| (f64::from(x) / size) as $part;
                <$t>::new(part(self.re), part(self.im))
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn conjugate(self) -> Self {
                self.conj()
            }
            fn wide(self) -> Complex64 {
                Complex64::new(f64::from(self.re), f64::from(self.im))
            }
            #[allow(clippy::cast_possible_truncation)]
            fn of_wide(wide: Complex64) -> Self {
                <$t>::new(wide.re as $part, wide.im as $part)
            }
        }
    };
}
complex!(Complex32, f32);
complex!(Complex64, f64);

/// Runs `$body` with `$t` naming the number type of a dtype; an error for one that matrices are not factorised over.
macro_rules! with_field {
    ($dtype:expr, $t:ident => $body:expr) => {{
        use ::ferrograph_tensor::DType;
        match $dtype {
            DType::Float32 => {
                type $t = f32;
                $body
            }
            DType::Float64 => {
                type $t = f64;
                $body
            }
            DType::Complex64 => {
                type $t = ::num_complex::Complex32;
                $body
            }
            DType::Complex128 => {
                type $t = ::num_complex::Complex64;
                $body
            }
            other => ::ferrograph_tensor::bail!(DType, "there are no matrices of dtype {other}"),
        }
    }};
}
pub(crate) use with_field;
