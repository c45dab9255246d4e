//! The floats of one byte: how their bytes read as numbers, and how numbers are rounded to them.

use crate::{DType, Result, Shape, Tensor, bail};

/// What the bytes beyond the finite numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beyond {
    /// Infinities above the highest finite number, NaNs above these, as IEEE 754 has it.
    Infinities,
    /// One NaN of each sign, no infinities.
    Nan,
    /// One NaN in the place of -0, no infinities.
    NanForMinusZero,
}

/// A floating point format of one byte: a sign, an exponent, a significand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Float8 {
    /// Bits of the significand behind its leading one.
    digits: u32,
    /// What is added to exponents.
    bias: u32,
    /// The byte of the highest finite number.
    highest: u32,
    beyond: Beyond,
}

const SIGN: u8 = 0x80;
const F32_DIGITS: u32 = 23;
const F32_BIAS: u32 = 127;

impl DType {
    /// The format of elements that are floats of one byte.
    pub const fn float8(self) -> Option<Float8> {
        let (digits, bias, highest, beyond) = match self {
            DType::Float8E5M2 => (2, 15, 0x7b, Beyond::Infinities),
            DType::Float8E4M3FN => (3, 7, 0x7e, Beyond::Nan),
            DType::Float8E4M3FNUZ => (3, 8, 0x7f, Beyond::NanForMinusZero),
            DType::Float8E4M3B11FNUZ => (3, 11, 0x7f, Beyond::NanForMinusZero),
            DType::Float8E5M2FNUZ => (2, 16, 0x7f, Beyond::NanForMinusZero),
            _ => return None,
        };
        Some(Float8 {
            digits,
            bias,
            highest,
            beyond,
        })
    }
}

impl Float8 {
    /// The number of a byte, which float32 holds exactly.
    pub fn decode(self, byte: u8) -> f32 {
        let magnitude = u32::from(byte & !SIGN);
        let number = match self.beyond {
            Beyond::NanForMinusZero if byte == SIGN => f32::NAN,
            Beyond::Infinities if magnitude == self.highest + 1 => f32::INFINITY,
            _ if magnitude > self.highest => f32::NAN,
            _ if magnitude >> self.digits == 0 => magnitude as f32 * self.unit(),
            _ => f32::from_bits(
                (magnitude << (F32_DIGITS - self.digits)) + ((F32_BIAS - self.bias) << F32_DIGITS),
            ),
        };
        if byte & SIGN == 0 { number } else { -number }
    }

    /// The lowest positive number.
    fn unit(self) -> f32 {
        f32::from_bits((F32_BIAS + 1 - self.bias - self.digits) << F32_DIGITS)
    }

    /// The byte of the nearest number, of two that are as near the even one; beyond the highest finite number, what
    /// rounds there is infinite, or NaN where the format has no infinities.
    #[inline(always)]
    pub fn encode(self, x: f32) -> u8 {
        let bits = x.to_bits();
        let sign = (bits >> 24) as u8 & SIGN;
        let magnitude = bits & !(1 << 31);
        let dropped = F32_DIGITS - self.digits;
        let rounded = if magnitude >= (F32_BIAS + 1 - self.bias) << F32_DIGITS {
            let rebased = magnitude - ((F32_BIAS - self.bias) << F32_DIGITS);
            (rebased + (1 << (dropped - 1)) - 1 + (rebased >> dropped & 1)) >> dropped
        } else {
            // A number whose last digit is worth the lowest positive one makes the addition round to it.
            let coarse = self.unit() * (1 << F32_DIGITS) as f32;
            (f32::from_bits(magnitude) + coarse).to_bits() - coarse.to_bits()
        };
        let is_nan = magnitude > f32::INFINITY.to_bits();
        match self.beyond {
            Beyond::Infinities if is_nan => sign | (self.highest as u8 + 3),
            Beyond::NanForMinusZero if rounded > self.highest => SIGN,
            Beyond::NanForMinusZero if rounded == 0 => 0,
            _ => sign | rounded.min(self.highest + 1) as u8,
        }
    }

