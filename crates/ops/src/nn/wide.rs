//! Losses of 16-bit floats, which are computed in `f32`.

use ferrograph_kernels::nn as k;
use ferrograph_kernels::scratch::{collected, vec_of};
use ferrograph_tensor::Element;

/// A float type that losses are computed in, which for 16-bit floats is `f32`.
pub(super) trait Wide: Element {
    type Loss: Element + k::Loss;
    fn widen(x: &[Self]) -> std::borrow::Cow<'_, [Self::Loss]>;
    fn narrow(x: &[Self::Loss], out: &mut [Self]);
    /// The same slice where the types are one.
    fn direct(x: &mut [Self]) -> Option<&mut [Self::Loss]>;
}

macro_rules! wide {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type Loss = $t;
            fn widen(x: &[$t]) -> std::borrow::Cow<'_, [$t]> {
                x.into()
            }
            fn narrow(x: &[$t], out: &mut [$t]) {
                out.copy_from_slice(x);
            }
            fn direct(x: &mut [$t]) -> Option<&mut [$t]> {
                Some(x)
            }
        }
    )*};
    (half: $($t:ty),*) => {$(
        impl Wide for $t {
            type Loss = f32;
            fn widen(x: &[$t]) -> std::borrow::Cow<'_, [f32]> {
                collected(x.iter().map(|v| v.to_f32())).into()
            }
            fn narrow(x: &[f32], out: &mut [$t]) {
                out.iter_mut().zip(x).for_each(|(o, &v)| *o = <$t>::from_f32(v));
            }
            fn direct(_: &mut [$t]) -> Option<&mut [f32]> {
                None
            }
        }
    )*};
}
wide!(f32, f64);
wide!(half: ferrograph_tensor::f16, ferrograph_tensor::bf16);

/// Runs a loss that writes wide results.
pub(super) fn losses<T: Wide>(
    loss: &mut [T],
    gradient: &mut [T],
    run: impl FnOnce(&mut [T::Loss], &mut [T::Loss]),
) {
    let (n, m) = (loss.len(), gradient.len());
    if let (Some(loss), Some(gradient)) = (T::direct(loss), T::direct(gradient)) {
        return run(loss, gradient);
    }
    let mut wide = (vec_of(T::Loss::default(), n), vec_of(T::Loss::default(), m));
    run(&mut wide.0, &mut wide.1);
    T::narrow(&wide.0, loss);
    T::narrow(&wide.1, gradient);
}
