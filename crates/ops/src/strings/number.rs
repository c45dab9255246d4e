//! Numbers to strings and back.

use super::like_input;
use crate::args::checked;
use crate::format::{c_exponent, general, special};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Inputs, Op, Registry, Runner, Specs, Tensors,
    op_object,
};
use ferrograph_tensor::{
    Bytes, Complex32, Complex64, DType, Result, Tensor, TensorSpec, bail, bf16, err, f16,
    with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// How floats are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatForm {
    /// With a fixed number of digits behind the point.
    Fixed,
    /// With an exponent.
    Scientific,
    /// Whichever is shorter.
    Shortest,
}

/// Each number as text.
#[derive(Debug)]
pub struct AsString {
    /// Digits behind the point, or significant ones for the shortest form; 6 where negative.
    pub precision: i64,
    /// How floats are written.
    pub form: FloatForm,
    /// How wide the text is at least; as wide as needed where negative.
    pub width: i64,
    /// What fills it up: nothing, space, `0`, `+` or `-`.
    pub fill: String,
}

trait Written: Copy {
    fn text(self, how: &AsString) -> String;
}

macro_rules! written_ints {
    ($($t:ty)*) => { $(
        impl Written for $t {
            fn text(self, how: &AsString) -> String {
                how.filled(self.to_string())
            }
        }
    )* };
}
written_ints!(i8 i16 i32 i64 u8 u16 u32 u64);

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
    fn text(self, how: &AsString) -> String {
        how.filled(self.to_string())
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
            return self.filled(text.to_owned());
        }
        let text = match self.form {
            FloatForm::Fixed => format!("{x:.digits$}"),
            FloatForm::Shortest => general(x, digits),
            FloatForm::Scientific => {
                let text = format!("{x:.digits$e}");
                match text.split_once('e') {
                    Some((mantissa, exponent)) => {
                        format!("{mantissa}e{}", c_exponent(exponent.parse().unwrap_or(0)))
                    }
                    None => text,
                }
            }
        };
        self.filled(text)
    }

    fn filled(&self, mut text: String) -> String {
        if matches!(self.fill.as_str(), "+" | " ") && !text.starts_with('-') {
            text.insert_str(0, &self.fill);
        }
        let width = usize::try_from(self.width).unwrap_or(0).min(1 << 20);
        let missing = width.saturating_sub(text.len());
        match self.fill.as_str() {
            "-" => text.extend(std::iter::repeat_n(' ', missing)),
            "0" => {
                let at = usize::from(text.starts_with(['-', '+']));
                text.insert_str(at, &"0".repeat(missing));
            }
            _ => text.insert_str(0, &" ".repeat(missing)),
        }
        text
    }
}

impl Op for AsString {
    op_object!();
    fn name(&self) -> &'static str {
        "AsString"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("precision", Attr::Int(self.precision))
            .with("scientific", Attr::Bool(self.form == FloatForm::Scientific))
            .with("shortest", Attr::Bool(self.form == FloatForm::Shortest))
            .with("width", Attr::Int(self.width))
            .with("fill", Attr::str(&self.fill))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let dtype = inputs.dtype(0);
        if !dtype.is_dense() && dtype != DType::String {
            bail!(DType, "a {dtype} cannot be written as a string");
        }
        if self.precision >= 0 && !(dtype.is_floating() || dtype.is_complex()) {
            bail!(Value, "precision is for floating point, not for {dtype}");
        }
        Ok(smallvec![TensorSpec::new(
            DType::String,
            inputs.shape(0).clone()
        )])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let t = &inputs[0];
        if t.dtype() == DType::String {
            return Ok(smallvec![t.clone()]);
        }
        let texts: Vec<Bytes> = with_element!(t.dtype(), dense, T => {
            t.as_slice::<T>()?.iter().map(|x| x.text(self).into_bytes().into()).collect()
        }, else => bail!(DType, "a {} cannot be written as a string", t.dtype()));
        Ok(smallvec![Tensor::from_strings(t.shape().clone(), texts)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Each string read as a number.
#[derive(Debug)]
pub struct StringToNumber {
    /// What is read.
    pub out_type: DType,
}

fn read<T: std::str::FromStr>(s: &[u8]) -> Result<T> {
    let number = std::str::from_utf8(s)
        .ok()
        .and_then(|s| s.trim_ascii().parse().ok());
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
    op_object!();
    fn name(&self) -> &'static str {
        "StringToNumber"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_type", Attr::DType(self.out_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        if !(self.out_type.is_integer() || self.out_type.is_floating()) {
            bail!(DType, "a string cannot be read as {}", self.out_type);
        }
        like_input(inputs, self.out_type)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let strings = inputs[0].as_strings()?;
        let shape = inputs[0].shape().clone();
        let out = with_element!(self.out_type, real, T => {
            let numbers: Vec<T> = strings.iter().map(|s| read::<T>(s)).collect::<Result<_>>()?;
            Tensor::from_slice(shape, &numbers)?
        }, else => bail!(DType, "a string cannot be read as {}", self.out_type));
        Ok(smallvec![out])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn as_string(a: &AttrReader<'_>) -> Result<AsString> {
    let form = match (
        a.bool_or("scientific", false)?,
        a.bool_or("shortest", false)?,
    ) {
        (true, true) => bail!(Value, "scientific and shortest exclude each other"),
        (true, false) => FloatForm::Scientific,
        (false, true) => FloatForm::Shortest,
        (false, false) => FloatForm::Fixed,
    };
    let fill = a.str_or("fill", "")?;
    if !matches!(fill.as_str(), "" | " " | "0" | "+" | "-") {
        bail!(
            Value,
            "fill must be one of \"\", \" \", \"0\", \"+\" and \"-\", got {fill:?}"
        );
    }
    Ok(AsString {
        precision: a.int_or("precision", -1)?,
        form,
        width: a.int_or("width", -1)?,
        fill,
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add("AsString", |a| Ok(Arc::new(as_string(a)?)));
    r.add("StringToNumber", |a| {
        let out_type = match a.find("out_type") {
            Some(_) => a.dtype("out_type")?,
            None => DType::Float32,
        };
        Ok(Arc::new(StringToNumber { out_type }))
    });
}
