//! The text of tensors: as printed, and as errors quote them.

use ferrograph_tensor::{DType, Element, Result, Tensor, err, with_element};
use std::fmt::Write;

/// The text of one element.
pub(crate) trait Text {
    /// Appends it.
    fn write(&self, out: &mut String);
}

macro_rules! plain_text {
    ($($t:ty)*) => { $(
        impl Text for $t {
            fn write(&self, out: &mut String) {
                let _ = write!(out, "{self}");
            }
        }
    )* };
}
plain_text!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Text for bool {
    fn write(&self, out: &mut String) {
        out.push(if *self { '1' } else { '0' });
    }
}

impl Text for f64 {
    fn write(&self, out: &mut String) {
        let short = general(*self, 15);
        let exact = short.parse::<f64>().is_ok_and(|x| x == *self) || !self.is_finite();
        out.push_str(&if exact { short } else { general(*self, 17) });
    }
}

impl Text for f32 {
    fn write(&self, out: &mut String) {
        let wide = f64::from(*self);
        let short = general(wide, 6);
        let exact = short.parse::<f32>().is_ok_and(|x| x == *self) || !self.is_finite();
        out.push_str(&if exact { short } else { general(wide, 9) });
    }
}

impl Text for half::f16 {
    fn write(&self, out: &mut String) {
        self.to_f32().write(out);
    }
}

impl Text for half::bf16 {
    fn write(&self, out: &mut String) {
        self.to_f32().write(out);
    }
}

impl<T: Text> Text for num_complex::Complex<T> {
    fn write(&self, out: &mut String) {
        out.push('(');
        self.re.write(out);
        out.push(',');
        self.im.write(out);
        out.push(')');
    }
}

/// A string in quotes, with what would break it escaped.
pub(crate) struct Quoted<'a>(pub &'a [u8]);

impl Text for Quoted<'_> {
    fn write(&self, out: &mut String) {
        out.push('"');
        escape(self.0, out);
        out.push('"');
    }
}

/// Appends text with control characters, quotes and backslashes escaped.
fn escape(bytes: &[u8], out: &mut String) {
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

/// A number in at most `digits` significant digits without trailing zeros, in scientific notation where the exponent
/// is below -4 or not below `digits`: what C calls `%.{digits}g`.
pub(crate) fn general(x: f64, digits: usize) -> String {
    if let Some(special) = special(x) {
        return special.to_owned();
    }
    let digits = digits.max(1);
    let scientific = format!("{:.*e}", digits - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        return format!("{}e{}", trimmed(mantissa), c_exponent(exponent));
    }
    let places = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{x:.places$}")).to_owned()
}

/// The text of a number that is not finite.
pub(crate) fn special(x: f64) -> Option<&'static str> {
    match x {
        x if x.is_nan() => Some("nan"),
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        _ => None,
    }
}

/// An exponent of ten with its sign and two digits at least.
pub(crate) fn c_exponent(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.abs())
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

/// The text of a tensor as printed: nested brackets, a line a row, all but `summarize` elements at each end of an
/// axis elided; all shown where it is negative.
pub(crate) fn summary(t: &Tensor, summarize: i64) -> Result<String> {
    let ends = usize::try_from(summarize).unwrap_or(usize::MAX);
    let mut out = String::new();
    if t.dtype() == DType::String {
        let elements = t.as_strings()?;
        Layout::new(t, ends).write(&|i, out| Quoted(&elements[i]).write(out), &mut out);
        return Ok(out);
    }
    let t = &t.widened()?;
    with_element!(t.dtype(), dense, T => dense::<T>(t, ends, &mut out)?,
        else => { let _ = write!(out, "<{}>", t.dtype()); });
    Ok(out)
}

fn dense<T: Element + Text>(t: &Tensor, ends: usize, out: &mut String) -> Result<()> {
    let elements = t.as_slice::<T>()?;
    Layout::new(t, ends).write(&|i, out| elements[i].write(out), out);
    Ok(())
}

struct Layout<'a> {
    dims: &'a [usize],
    ends: usize,
}

type Element1<'a> = dyn Fn(usize, &mut String) + 'a;

