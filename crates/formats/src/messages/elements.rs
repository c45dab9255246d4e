//! Tensors from and to their messages.

use super::{Dim, TensorProto, TensorShapeProto};
use crate::wire;
use ferrograph_tensor::{
    Bytes, Complex32, Complex64, DType, Element, MAX_RANK, Result, Shape, Tensor, bail, bf16, err,
    f16, string_of, vec_for,
};

impl TensorShapeProto {
    /// The message of a shape.
    pub fn of(shape: &[usize]) -> TensorShapeProto {
        let dim = |&size: &usize| Dim {
            size: i64::try_from(size).unwrap_or(i64::MAX),
            name: String::new(),
        };
        TensorShapeProto {
            dim: shape.iter().map(dim).collect(),
            unknown_rank: false,
        }
    }

    /// The shape; what is unknown is refused.
    ///
    /// # Errors
    /// `InvalidArgument` for negative sizes and more dimensions than a tensor has.
    pub fn to_shape(&self) -> Result<Shape> {
        if self.dim.len() > MAX_RANK {
            bail!(
                InvalidArgument,
                "a tensor of {} dimensions has more than {MAX_RANK}",
                self.dim.len()
            );
        }
        let size = |dim: &Dim| {
            usize::try_from(dim.size).map_err(|_| {
                err!(
                    InvalidArgument,
                    "a dimension of size {} is unknown",
                    dim.size
                )
            })
        };
        let dims: Vec<usize> = self.dim.iter().map(size).collect::<Result<_>>()?;
        Ok(Shape::from(&dims[..]))
    }
}

impl TensorProto {
    /// The message of a tensor, its elements as bytes but for strings.
    ///
    /// # Errors
    /// `Unimplemented` for objects, which are no data.
    pub fn of(tensor: &Tensor) -> Result<TensorProto> {
        let mut message = TensorProto {
            dtype: tensor.dtype().graphdef_code(),
            tensor_shape: Some(TensorShapeProto::of(tensor.shape())),
            ..TensorProto::default()
        };
        match tensor.dtype() {
            DType::String => {
                message.string_val = tensor.as_strings()?.iter().map(|s| s.to_vec()).collect();
            }
            dtype if dtype.is_dense() => {
                message.tensor_content = tensor.bytes().to_vec();
                to_little_endian(dtype, &mut message.tensor_content);
            }
            dtype => bail!(Unimplemented, "a tensor of {dtype} has no bytes"),
        }
        Ok(message)
    }

    /// The tensor of a message: of its bytes, or of the elements that are listed, of which the last one is repeated for
    /// all that follow, and zero where there is none.
    ///
    /// # Errors
    /// `InvalidArgument` for a dtype that is none and elements that do not fit, `ResourceExhausted` where there is no
    /// memory for the shape.
    pub fn to_tensor(&self) -> Result<Tensor> {
        let dtype =
            DType::from_graphdef_code(self.dtype).filter(|d| *d == DType::String || d.is_dense());
        let dtype = dtype.ok_or_else(|| {
            err!(
                InvalidArgument,
                "there are no tensors of dtype number {} in messages",
                self.dtype
            )
        })?;
        let shape = match &self.tensor_shape {
            Some(shape) => shape.to_shape()?,
            None => Shape::scalar(),
        };
        shape.checked_bytes(dtype)?;
        match self.tensor_content.is_empty() {
            true => self.of_list(dtype, shape),
            false => of_content(dtype, shape, &self.tensor_content),
        }
    }

