//! Functions of single strings.

use super::{char_len, made, map_strings};
use crate::attrs::attr_enum;
use crate::movement::indices_of;
use ferrograph_graph::{
    Inputs, Interpreter, Op, Runner, Specs, Tensors, declare, declared, evaluate,
};
use ferrograph_kernels::scratch::{collected, push};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Result, Tensor, TensorSpec, bail, broadcast_shapes, err, string_of,
};
use smallvec::smallvec;

declare! {
    trait EmitStringMap;

    /// Each of `input` without white space at its ends.
    StringStrip: string_strip(input: string) -> (output: string like input), gradient Stops, batch Broadcasts;

    /// How many bytes or characters each of `input` has.
    StringLength: string_length(input: string) -> (output: int32 like input), gradient Stops, batch Broadcasts {
        /// What is counted.
        unit: Unit = Unit::Byte,
    };

    /// From each of `input` as many bytes or characters as `len` says from place `pos` on, all broadcast; a negative
    /// place counts from the end.
    Substr: substr(input: string, pos: T in index, len: T) -> (output: string), gradient Stops, batch Broadcasts {
        /// What is counted.
        unit: Unit = Unit::Byte,
    };
}

attr_enum! {
    /// What lengths and places of strings count.
    Unit {
        /// Bytes.
        Byte = "BYTE",
        /// Characters of UTF-8.
        Char = "UTF8_CHAR",
    }
}

impl Op for StringStrip {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let strip = |s: &[u8]| string_of(trimmed(s));
        Ok(smallvec![map_strings(&inputs[0], strip)?])
    }
}

/// A string without white space at its ends, vertical tabs among it.
pub(super) fn trimmed(mut s: &[u8]) -> &[u8] {
    let space = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
    while let [first, rest @ ..] = s
        && space(first)
    {
        s = rest;
    }
    while let [rest @ .., last] = s
        && space(last)
    {
        s = rest;
    }
    s
}

/// Where each character begins, and the end of the string.
pub(super) fn starts(s: &[u8], unit: Unit) -> Vec<usize> {
    if unit == Unit::Byte {
        return collected(0..s.len() + 1);
    }
    let mut all = vec![0];
    let mut at = 0;
    while at < s.len() {
        at += char_len(&s[at..]);
        poll_cancellation();
        push(&mut all, at);
    }
    all
}

impl Op for StringLength {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let length = |s: &Bytes| {
            poll_cancellation();
            let n = match self.unit {
                Unit::Byte => s.len(),
                Unit::Char => starts(s, self.unit).len() - 1,
            };
            i32::try_from(n).unwrap_or(i32::MAX)
        };
        let lengths = collected(inputs[0].as_strings()?.iter().map(length));
        Ok(smallvec![Tensor::from_slice(
            inputs[0].shape().clone(),
            &lengths
        )?])
    }
}

impl Substr {
    fn cut<'a>(&self, s: &'a [u8], pos: i64, len: i64) -> Result<&'a [u8]> {
        let starts = starts(s, self.unit);
        let n = (starts.len() - 1) as i64;
        if pos < -n || pos > n {
            bail!(
                InvalidArgument,
                "pos {pos} is out of range for string \"{}\" of length {n}",
                s.escape_ascii()
            );
        }
        let from = if pos < 0 { pos + n } else { pos };
        let to = match (len < 0, self.unit) {
            (true, Unit::Byte) => n,
            (true, Unit::Char) => from,
            (false, _) => from.saturating_add(len).min(n),
        };
        Ok(&s[starts[from as usize]..starts[to as usize]])
    }
}

impl Op for Substr {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
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
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let shape = broadcast_shapes(inputs[0].shape(), inputs[1].shape())?;
        let spread: Vec<Tensor> = inputs
            .iter()
            .map(|t| broadcast(t, &shape))
            .collect::<Result<_>>()?;
        let (pos, len) = (indices_of(&spread[1])?, indices_of(&spread[2])?);
        let strings = spread[0]
            .as_strings()?
            .iter()
            .zip(pos.iter())
            .zip(len.iter());
        let cut = made(strings.map(|((s, pos), len)| string_of(self.cut(s, pos, len)?)))?;
        Ok(smallvec![Tensor::from_strings(shape, cut)?])
    }
}

/// A tensor broadcast to a shape.
pub(super) fn broadcast(t: &Tensor, shape: &[usize]) -> Result<Tensor> {
    if t.shape().dims() == shape {
        return Ok(t.clone());
    }
    let dims: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
    let spread = evaluate(
        &crate::BroadcastTo,
        &Interpreter,
        &[t.clone(), Tensor::vector(&dims)?],
    )?;
    let spread = spread.into_iter().next();
    spread.ok_or_else(|| err!(Internal, "nothing was broadcast"))
}