    /// The byte of the nearest number, rounded once.
    #[inline(always)]
    pub fn encode_wide(self, x: f64) -> u8 {
        self.encode(rounded_to_odd(x))
    }
}

/// The number as float32; one that float32 does not hold becomes the neighbour whose last bit is one, from which
/// rounding to far fewer digits gives what rounding the number itself does.
#[inline(always)]
fn rounded_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let bits = near.to_bits();
    let beyond = u32::from(f64::from(near).abs() > x.abs());
    let inexact = f64::from(near) != x && !x.is_nan();
    f32::from_bits(if inexact { (bits - beyond) | 1 } else { bits })
}

impl Tensor {
    /// A tensor of the nearest floats of one byte to these numbers.
    ///
    /// # Errors
    /// `DType` for other dtypes, `Shape` where there are more or fewer numbers than elements.
    pub fn of_float8(
        dtype: DType,
        shape: Shape,
        numbers: impl ExactSizeIterator<Item = f64>,
    ) -> Result<Tensor> {
        let Some(format) = dtype.float8() else {
            bail!(DType, "{dtype} is no float of one byte");
        };
        if shape.checked_count()? != numbers.len() {
            bail!(
                Shape,
                "{} elements do not fill shape {shape}",
                numbers.len()
            );
        }
        let mut made = Tensor::empty(dtype, shape)?;
        let bytes = made.bytes_mut().unwrap_or_default();
        for (to, x) in bytes.iter_mut().zip(numbers) {
            *to = format.encode_wide(x);
        }
        Ok(made)
    }

