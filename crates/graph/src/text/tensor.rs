//! Elements of tensors as text, exact to the bit.

use ferrograph_tensor::{Complex32, Complex64, bf16, f16};
use std::fmt::Write;

/// An element that prints and reads back.
pub(super) trait Exact: Sized {
    /// Appends the text.
    fn print(&self, out: &mut String);
    /// The element of that text: one word, or two for a complex number.
    fn parse(words: &[Word<'_>]) -> Option<Self>;
    /// How many words an element takes.
    const WORDS: usize = 1;
}

/// A word of an element: a number or name, or the bits of a NaN.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word<'a> {
    Text(&'a str),
    Nan(&'a str),
}

impl Exact for bool {
    fn print(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
    fn parse(words: &[Word<'_>]) -> Option<bool> {
        match words {
            [Word::Text(x)] => x.parse().ok(),
            _ => None,
        }
    }
}

macro_rules! exact_ints {
    ($($t:ty)*) => { $(
        impl Exact for $t {
            fn print(&self, out: &mut String) {
                let _ = write!(out, "{self}");
            }
            fn parse(words: &[Word<'_>]) -> Option<$t> {
                match words {
                    [Word::Text(x)] => x.parse().ok(),
                    _ => None,
                }
            }
        }
    )* };
}
exact_ints!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! exact_floats {
    ($($t:ty, $wide:ty, $bits:ty, $to:expr, $from:expr;)*) => { $(
        impl Exact for $t {
            fn print(&self, out: &mut String) {
                let wide: $wide = $to(*self);
                let _ = if wide.is_nan() {
                    write!(out, "nan {:#x}", self.to_bits())
                } else {
                    write!(out, "{wide:?}")
                };
            }
            fn parse(words: &[Word<'_>]) -> Option<$t> {
                match words {
                    [Word::Text(x)] => x.parse::<$wide>().ok().filter(|x| !x.is_nan()).map($from),
                    [Word::Nan(x)] => {
                        let bits = <$bits>::from_str_radix(x.strip_prefix("0x")?, 16).ok()?;
                        Some(<$t>::from_bits(bits)).filter(|x| x.is_nan())
                    }
                    _ => None,
                }
            }
        }
    )* };
}
exact_floats! {
    f32, f32, u32, |x| x, |x| x;
    f64, f64, u64, |x| x, |x| x;
    f16, f32, u16, f16::to_f32, f16::from_f32;
    bf16, f32, u16, bf16::to_f32, bf16::from_f32;
}

macro_rules! exact_complex {
    ($($t:ty, $part:ty;)*) => { $(
        impl Exact for $t {
            fn print(&self, out: &mut String) {
                out.push('(');
                self.re.print(out);
                out.push_str(", ");
                self.im.print(out);
                out.push(')');
            }
            fn parse(words: &[Word<'_>]) -> Option<$t> {
                let (re, im) = words.split_first()?;
                Some(<$t>::new(<$part>::parse(&[*re])?, <$part>::parse(im)?))
            }
            const WORDS: usize = 2;
        }
    )* };
}
exact_complex! {
    Complex32, f32;
    Complex64, f64;
}
