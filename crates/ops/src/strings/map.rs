//! Functions of single strings.

use super::{char_len, like_input, map_strings};
use crate::args::checked;
use crate::movement::Ints;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Inputs, Op, Registry, Runner, Specs, Tensors,
    op_object,
};
use ferrograph_tensor::{Bytes, DType, Result, Tensor, TensorSpec, bail, broadcast_shapes, err};
use smallvec::smallvec;
use std::sync::Arc;

/// Each string in upper or lower case: ASCII letters only, or all of UTF-8.
#[derive(Debug)]
pub struct StringCase {
    /// Upper rather than lower.
    pub upper: bool,
    /// Whether the strings are UTF-8.
    pub utf8: bool,
}

impl Op for StringCase {
    op_object!();
    fn name(&self) -> &'static str {
        if self.upper {
            "StringUpper"
        } else {
            "StringLower"
        }
    }
    fn attrs(&self) -> Attrs {
        let encoding = if self.utf8 { "utf-8" } else { "" };
        Attrs::new().with("encoding", Attr::str(encoding))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        like_input(inputs, DType::String)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let change = |s: &[u8]| -> Result<Bytes> {
            if !self.utf8 {
                let ascii = if self.upper {
                    s.to_ascii_uppercase()
                } else {
                    s.to_ascii_lowercase()
                };
                return Ok(ascii.into());
            }
            let text = std::str::from_utf8(s)
                .map_err(|_| err!(InvalidArgument, "\"{}\" is not UTF-8", s.escape_ascii()))?;
            let text = if self.upper {
                text.to_uppercase()
            } else {
                text.to_lowercase()
            };
            Ok(text.into_bytes().into())
        };
        Ok(smallvec![map_strings(&inputs[0], change)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Each string without white space at its ends.
#[derive(Debug)]
pub struct StringStrip;

impl Op for StringStrip {
    op_object!();
    fn name(&self) -> &'static str {
        "StringStrip"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        like_input(inputs, DType::String)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let strip = |s: &[u8]| Ok(s.trim_ascii().into());
        Ok(smallvec![map_strings(&inputs[0], strip)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn unit_attr(chars: bool) -> Attrs {
    Attrs::new().with("unit", Attr::str(if chars { "UTF8_CHAR" } else { "BYTE" }))
}

fn counts_chars(a: &AttrReader<'_>) -> Result<bool> {
    match a.str_or("unit", "BYTE")?.as_str() {
        "BYTE" => Ok(false),
        "UTF8_CHAR" => Ok(true),
        other => Err(err!(Value, "unit must be BYTE or UTF8_CHAR, got {other:?}")),
    }
}

/// Where each character begins, and the end of the string.
fn starts(s: &[u8], chars: bool) -> Vec<usize> {
    if !chars {
        return (0..=s.len()).collect();
    }
    let mut all = vec![0];
    let mut at = 0;
    while at < s.len() {
        at += char_len(&s[at..]);
        all.push(at);
    }
    all
}

/// How many bytes or characters each string has.
#[derive(Debug)]
pub struct StringLength {
    /// Characters of UTF-8 rather than bytes.
    pub chars: bool,
}

impl Op for StringLength {
    op_object!();
    fn name(&self) -> &'static str {
        "StringLength"
    }
    fn attrs(&self) -> Attrs {
        unit_attr(self.chars)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        like_input(inputs, DType::Int32)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let length = |s: &Bytes| {
            let n = if self.chars {
                starts(s, true).len() - 1
            } else {
                s.len()
            };
            i32::try_from(n).unwrap_or(i32::MAX)
        };
        let lengths: Vec<i32> = inputs[0].as_strings()?.iter().map(length).collect();
        Ok(smallvec![Tensor::from_slice(
            inputs[0].shape().clone(),
            &lengths
        )?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// From each string of input 0 as many bytes or characters as input 2 says from place input 1 on, all broadcast; a
/// negative place counts from the end.
#[derive(Debug)]
pub struct Substr {
    /// Characters of UTF-8 rather than bytes.
    pub chars: bool,
}

impl Substr {
    fn cut<'a>(&self, s: &'a [u8], pos: i64, len: i64) -> Result<&'a [u8]> {
        let starts = starts(s, self.chars);
        let n = (starts.len() - 1) as i64;
        if pos < -n || pos > n {
            bail!(
                InvalidArgument,
                "pos {pos} is out of range for string \"{}\" of length {n}",
                s.escape_ascii()
            );
        }
        if len < 0 {
            bail!(InvalidArgument, "len must not be negative, got {len}");
        }
        let from = if pos < 0 { pos + n } else { pos };
        let to = from.saturating_add(len).min(n);
        Ok(&s[starts[from as usize]..starts[to as usize]])
    }
}

impl Op for Substr {
    op_object!();
    fn name(&self) -> &'static str {
        "Substr"
    }
    fn attrs(&self) -> Attrs {
        unit_attr(self.chars)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        inputs.expect_dtype(0, DType::String)?;
        crate::args::expect_index(inputs, 1, "pos")?;
        inputs.same_dtype(1, 2)?;
        if !inputs.shape(1).is_compatible(inputs.shape(2)) {
            bail!(
                Shape,
                "pos and len must have the same shape, got {} and {}",
                inputs.shape(1),
                inputs.shape(2)
            );
        }
        let shape = inputs.shape(0).broadcast(inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let shape = broadcast_shapes(inputs[0].shape(), inputs[1].shape())?;
        let spread: Vec<Tensor> = inputs
            .iter()
            .map(|t| broadcast(t, &shape))
            .collect::<Result<_>>()?;
        let (pos, len) = (Ints::of(&spread[1])?, Ints::of(&spread[2])?);
        let strings = spread[0]
            .as_strings()?
            .iter()
            .zip(pos.iter())
            .zip(len.iter());
        let cut = strings
            .map(|((s, pos), len)| Ok(Bytes::from(self.cut(s, pos, len)?)))
            .collect::<Result<_>>()?;
        Ok(smallvec![Tensor::from_strings(shape, cut)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// A tensor broadcast to a shape.
pub(super) fn broadcast(t: &Tensor, shape: &[usize]) -> Result<Tensor> {
    if t.shape().dims() == shape {
        return Ok(t.clone());
    }
    let dims: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
    let spread = crate::movement::eval(&crate::BroadcastTo, &[t.clone(), Tensor::vector(&dims)?])?;
    let spread = spread.into_iter().next();
    spread.ok_or_else(|| err!(Internal, "nothing was broadcast"))
}

fn is_utf8(a: &AttrReader<'_>) -> Result<bool> {
    match a.str_or("encoding", "")?.as_str() {
        "" => Ok(false),
        "utf-8" => Ok(true),
        other => Err(err!(
            Value,
            "encoding must be \"\" or \"utf-8\", got {other:?}"
        )),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add("StringUpper", |a| {
        Ok(Arc::new(StringCase {
            upper: true,
            utf8: is_utf8(a)?,
        }))
    });
    r.add("StringLower", |a| {
        Ok(Arc::new(StringCase {
            upper: false,
            utf8: is_utf8(a)?,
        }))
    });
    r.add("StringStrip", |_| Ok(Arc::new(StringStrip)));
    r.add("StringLength", |a| {
        Ok(Arc::new(StringLength {
            chars: counts_chars(a)?,
        }))
    });
    r.add("Substr", |a| {
        Ok(Arc::new(Substr {
            chars: counts_chars(a)?,
        }))
    });
}