impl<'a> Layout<'a> {
    fn new(t: &'a Tensor, ends: usize) -> Layout<'a> {
        Layout {
            dims: t.shape(),
            ends,
        }
    }

    fn write(&self, element: &Element1<'_>, out: &mut String) {
        self.axis(0, 0, element, out);
    }

    fn axis(&self, axis: usize, base: usize, element: &Element1<'_>, out: &mut String) {
        let Some(&n) = self.dims.get(axis) else {
            element(base, out);
            return;
        };
        let step: usize = self.dims[axis + 1..].iter().product();
        let tail = n.saturating_sub(self.ends).max(self.ends);
        out.push('[');
        let mut i = 0;
        while i < n {
            if i > 0 {
                self.space(axis, out);
            }
            if i >= self.ends && i < tail {
                out.push_str("...");
                i = tail;
                continue;
            }
            self.axis(axis + 1, base + i * step, element, out);
            i += 1;
        }
        out.push(']');
    }

    fn space(&self, axis: usize, out: &mut String) {
        let inner = self.dims.len() - axis - 1;
        if inner == 0 {
            out.push(' ');
            return;
        }
        out.extend(std::iter::repeat_n('\n', inner));
        out.extend(std::iter::repeat_n(' ', axis + 1));
    }
}

/// The text of a tensor as errors quote it: in brackets, on one line, the first `limit` elements, strings bare.
pub(crate) fn quote(t: &Tensor, limit: usize) -> Result<String> {
    let mut texts: Vec<String> = Vec::new();
    let shown = t.n_elements().min(limit);
    if t.dtype() == DType::String {
        let bare = |s: &ferrograph_tensor::Bytes| {
            let mut text = String::new();
            escape(s, &mut text);
            text
        };
        texts.extend(t.as_strings()?[..shown].iter().map(bare));
    } else {
        let t = t.widened()?;
        with_element!(t.dtype(), dense, T => {
            for x in &t.as_slice::<T>()?[..shown] {
                let mut text = String::new();
                x.write(&mut text);
                texts.push(text);
            }
        }, else => return Err(err!(DType, "a {} has no text", t.dtype())));
    }
    let mut out = String::from("[");
    rows(t.shape(), &mut texts.into_iter(), &mut out);
    if shown < t.n_elements() {
        out.push_str("...");
    }
    out.push(']');
    Ok(out)
}

/// Appends elements row by row, inner rows in brackets, as long as there are any.
fn rows(dims: &[usize], texts: &mut std::vec::IntoIter<String>, out: &mut String) {
    match dims {
        [] => out.extend(texts.next()),
        [n] => {
            let row: Vec<String> = texts.take(*n).collect();
            out.push_str(&row.join(" "));
        }
        [n, rest @ ..] => {
            for _ in 0..*n {
                if texts.len() == 0 {
                    return;
                }
                out.push('[');
                rows(rest, texts, out);
                out.push(']');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(n: i32) -> Tensor {
        Tensor::vector(&(0..n).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn elements_between_the_ends_are_elided() {
        assert_eq!(summary(&vector(10), 2).unwrap(), "[0 1 ... 8 9]");
        assert_eq!(summary(&vector(4), -1).unwrap(), "[0 1 2 3]");
        assert_eq!(summary(&vector(6), 3).unwrap(), "[0 1 2 3 4 5]");
        assert_eq!(summary(&vector(7), 3).unwrap(), "[0 1 2 ... 4 5 6]");
        assert_eq!(summary(&vector(0), 3).unwrap(), "[]");
    }

    #[test]
    fn rows_stand_below_each_other() {
        let t = Tensor::from_slice([2, 2], &[1.5f32, 2.0, 3.25, 4.0]).unwrap();
        assert_eq!(summary(&t, 3).unwrap(), "[[1.5 2]\n [3.25 4]]");
        let t = Tensor::from_slice([2, 1, 2], &[1u8, 2, 3, 4]).unwrap();
        assert_eq!(summary(&t, 3).unwrap(), "[[[1 2]]\n\n [[3 4]]]");
    }

    #[test]
    fn strings_are_quoted_and_escaped() {
        let t = Tensor::from_strings(
            [2].into(),
            vec![b"a".as_slice().into(), b"b\"\n".as_slice().into()],
        );
        assert_eq!(summary(&t.unwrap(), 3).unwrap(), "[\"a\" \"b\\\"\\n\"]");
    }

    #[test]
    fn floats_show_the_digits_that_tell_them_apart() {
        let text = |x: f32| summary(&Tensor::scalar(x).unwrap(), 3).unwrap();
        assert_eq!(text(1.0 / 3.0), "0.333333343");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(2.0), "2");
        assert_eq!(text(1e10), "1e+10");
        assert_eq!(text(-1e-7), "-1e-07");
        assert_eq!(text(f32::NAN), "nan");
        assert_eq!(text(-0.0), "-0");
        assert_eq!(general(123_456.0, 6), "123456");
        assert_eq!(general(1_234_567.0, 6), "1.23457e+06");
        assert_eq!(general(0.0001, 6), "0.0001");
    }

    #[test]
    fn errors_quote_on_one_line() {
        let t = Tensor::from_slice([2, 2], &[1i32, 2, 3, 4]).unwrap();
        assert_eq!(quote(&t, 10).unwrap(), "[[1 2][3 4]]");
        assert_eq!(quote(&t, 3).unwrap(), "[[1 2][3]...]");
        assert_eq!(quote(&Tensor::scalar(-1i32).unwrap(), 3).unwrap(), "[-1]");
    }
}
