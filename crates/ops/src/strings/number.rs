//! Numbers to strings and back.

use super::map::trimmed;
use super::{like_input, made};
use crate::format::{c_exponent, general, special};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    Bytes, Complex32, Complex64, DType, Result, Tensor, bail, bf16, err, f16, string_of,
    with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitStringNumber;

    /// Each of `input` as text.
    AsString: as_string(input: T in plain) -> (output: string), gradient Stops, batch Broadcasts {
        /// Digits behind the point, or significant ones for the shortest form; 6 where negative.
        precision: i64 = -1,
        /// Floats are written with an exponent.
        scientific: bool = false,
        /// Floats are written with an exponent where that is shorter.
        shortest: bool = false,
        /// How wide the text is at least; as wide as needed where negative.
        width: i64 = -1,
        /// What fills it up: nothing, space, `0`, `+` or `-`.
        fill: String = String::new(),
    };

    /// Each of `string_tensor` read as a number.
    StringToNumber: string_to_number(string_tensor: string) -> (output: out_type in real like string_tensor), gradient Stops, batch Broadcasts {
        /// What is read.
        out_type: DType = DType::Float32,
    };
}

trait Written: Copy {
    fn text(self, how: &AsString) -> String;
}

macro_rules! written_ints {
    ($signed:literal: $($t:ty)*) => { $(
        impl Written for $t {
            fn text(self, how: &AsString) -> String {
                how.filled(self.to_string(), $signed, true)
            }
        }
    )* };
}
written_ints!(true: i8 i16 i32 i64);
written_ints!(false: u8 u16 u32 u64);

macro_rules! written_floats {
    ($($t:ty)*) => { $(
        impl Written for $t {
            fn text(self, how: &AsString) -> String {
                how.float(num_traits::AsPrimitive::<f64>::as_(self))
            }
        }
    )* };
}
written_floats!(f16 bf16 f32 f64);

impl Written for bool {
    fn text(self, _how: &AsString) -> String {
        self.to_string()
    }
}

impl Written for Complex32 {
    fn text(self, how: &AsString) -> String {
        format!("({},{})", self.re.text(how), self.im.text(how))
    }
}

impl Written for Complex64 {
    fn text(self, how: &AsString) -> String {
        format!("({},{})", self.re.text(how), self.im.text(how))
    }
}

impl AsString {
    fn float(&self, x: f64) -> String {
        let digits = usize::try_from(self.precision).unwrap_or(6).min(1000);
        if let Some(text) = special(x) {
            return self.filled(text.to_owned(), true, false);
        }
        let text = if self.shortest {
            general(x, digits)
        } else if self.scientific {
            scientific(x, digits)
        } else {
            format!("{x:.digits$}")
        };
        self.filled(text, true, true)
    }

    /// A text as wide as is asked for: numbers that may be negative have a sign where that fills it, and only those of
    /// digits have zeros.
    fn filled(&self, mut text: String, is_signed: bool, has_digits: bool) -> String {
        if is_signed && matches!(self.fill.as_str(), "+" | " ") && !text.starts_with('-') {
            text.insert_str(0, &self.fill);
        }
        let width = usize::try_from(self.width).unwrap_or(0).min(1 << 20);
        let missing = width.saturating_sub(text.len());
        match self.fill.as_str() {
            "-" => text.extend(std::iter::repeat_n(' ', missing)),
            "0" if has_digits => {
                let at = usize::from(text.starts_with(['-', '+']));
                text.insert_str(at, &"0".repeat(missing));
            }
            _ => text.insert_str(0, &" ".repeat(missing)),
        }
        text
    }
}

/// A number with that many digits behind the point, and an exponent.
fn scientific(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            format!("{mantissa}e{}", c_exponent(exponent.parse().unwrap_or(0)))
        }
        None => text,
    }
}

impl Op for AsString {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = inputs.dtype(0);
        if self.scientific && self.shortest {
            bail!(Value, "scientific and shortest exclude each other");
        }
        if !matches!(self.fill.as_str(), "" | " " | "0" | "+" | "-") {
            bail!(
                Value,
                "fill must be one of \"\", \" \", \"0\", \"+\" and \"-\", got {:?}",
                self.fill
            );
        }
        if self.precision >= 0 && !(dtype.is_floating() || dtype.is_complex()) {
            bail!(Value, "precision is for floating point, not for {dtype}");
        }
        like_input(inputs, DType::String)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let t = &inputs[0];
        if t.dtype() == DType::String {
            return Ok(smallvec![t.clone()]);
        }
        let texts: Vec<Bytes> = with_element!(t.dtype(), dense, T => {
            made(t.as_slice::<T>()?.iter().map(|x| string_of(x.text(self).as_bytes())))?
        }, else => bail!(DType, "a {} cannot be written as a string", t.dtype()));
        Ok(smallvec![Tensor::from_strings(t.shape().clone(), texts)?])
    }
}

/// A number that text may represent.
trait Read: std::str::FromStr {
    /// The number of a form that the standard parser does not know.
    fn other(_text: &str) -> Option<Self> {
        None
    }
}

macro_rules! whole {
    ($($t:ty)*) => { $(impl Read for $t {})* };
}
whole!(i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16);

macro_rules! floating {
    ($($t:ty)*) => { $(
        impl Read for $t {
            #[allow(clippy::cast_possible_truncation)]
            fn other(text: &str) -> Option<$t> {
                hexadecimal(text).map(|x| x as $t).or_else(|| quiet(text).then_some(<$t>::NAN))
            }
        }
    )* };
}
floating!(f32 f64);

/// Whether a text is a NaN with a payload: `nan(…)`.
fn quiet(text: &str) -> bool {
    let text = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    text.strip_prefix("nan(")
        .is_some_and(|rest| rest.ends_with(')'))
}

/// A number of the form `0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))?;
    let (digits, exponent) = match digits.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    if before.is_empty() && behind.is_empty() {
        return None;
    }
    // Beyond 2^60 a digit counts only by not being zero, and by the place that it takes.
    let (mut value, mut dropped) = (0u64, 0i32);
    for digit in before.chars().chain(behind.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if value >> 60 == 0 {
            value = value << 4 | digit;
        } else {
            (value, dropped) = (value | u64::from(digit != 0), dropped + 4);
        }
    }
    let places = i32::try_from(behind.len()).ok()?.checked_mul(4)?;
    let scale = exponent.checked_add(dropped)?.checked_sub(places)?;
    #[allow(clippy::cast_precision_loss)]
    let size = value as f64 * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2);
    Some(if negative { -size } else { size })
}

fn read<T: Read>(s: &[u8]) -> Result<T> {
    let text = std::str::from_utf8(trimmed(s)).ok();
    let number = text.and_then(|s| s.parse().ok().or_else(|| T::other(s)));
    number.ok_or_else(|| {
        err!(
            InvalidArgument,
            "\"{}\" is no {}",
            s.escape_ascii(),
            std::any::type_name::<T>()
        )
    })
}

impl Op for StringToNumber {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let strings = inputs[0].as_strings()?;
        let shape = inputs[0].shape().clone();
        let out = with_element!(self.out_type, real, T => {
            let numbers: Vec<T> = strings.iter().map(|s| read::<T>(s)).collect::<Result<_>>()?;
            Tensor::from_slice(shape, &numbers)?
        }, else => bail!(DType, "a string cannot be read as {}", self.out_type));
        Ok(smallvec![out])
    }
}
