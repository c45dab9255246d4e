//! What is printed as JSON.

use super::Failure;
use crate::error::Error;
use crate::function::Function;
use crate::model::{Model, Variable};
use crate::signature::{Outputs, Signature};
use crate::trace::{TensorInfo, Trace};
use crate::value::Value;
use ferrograph_files::base64;
use ferrograph_tensor::{Bytes, Complex32, Complex64, DType, bf16, f16, with_element};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// The number of the form that is documented in docs/guide/saved-models.md.
pub(super) const SCHEMA: u32 = 1;

fn tensors(all: &[TensorInfo]) -> Json {
    let tensor =
        |t: &TensorInfo| json!({"name": t.name(), "dtype": t.dtype().name(), "shape": t.shape()});
    all.iter().map(tensor).collect()
}

fn signature(signature: &Signature<'_>) -> Json {
    json!({
        "name": signature.name(),
        "inputs": tensors(signature.inputs()),
        "outputs": tensors(signature.outputs()),
    })
}

fn function(function: &Function<'_>) -> Json {
    let calls = function.signatures();
    let trace = |(trace, call): (&Trace, &String)| {
        json!({
            "name": trace.name(),
            "call": call,
            "inputs": tensors(trace.inputs()),
            "outputs": tensors(trace.outputs()),
        })
    };
    let traces: Vec<Json> = function.traces().zip(&calls).map(trace).collect();
    json!({"name": function.name(), "traces": traces})
}

/// What a model holds.
pub(super) fn model(model: &Model) -> Json {
    let variables = model.variables();
    let variable = |(path, v): (&str, &Variable<'_>)| json!({"path": path, "name": v.name(), "dtype": v.dtype().name(), "shape": v.shape()});
    let object = |(path, kind): (&str, String)| json!({"path": path, "kind": kind});
    json!({
        "schema": SCHEMA,
        "tags": model.tags(),
        "signatures": model.signatures().iter().map(signature).collect::<Vec<_>>(),
        "functions": model.functions().iter().map(function).collect::<Vec<_>>(),
        "variables": variables.iter().map(variable).collect::<Vec<_>>(),
        "objects": model.objects().map(object).collect::<Vec<_>>(),
    })
}

/// The graph of a signature or function.
pub(super) fn graph(name: &str, text: &str) -> Json {
    json!({"schema": SCHEMA, "name": name, "graph": text})
}

/// Writes what a signature gave, value by value.
pub(super) fn write_outputs(
    signature: &str,
    found: &Outputs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let signature = Json::from(signature);
    write!(
        out,
        "{{\"schema\":{SCHEMA},\"signature\":{signature},\"outputs\":{{"
    )?;
    for (i, (name, value)) in found.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let (name, shape) = (Json::from(name), Json::from(value.shape()));
        let dtype = value.dtype();
        write!(
            out,
            "{comma}{name}:{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"value\":"
        )?;
        write_value(value, out)?;
        out.write_all(b"}")?;
    }
    Ok(out.write_all(b"}}\n")?)
}

/// Writes the elements of a value as nested lists, a scalar as itself; null for what is neither numbers nor strings.
fn write_value(value: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    let value = value.widened()?;
    let (tensor, dims) = (&value.0, value.shape());
    with_element!(value.dtype(), dense, T => {
        let elements = tensor.as_slice::<T>().map_err(Error::from)?;
        nested(dims, &mut elements.iter(), out)?;
    }, else => match value.dtype() {
        DType::String => {
            let elements = tensor.as_strings().map_err(Error::from)?;
            nested(dims, &mut elements.iter(), out)?;
        }
        _ => out.write_all(b"null")?,
    });
    Ok(())
}

fn nested<'a, T: Element + 'a>(
    dims: &[usize],
    elements: &mut dyn Iterator<Item = &'a T>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some((&length, inner)) = dims.split_first() else {
        return elements.next().map_or(Ok(()), |element| element.write(out));
    };
    out.write_all(b"[")?;
    for i in 0..length {
        if i > 0 {
            out.write_all(b",")?;
        }
        nested(inner, elements, out)?;
    }
    out.write_all(b"]")
}

/// What is an element of a value.
trait Element {
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

macro_rules! as_displayed {
    ($($T:ty),*) => { $(
        impl Element for $T {
            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                write!(out, "{self}")
            }
        }
    )* };
}

as_displayed!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($T:ty),*) => { $(
        impl Element for $T {
            /// The fewest digits that read as the same number.
            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                if self.is_finite() {
                    write!(out, "{self:?}")
                } else if self.is_nan() {
                    out.write_all(b"\"NaN\"")
                } else if *self > 0.0 {
                    out.write_all(b"\"Infinity\"")
                } else {
                    out.write_all(b"\"-Infinity\"")
                }
            }
        }
    )* };
}

floats!(f32, f64);

macro_rules! halves {
    ($($T:ty),*) => { $(
        impl Element for $T {
            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                self.to_f32().write(out)
            }
        }
    )* };
}

halves!(f16, bf16);

macro_rules! pairs {
    ($($T:ty),*) => { $(
        impl Element for $T {
            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(b"[")?;
                self.re.write(out)?;
                out.write_all(b",")?;
                self.im.write(out)?;
                out.write_all(b"]")
            }
        }
    )* };
}

pairs!(Complex32, Complex64);

impl Element for Bytes {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match std::str::from_utf8(self) {
            Ok(text) => write!(out, "{}", Json::from(text)),
            Err(_) => write!(out, "{{\"b64\":\"{}\"}}", base64::encode(self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::IntoValue;
    use ndarray::{Array2, array};

    fn written(array: impl IntoValue) -> String {
        let mut out = Vec::new();
        let written = write_value(&array.into_value().unwrap(), &mut out);
        assert!(written.is_ok());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_written_with_the_digits_that_they_need() {
        assert_eq!(written(0.1f32), "0.1");
        assert_eq!(written(array![1.0f64, -0.0, 1e300]), "[1.0,-0.0,1e300]");
        assert_eq!(written(array![u64::MAX, 0]), "[18446744073709551615,0]");
        assert_eq!(written(array![[true], [false]]), "[[true],[false]]");
        assert_eq!(written(f16::from_f32(1.5)), "1.5");
        assert_eq!(written(Complex64::new(0.5, f64::NAN)), "[0.5,\"NaN\"]");
        let beyond = array![f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        assert_eq!(written(beyond), "[\"NaN\",\"Infinity\",\"-Infinity\"]");
        assert_eq!(written(Array2::<i32>::zeros((2, 0))), "[[],[]]");
    }

    #[test]
    fn strings_that_are_no_text_are_base64() {
        let strings = array![b"a\"\n\xc3\xa9".to_vec(), b"\xff\0".to_vec()];
        assert_eq!(written(strings), "[\"a\\\"\\né\",{\"b64\":\"/wA=\"}]");
    }
}