    fn of_list(&self, dtype: DType, shape: Shape) -> Result<Tensor> {
        match dtype {
            DType::Bool => listed(shape, &self.bool_val, |v| *v),
            DType::Int8 => listed(shape, &self.int_val, |v| *v as i8),
            DType::Int16 => listed(shape, &self.int_val, |v| *v as i16),
            DType::Int32 => listed(shape, &self.int_val, |v| *v),
            DType::Int64 => listed(shape, &self.int64_val, |v| *v),
            DType::UInt8 => listed(shape, &self.int_val, |v| *v as u8),
            DType::UInt16 => listed(shape, &self.int_val, |v| *v as u16),
            DType::UInt32 => listed(shape, &self.uint32_val, |v| *v),
            DType::UInt64 => listed(shape, &self.uint64_val, |v| *v),
            DType::Float16 => listed(shape, &self.half_val, |v| f16::from_bits(*v as u16)),
            DType::BFloat16 => listed(shape, &self.half_val, |v| bf16::from_bits(*v as u16)),
            DType::Float32 => listed(shape, &self.float_val, |v| *v),
            DType::Float64 => listed(shape, &self.double_val, |v| *v),
            DType::Complex64 => {
                let (pairs, _) = self.scomplex_val.as_chunks::<2>();
                listed(shape, pairs, |v| Complex32::new(v[0], v[1]))
            }
            DType::Complex128 => {
                let (pairs, _) = self.dcomplex_val.as_chunks::<2>();
                listed(shape, pairs, |v| Complex64::new(v[0], v[1]))
            }
            DType::String => strings(shape, &self.string_val),
            DType::Float8E5M2
            | DType::Float8E4M3FN
            | DType::Float8E4M3FNUZ
            | DType::Float8E4M3B11FNUZ
            | DType::Float8E5M2FNUZ => bytes(dtype, shape, &self.float8_val),
            DType::Resource | DType::Variant => {
                bail!(
                    Unimplemented,
                    "a tensor of {dtype} has no elements in a message"
                )
            }
        }
    }
}

/// A tensor of all its elements as bytes.
pub(super) fn of_content(dtype: DType, shape: Shape, content: &[u8]) -> Result<Tensor> {
    if dtype == DType::String {
        let all = texts(content, shape.checked_count()?)?;
        let all = all.into_iter().map(string_of).collect::<Result<_>>()?;
        return Tensor::from_strings(shape, all);
    }
    let (wanted, got) = (shape.checked_bytes(dtype)?, content.len());
    if wanted != got {
        bail!(
            InvalidArgument,
            "a {dtype} tensor of shape {shape} has {wanted} bytes, tensor_content has {got}"
        );
    }
    let mut tensor = Tensor::empty(dtype, shape)?;
    let Some(bytes) = tensor.bytes_mut() else {
        bail!(Internal, "a new tensor is not shared");
    };
    bytes.copy_from_slice(content);
    to_little_endian(dtype, bytes);
    if dtype == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    Ok(tensor)
}

/// The texts in the contents of a tensor of so many: their lengths stand before them all.
pub(super) fn texts(mut content: &[u8], n: usize) -> Result<Vec<&[u8]>> {
    // Each has a length of a byte at least.
    if n > content.len() {
        bail!(
            InvalidArgument,
            "{n} texts take more than {} bytes",
            content.len()
        );
    }
    let lengths: Vec<u64> = (0..n)
        .map(|_| wire::varint(&mut content))
        .collect::<Result<_>>()?;
    let mut all = Vec::with_capacity(n);
    for length in lengths {
        let split = usize::try_from(length).ok();
        let split = split.and_then(|n| content.split_at_checked(n));
        let (text, rest) =
            split.ok_or_else(|| err!(InvalidArgument, "a text goes beyond its tensor"))?;
        all.push(text);
        content = rest;
    }
    match content.is_empty() {
        true => Ok(all),
        false => bail!(InvalidArgument, "{} bytes belong to no text", content.len()),
    }
}

/// A tensor of listed elements.
fn listed<S, T: Element + Default>(
    shape: Shape,
    list: &[S],
    of: impl Fn(&S) -> T,
) -> Result<Tensor> {
    let n = shape.n_elements();
    let mut all: Vec<T> = vec_for(n)?;
    all.extend(list.iter().take(n).map(of));
    all.resize(n, all.last().copied().unwrap_or_default());
    Tensor::from_slice(shape, &all)
}

/// A tensor of elements of one byte.
fn bytes(dtype: DType, shape: Shape, list: &[u8]) -> Result<Tensor> {
    let mut made = Tensor::empty(dtype, shape)?;
    let room = made.bytes_mut().unwrap_or_default();
    room.fill(list.last().copied().unwrap_or_default());
    room.iter_mut().zip(list).for_each(|(to, byte)| *to = *byte);
    Ok(made)
}

