//! Rules for elementwise operations.

use super::Site;
use crate::rewrite::Rewrite;
use ferrograph_graph::ValueId;
use ferrograph_tensor::{DType, Element, Tensor, bf16, f16};

/// Either of two inputs, where the other one is the number: `x + 0`, `1 * x`. Of the float zeros only the negative one
/// leaves a sum as it is: `-0.0 + 0.0` is `0.0`.
pub(super) fn neutral(site: &Site<'_>, number: f64) -> Option<Rewrite> {
    kept(site, 0, number).or_else(|| kept(site, 1, number))
}

/// The first of two inputs, where the second one is the number: `x - 0`, `x / 1`.
pub(super) fn neutral_right(site: &Site<'_>, number: f64) -> Option<Rewrite> {
    kept(site, 0, number)
}

/// Input `i` of two, where the other one is all of a number and does not broadcast it.
fn kept(site: &Site<'_>, i: usize, number: f64) -> Option<Rewrite> {
    let x = site.input(i)?;
    if let Some(other) = site.repeated(1 - i) {
        let stays = is_all(other, number) && site.of_same_shape(i).is_some();
        return stays.then(|| Rewrite::replace(x));
    }
    let other = site.constant(1 - i)?;
    (is_all(other, number) && keeps_shape(site, x, other)).then(|| Rewrite::replace(x))
}

/// Whether a value has the shape of the result of combining it with a constant.
fn keeps_shape(site: &Site<'_>, x: ValueId, constant: &Tensor) -> bool {
    let shape = &site.spec(x).shape;
    let is_one = constant.n_elements() == 1;
    constant.rank() == 0
        || (is_one && shape.rank().is_some_and(|rank| rank >= constant.rank()))
        || (shape.is_static() && shape == site.shape())
}

/// Whether a tensor holds some elements, all with the bits of a number in its dtype. None of a complex dtype counts:
/// products of infinities would not stay as they are.
fn is_all(t: &Tensor, number: f64) -> bool {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    match t.dtype() {
        DType::Bool => all(t, number != 0.0, |x: bool| u8::from(x)),
        DType::Float16 => all(t, f16::from_f64(number), f16::to_bits),
        DType::BFloat16 => all(t, bf16::from_f64(number), bf16::to_bits),
        DType::Float32 => all(t, number as f32, f32::to_bits),
        DType::Float64 => all(t, number, f64::to_bits),
        DType::Int8 => all(t, number as i8, i8::to_ne_bytes),
        DType::Int16 => all(t, number as i16, i16::to_ne_bytes),
        DType::Int32 => all(t, number as i32, i32::to_ne_bytes),
        DType::Int64 => all(t, number as i64, i64::to_ne_bytes),
        DType::UInt8 => all(t, number as u8, u8::to_ne_bytes),
        DType::UInt16 => all(t, number as u16, u16::to_ne_bytes),
        DType::UInt32 => all(t, number as u32, u32::to_ne_bytes),
        DType::UInt64 => all(t, number as u64, u64::to_ne_bytes),
        _ => false,
    }
}

fn all<T: Element + Copy, B: PartialEq>(t: &Tensor, number: T, bits: impl Fn(T) -> B) -> bool {
    let wanted = bits(number);
    t.as_slice::<T>()
        .is_ok_and(|xs| !xs.is_empty() && xs.iter().all(|x| bits(*x) == wanted))
}

/// An operation that undoes itself, twice.
pub(super) fn involution(site: &Site<'_>) -> Option<Rewrite> {
    site.same_before(0)?.input(0).map(Rewrite::replace)
}

/// A cast to the dtype that is there, or back from one that holds all values of the first.
pub(super) fn cast(site: &Site<'_>) -> Option<Rewrite> {
    let from = site.input(0)?;
    let to = site.spec(site.node.outputs[0]).dtype;
    let middle = site.spec(from).dtype;
    if middle == to {
        return Some(Rewrite::replace(from));
    }
    let first = site.same_before(0)?.input(0)?;
    (site.spec(first).dtype == to && holds_all(middle, to)).then(|| Rewrite::replace(first))
}

/// Whether a dtype has a value of its own for each one of another.
fn holds_all(wide: DType, narrow: DType) -> bool {
    match (significant_bits(wide), significant_bits(narrow)) {
        _ if narrow == DType::Bool => wide.is_integer() || wide.is_floating(),
        (Some(w), Some(n)) if wide.is_integer() == narrow.is_integer() => {
            w >= n && (is_signed(wide) || !is_signed(narrow)) && has_range(wide, narrow)
        }
        (Some(w), Some(n)) => wide.is_floating() && w >= n,
        _ => false,
    }
}

/// How many bits of an integer, without its sign, or of a float's significand a dtype holds.
fn significant_bits(dtype: DType) -> Option<usize> {
    Some(match dtype {
        DType::BFloat16 => 8,
        DType::Float16 => 11,
        DType::Float32 => 24,
        DType::Float64 => 53,
        d if d.is_integer() => 8 * d.size() - usize::from(is_signed(d)),
        _ => return None,
    })
}

fn is_signed(dtype: DType) -> bool {
    !matches!(
        dtype,
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64
    )
}

/// Whether the exponents of one float dtype hold those of another; integers have none.
fn has_range(wide: DType, narrow: DType) -> bool {
    !(wide == DType::Float16 && narrow == DType::BFloat16)
}

/// A choice that is the same for all elements.
pub(super) fn select(site: &Site<'_>) -> Option<Rewrite> {
    let picks = site.constant(0)?;
    if is_all(picks, 1.0) {
        return site.of_same_shape(1).map(Rewrite::replace);
    }
    let v = is_all(picks, 0.0).then(|| site.of_same_shape(2))?;
    v.map(Rewrite::replace)
}

#[cfg(test)]
mod tests {
    use super::holds_all;
    use ferrograph_tensor::DType;

    #[test]
    fn a_wider_dtype_holds_all_values_of_a_narrower_one() {
        use DType::{BFloat16, Bool, Float16, Float32, Float64, Int8, Int32, Int64, UInt8, UInt32};
        for (wide, narrow) in [
            (Float32, Float16),
            (Float32, BFloat16),
            (Float64, Float32),
            (Int64, Int32),
            (Int32, UInt8),
            (BFloat16, UInt8),
            (Float16, Int8),
            (Float64, Int32),
            (Float64, UInt32),
            (UInt8, Bool),
            (Float16, Bool),
        ] {
            assert!(holds_all(wide, narrow), "{wide} of {narrow}");
            assert!(!holds_all(narrow, wide), "{narrow} of {wide}");
        }
        for (a, b) in [
            (Float16, BFloat16),
            (Int8, UInt8),
            (Int32, UInt32),
            (Float32, Int32),
        ] {
            assert!(!holds_all(a, b) && !holds_all(b, a), "{a} and {b}");
        }
    }
}
