//! Checks of values.

use ferrograph_graph::{Emitter, Grads, Op, Runner, Tensors, VjpCall, declare, declared};
use ferrograph_tensor::{Complex32, Complex64, Error, Result, Tensor, bail, err, with_element};
use smallvec::smallvec;

declare! {
    trait EmitChecks;

    /// `tensor`; NaN and infinity in it are an error.
    CheckNumerics: check_numerics(tensor: T in inexact) -> (output: T like tensor), gradient Vjp, effect World, batch Broadcasts {
        /// What the error says first.
        message: String,
    };

    /// `tensor`; NaN and infinity in it are an error that counts them.
    CheckNumericsV2: check_numerics_v2(tensor: T in inexact) -> (output: T like tensor), gradient Vjp, effect World, batch Broadcasts {
        /// What the error says first.
        message: String,
    };
}

trait Part: Copy {
    fn nan(self) -> bool;
    fn finite(self) -> bool;
    /// Whether its infinite part is below zero.
    fn below(self) -> bool;
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
            fn below(self) -> bool {
                self < <$t>::from(0i8)
            }
        }
    )*};
}
part!(f32 f64 ferrograph_tensor::f16 ferrograph_tensor::bf16);

macro_rules! complex_part {
    ($($t:ty)*) => {$(
        impl Part for $t {
            fn nan(self) -> bool {
                self.is_nan()
            }
            fn finite(self) -> bool {
                self.is_finite()
            }
            fn below(self) -> bool {
                let part = if self.re.is_infinite() { self.re } else { self.im };
                part < 0.0
            }
        }
    )*};
}
complex_part!(Complex32 Complex64);

/// How many elements of a tensor are no finite numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Faults {
    /// Those of negative infinity.
    pub below: usize,
    /// Those of positive infinity.
    pub above: usize,
    /// Those that are no numbers.
    pub nan: usize,
}

impl Faults {
    /// Those of a tensor; `None` where all its elements are finite or it holds no floating numbers.
    ///
    /// # Errors
    /// `Internal` where its elements cannot be read.
    pub fn of(x: &Tensor) -> Result<Option<Faults>> {
        with_element!(x.dtype(), inexact, T => Ok(count(x.as_slice::<T>()?)), else => Ok(None))
    }

    /// Which of the three there are, in words.
    fn kinds(self) -> String {
        let kinds = [
            (self.below, "-Inf"),
            (self.above, "+Inf"),
            (self.nan, "NaN"),
        ];
        let there: Vec<&str> = kinds
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(_, what)| *what)
            .collect();
        match &there[..] {
            [a, b] => format!("{a} and {b}"),
            [a, b, c] => format!("{a}, {b}, and {c}"),
            _ => there.concat(),
        }
    }

    /// The error of a check that says this first.
    pub fn refuse(self, message: &str) -> Error {
        let counts = [
            ("-Inf", self.below),
            ("+Inf", self.above),
            ("NaN", self.nan),
        ];
        let there = counts.iter().filter(|(_, n)| *n > 0);
        let counts: String = there
            .map(|(what, n)| format!("\n  # of {what} elements: {n}"))
            .collect();
        err!(
            InvalidArgument,
            "{message}{counts}\n : Tensor had {} values",
            self.kinds()
        )
    }
}

fn count<T: Part>(x: &[T]) -> Option<Faults> {
    if x.iter().all(|v| v.finite()) {
        return None;
    }
    let mut faults = Faults::default();
    for &v in x.iter().filter(|v| !v.finite()) {
        match v {
            _ if v.nan() => faults.nan += 1,
            _ if v.below() => faults.below += 1,
            _ => faults.above += 1,
        }
    }
    Some(faults)
}

impl Op for CheckNumerics {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![Some(call.grad()?.clone().into())]) // a tensor, where rows come
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let Some(faults) = Faults::of(&inputs[0])? else {
            return Ok(smallvec![inputs[0].clone()]);
        };
        let what = match (faults.below + faults.above > 0, faults.nan > 0) {
            (true, true) => "Inf and NaN",
            (true, false) => "Inf",
            _ => "NaN",
        };
        bail!(
            InvalidArgument,
            "{} : Tensor had {what} values",
            self.message
        )
    }
}

impl Op for CheckNumericsV2 {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![Some(call.grad()?.clone().into())])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match Faults::of(&inputs[0])? {
            Some(faults) => Err(faults.refuse(&self.message)),
            None => Ok(smallvec![inputs[0].clone()]),
        }
    }
}
