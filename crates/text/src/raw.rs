//! The bytes of strings as numbers.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    Bytes, DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err,
};
use smallvec::smallvec;

declare! {
    trait EmitRaw;

    /// The bytes of each of `bytes`, which are of one length, as numbers along a new last axis.
    DecodeRaw: decode_raw(bytes: string) -> (output: out_type in dense), gradient Stops, batch Leads(1) {
        /// The dtype of the numbers.
        out_type: DType,
        /// Whether the low byte of a number comes first.
        little_endian: bool = true,
    };

    /// As `DecodeRaw`, of strings that are cut, or filled up with zeros, to `fixed_length` bytes.
    DecodePaddedRaw: decode_padded_raw(input_bytes: string, fixed_length: int32 rank 0)
        -> (output: out_type in dense), gradient Stops, batch Leads(1) {
        /// The dtype of the numbers.
        out_type: DType,
        /// Whether the low byte of a number comes first.
        little_endian: bool = true,
    };
}

/// The shape of strings with the numbers of each behind.
fn with_numbers(inputs: &Inputs<'_>, out_type: DType, n: Dim) -> TensorSpec {
    let shape = match inputs.shape(0).dims() {
        None => PartialShape::UNKNOWN,
        Some(dims) => dims.iter().copied().chain([n]).collect(),
    };
    TensorSpec::new(out_type, shape)
}

/// How many numbers of that dtype so many bytes are.
fn numbers_in(bytes: usize, dtype: DType) -> Result<usize> {
    if !bytes.is_multiple_of(dtype.size()) {
        bail!(
            InvalidArgument,
            "{bytes} bytes are not a multiple of {}, the size of {dtype}",
            dtype.size()
        );
    }
    Ok(bytes / dtype.size())
}

/// Numbers out of strings of `length` bytes, cut or filled up with zeros.
fn numbers(strings: &Tensor, length: usize, dtype: DType, little: bool) -> Result<Tensor> {
    let n = numbers_in(length, dtype)?;
    let dims: Vec<usize> = strings.shape().iter().copied().chain([n]).collect();
    let mut out = Tensor::zeros(dtype, Shape::from(&dims[..]))?;
    let texts = strings.as_strings()?;
    let Some(all) = out.bytes_mut() else {
        return Err(err!(Internal, "a new tensor is not shared"));
    };
    if length > 0 {
        for (to, text) in all.chunks_exact_mut(length).zip(texts) {
            copied(to, text, dtype);
        }
    }
    // A complex number is two real ones.
    let width = dtype.size() / if dtype.is_complex() { 2 } else { 1 };
    if little != cfg!(target_endian = "little") && width > 1 {
        all.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    Ok(out)
}

/// Copies the bytes that fit; of truth values any byte but 0 is true.
fn copied(to: &mut [u8], text: &Bytes, dtype: DType) {
    let n = text.len().min(to.len());
    to[..n].copy_from_slice(&text[..n]);
    if dtype == DType::Bool {
        to.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
}

impl Op for DecodeRaw {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![with_numbers(inputs, self.out_type, Dim::UNKNOWN)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let texts = inputs[0].as_strings()?;
        let length = texts.first().map_or(0, |t| t.len());
        if let Some(i) = texts.iter().position(|t| t.len() != length) {
            bail!(
                InvalidArgument,
                "DecodeRaw requires input strings to all be the same size, but element {i} has {} bytes, the first {length}",
                texts[i].len()
            );
        }
        Ok(smallvec![numbers(
            &inputs[0],
            length,
            self.out_type,
            self.little_endian
        )?])
    }
}

impl Op for DecodePaddedRaw {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let length = inputs.ints(1).and_then(|v| v.first().copied());
        let n = match length {
            None => Dim::UNKNOWN,
            Some(length) => Dim::new(numbers_in(checked_length(length)?, self.out_type)?),
        };
        Ok(smallvec![with_numbers(inputs, self.out_type, n)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let length = checked_length(i64::from(inputs[1].item::<i32>()?))?;
        Ok(smallvec![numbers(
            &inputs[0],
            length,
            self.out_type,
            self.little_endian
        )?])
    }
}

fn checked_length(length: i64) -> Result<usize> {
    match usize::try_from(length) {
        Ok(length) if length > 0 => Ok(length),
        _ => bail!(
            InvalidArgument,
            "fixed_length must be greater than 0, got {length}"
        ),
    }
}
