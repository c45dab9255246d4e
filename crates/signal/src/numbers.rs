//! The numbers that are transformed.

use ferrograph_tensor::Element;
use rustfft::FftNum;
use rustfft::num_complex::{Complex, Complex32, Complex64};

use crate::plans::Plans;

/// The parts of complex numbers: single or double precision.
pub(crate) trait Part: FftNum + Element {
    /// The complex numbers of these parts.
    type Pair: Element;
    /// The tables that are kept for this precision.
    fn plans() -> &'static Plans<Self>;
    /// The nearest number.
    fn nearest(x: f64) -> Self;
    /// `1 / n`.
    fn reciprocal(n: usize) -> Self;
    /// Elements as what is transformed.
    fn complex(pairs: &[Self::Pair]) -> &[Complex<Self>];
    /// Elements as what is transformed, to be written.
    fn complex_mut(pairs: &mut [Self::Pair]) -> &mut [Complex<Self>];
}

macro_rules! part {
    ($t:ty, $pair:ty) => {
        impl Part for $t {
            type Pair = $pair;
            fn plans() -> &'static Plans<Self> {
                static PLANS: Plans<$t> = Plans::new();
                &PLANS
            }
            #[allow(clippy::cast_possible_truncation)]
            fn nearest(x: f64) -> Self {
                x as $t
            }
            fn reciprocal(n: usize) -> Self {
                Self::nearest(1.0 / n as f64)
            }
            fn complex(pairs: &[$pair]) -> &[Complex<$t>] {
                pairs
            }
            fn complex_mut(pairs: &mut [$pair]) -> &mut [Complex<$t>] {
                pairs
            }
        }
    };
}
part!(f32, Complex32);
part!(f64, Complex64);