fn strings(shape: Shape, list: &[Vec<u8>]) -> Result<Tensor> {
    let n = shape.n_elements();
    let mut all: Vec<Bytes> = vec_for(n)?;
    for string in list.iter().take(n) {
        all.push(string_of(string)?);
    }
    let last = all.last().cloned().unwrap_or_else(|| Bytes::from(&[][..]));
    all.resize(n, last);
    Tensor::from_strings(shape, all)
}

/// Puts bytes of elements from this machine's order into the little-endian one of messages, or back.
pub(super) fn to_little_endian(dtype: DType, bytes: &mut [u8]) {
    let width = dtype.size() / if dtype.is_complex() { 2 } else { 1 };
    if cfg!(target_endian = "big") && width > 1 {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::damaged;
    use prost::Message;

    fn read(bytes: &[u8]) -> Result<Tensor> {
        let message = TensorProto::decode(bytes);
        message
            .map_err(|e| err!(InvalidArgument, "{e}"))?
            .to_tensor()
    }

    fn samples() -> Vec<Tensor> {
        let text: Bytes = Bytes::from(&b"ab"[..]);
        vec![
            Tensor::scalar(1.5f32).unwrap(),
            Tensor::vector(&[1i64, -2]).unwrap(),
            Tensor::from_slice([0, 3], &[] as &[f64]).unwrap(),
            Tensor::vector(&[true, false]).unwrap(),
            Tensor::vector(&[f16::ONE]).unwrap(),
            Tensor::vector(&[Complex32::new(1.0, 2.0)]).unwrap(),
            Tensor::from_strings(Shape::from([2]), vec![text.clone(), text]).unwrap(),
        ]
    }

    #[test]
    fn what_was_written_is_read() {
        for tensor in samples() {
            let back = read(&TensorProto::of(&tensor).unwrap().encode_to_vec()).unwrap();
            assert_eq!(back.spec(), tensor.spec());
            match tensor.dtype() {
                DType::String => {
                    assert_eq!(back.as_strings().unwrap(), tensor.as_strings().unwrap())
                }
                _ => assert_eq!(back.bytes(), tensor.bytes()),
            }
        }
    }

    #[test]
    fn the_last_element_stands_for_the_rest() {
        let mut message = TensorProto {
            dtype: 1,
            tensor_shape: Some(TensorShapeProto::of(&[4])),
            float_val: vec![1.0, 2.0],
            ..TensorProto::default()
        };
        let elements = |m: &TensorProto| m.to_tensor().unwrap().as_slice::<f32>().unwrap().to_vec();
        assert_eq!(elements(&message), [1.0, 2.0, 2.0, 2.0]);
        message.float_val = vec![1.0; 9];
        assert_eq!(elements(&message), [1.0; 4]);
        message.float_val.clear();
        assert_eq!(elements(&message), [0.0; 4]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let of = |dtype, dims: &[i64], content: &[u8]| TensorProto {
            dtype,
            tensor_shape: Some(TensorShapeProto {
                dim: dims
                    .iter()
                    .map(|&size| Dim {
                        size,
                        name: String::new(),
                    })
                    .collect(),
                unknown_rank: false,
            }),
            tensor_content: content.to_vec(),
            ..TensorProto::default()
        };
        for message in [
            of(1, &[2], b"1234"),
            of(1, &[-1], b""),
            of(0, &[1], b""),
            of(20, &[1], b""),
            of(1, &[1 << 40, 1 << 40], b""),
            of(1, &[1 << 50], b""),
            of(1, &[1; MAX_RANK + 1], b""),
        ] {
            assert!(message.to_tensor().is_err(), "{message:?}");
        }
    }

    #[test]
    fn damaged_messages_are_read_or_refused() {
        for tensor in samples() {
            let whole = TensorProto::of(&tensor).unwrap().encode_to_vec();
            damaged(&whole).for_each(|message| drop(read(&message)));
        }
    }
}
