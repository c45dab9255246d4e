//! Checks of values.

use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Complex32, Complex64, Result, Tensor, bail, with_element};
use smallvec::smallvec;

declare! {
    trait EmitChecks;

    /// `tensor`; NaN and infinity in it are an error.
    CheckNumerics: check_numerics(tensor: T in inexact) -> (output: T like tensor), gradient Passes, effect World, batch Broadcasts {
        /// What the error says first.
        message: String,
    };
}

trait Part: Copy {
    fn nan(self) -> bool;
    fn finite(self) -> bool;
}

macro_rules! part {
    ($($t:ty)*) => {$(
        impl Part for $t {
            fn nan(self) -> bool {
                self.is_nan()
            }
            fn finite(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}
part!(f32 f64 ferrograph_tensor::f16 ferrograph_tensor::bf16 Complex32 Complex64);

fn fault<T: Part>(x: &[T]) -> Option<&'static str> {
    if x.iter().all(|v| v.finite()) {
        return None;
    }
    let (nan, inf) = x.iter().fold((false, false), |(nan, inf), v| {
        (nan || v.nan(), inf || !(v.finite() || v.nan()))
    });
    Some(match (nan, inf) {
        (true, true) => "Inf and NaN",
        (true, false) => "NaN",
        _ => "Inf",
    })
}

impl Op for CheckNumerics {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let x = &inputs[0];
        let fault = with_element!(x.dtype(), inexact, T => fault(x.as_slice::<T>()?), else => None);
        if let Some(fault) = fault {
            bail!(
                InvalidArgument,
                "{} : Tensor had {fault} values",
                self.message
            );
        }
        Ok(smallvec![x.clone()])
    }
}