    /// The same numbers as float32 where the elements are floats of one byte; other tensors themselves.
    pub fn widened(&self) -> Result<Tensor> {
        let Some(format) = self.dtype().float8() else {
            return Ok(self.clone());
        };
        let mut wide = Tensor::empty(DType::Float32, self.shape().clone())?;
        let elements = wide.as_mut_slice::<f32>()?.iter_mut();
        elements
            .zip(self.bytes())
            .for_each(|(to, byte)| *to = format.decode(*byte));
        Ok(wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(DType, u32, i32); 5] = [
        (DType::Float8E5M2, 2, 15),
        (DType::Float8E4M3FN, 3, 7),
        (DType::Float8E4M3FNUZ, 3, 8),
        (DType::Float8E4M3B11FNUZ, 3, 11),
        (DType::Float8E5M2FNUZ, 2, 16),
    ];

    fn format(dtype: DType) -> Float8 {
        dtype.float8().unwrap()
    }

    /// The number of a byte, digit by digit; `None` for NaN.
    fn plain(dtype: DType, digits: u32, bias: i32, byte: u8) -> Option<f64> {
        let sign = if byte & SIGN == 0 { 1.0 } else { -1.0 };
        let magnitude = byte & !SIGN;
        match dtype {
            DType::Float8E5M2 if magnitude > 0x7c => return None,
            DType::Float8E5M2 if magnitude == 0x7c => return Some(sign * f64::INFINITY),
            DType::Float8E4M3FN if magnitude == 0x7f => return None,
            DType::Float8E5M2 | DType::Float8E4M3FN => {}
            _ if byte == SIGN => return None,
            _ => {}
        }
        let exponent = i32::from(magnitude >> digits);
        let mut number = if exponent == 0 { 0.0 } else { 1.0 };
        for digit in 1..=digits {
            if magnitude >> (digits - digit) & 1 == 1 {
                number += 0.5f64.powi(digit as i32);
            }
        }
        Some(sign * number * 2f64.powi(exponent.max(1) - bias))
    }

    #[test]
    fn bytes_read_as_their_digits_say() {
        for (dtype, digits, bias) in ALL {
            for byte in 0..=u8::MAX {
                let got = f64::from(format(dtype).decode(byte));
                match plain(dtype, digits, bias, byte) {
                    Some(x) => assert_eq!(got.to_bits(), x.to_bits(), "{dtype} {byte:#x}"),
                    None => assert!(got.is_nan(), "{dtype} {byte:#x}"),
                }
                let back = format(dtype).encode(format(dtype).decode(byte));
                assert!(back == byte || got.is_nan(), "{dtype} {byte:#x}");
            }
        }
    }

    /// The byte of the nearest number by looking at all of them; the finite ones go on as if there were a next one.
    fn nearest(dtype: DType, digits: u32, bias: i32, x: f64) -> Option<u8> {
        let highest = (0..SIGN).rev().find(|&b| {
            let number = plain(dtype, digits, bias, b);
            number.is_some_and(f64::is_finite)
        });
        let highest = highest?;
        let at = |b: u8| plain(dtype, digits, bias, b).filter(|n| n.is_finite());
        let step = at(highest)? - at(highest - 1)?;
        let next = at(highest)? + step;
        let x = x.clamp(-next, next);
        let mut best = (f64::INFINITY, 0u8);
        for b in 0..=highest + 1 {
            let number = if b > highest { next } else { at(b)? };
            let off = (x.abs() - number).abs();
            if off < best.0 || (off == best.0 && b % 2 == 0) {
                best = (off, b);
            }
        }
        let has_minus_zero = matches!(dtype, DType::Float8E5M2 | DType::Float8E4M3FN);
        let overflows = best.1 > highest;
        match (overflows, has_minus_zero) {
            (true, false) => Some(SIGN),
            (true, true) => Some(if x < 0.0 { SIGN } else { 0 } | (highest + 1)),
            (false, false) if best.1 == 0 => Some(0),
            (false, _) => Some(if x.is_sign_negative() { SIGN } else { 0 } | best.1),
        }
    }

    #[test]
    fn numbers_are_rounded_once_to_the_nearest() {
        for (dtype, digits, bias) in ALL {
            let mut numbers = vec![f64::INFINITY, 1e300, 1e-300, f64::from(f32::MAX), 5e-324];
            for byte in 0..SIGN {
                let x = f64::from(format(dtype).decode(byte));
                let next = f64::from(format(dtype).decode((byte + 1) & !SIGN));
                for middle in [x, (x + next) / 2.0, x + 0.3 * (next - x), 1.1 * x] {
                    let near = [0.0, 1e-16, -1e-16, 3e-8, -3e-8].map(|d| middle * (1.0 + 2.0 * d));
                    numbers.extend(near);
                }
            }
            let finite = numbers.into_iter().filter(|x| !x.is_nan());
            for x in finite.flat_map(|x| [x, -x]) {
                let wanted = nearest(dtype, digits, bias, x);
                let got = format(dtype).encode_wide(x);
                assert_eq!(Some(got), wanted, "{dtype} of {x:e}");
                let narrow = x as f32;
                let wanted = nearest(dtype, digits, bias, f64::from(narrow));
                assert_eq!(
                    Some(format(dtype).encode(narrow)),
                    wanted,
                    "{dtype} of {narrow:e}"
                );
            }
            let nan = format(dtype).encode(f32::NAN);
            assert!(format(dtype).decode(nan).is_nan(), "{dtype}");
        }
    }

    #[test]
    fn tensors_are_made_of_numbers_and_widened() {
        let numbers = [1.0, -2.5, 0.1, 1e9];
        let made = Tensor::of_float8(DType::Float8E5M2, [4].into(), numbers.into_iter()).unwrap();
        let wide = made.widened().unwrap();
        let elements = wide.as_slice::<f32>().unwrap();
        assert_eq!(elements, [1.0, -2.5, 0.093_75, f32::INFINITY]);
        assert!(Tensor::of_float8(DType::Int8, [4].into(), numbers.into_iter()).is_err());
        assert!(Tensor::of_float8(DType::Float8E5M2, [3].into(), numbers.into_iter()).is_err());
    }
}
