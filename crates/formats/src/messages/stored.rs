//! Tensors as messages whose elements are bytes, over bytes that are borrowed: what files of elements hold.
//!
//! A tensor of variants has a message for each of them, which names its kind and holds tensors.

use super::TensorProto;
use super::elements::{of_content, texts, to_little_endian};
use crate::wire::{self, Fields, Wire};
use ferrograph_tensor::{DType, Dims, MAX_RANK, Result, Shape, Tensor, bail, err};
use prost::Message;

/// The fields of the message of a tensor.
mod tensor {
    pub const DTYPE: u32 = 1;
    pub const SHAPE: u32 = 2;
    pub const VERSION: u32 = 3;
    pub const CONTENT: u32 = 4;
    pub const FIRST_LIST: u32 = 5;
    pub const VARIANTS: u32 = 15;
    pub const LAST_LIST: u32 = 18;
}

/// The fields of the message of a shape, and of one dimension.
mod shape {
    pub const DIMS: u32 = 2;
    pub const UNKNOWN_RANK: u32 = 3;
    pub const SIZE: u32 = 1;
}

/// The fields of the message of a variant.
mod variant {
    pub const KIND: u32 = 1;
    pub const METADATA: u32 = 2;
    pub const TENSORS: u32 = 3;
}

/// The message of a tensor.
#[derive(Debug)]
pub struct StoredTensor<'a> {
    whole: &'a [u8],
    dtype: i32,
    shape: Shape,
    content: &'a [u8],
    /// Variants that are listed one by one.
    variants: Vec<&'a [u8]>,
    /// Whether elements are listed in the field of their dtype.
    has_list: bool,
}

/// The message of one variant.
#[derive(Debug, Default)]
pub struct StoredVariant<'a> {
    /// What it is called.
    pub kind: &'a [u8],
    /// What its kind says of it.
    pub metadata: &'a [u8],
    /// The messages of its tensors.
    pub tensors: Vec<&'a [u8]>,
}

impl<'a> StoredTensor<'a> {
    /// What a message says, of whose elements nothing is read yet.
    ///
    /// # Errors
    /// `DataLoss` and `InvalidArgument` where it is no message of a tensor.
    pub fn read(message: &'a [u8]) -> Result<StoredTensor<'a>> {
        let mut found = StoredTensor {
            whole: message,
            dtype: 0,
            shape: Shape::scalar(),
            content: &[],
            variants: Vec::new(),
            has_list: false,
        };
        for field in Fields::new(message) {
            match field? {
                (tensor::DTYPE, Wire::Varint(code)) => {
                    found.dtype = i32::try_from(code).unwrap_or(0);
                }
                (tensor::SHAPE, Wire::Bytes(shape)) => found.shape = shape_of(shape)?,
                (tensor::VERSION, _) => {}
                (tensor::CONTENT, Wire::Bytes(content)) => found.content = content,
                (tensor::VARIANTS, Wire::Bytes(one)) => found.variants.push(one),
                (tensor::FIRST_LIST..=tensor::LAST_LIST, _) => found.has_list = true,
                _ => {}
            }
        }
        Ok(found)
    }

    /// The public number of the dtype.
    pub fn dtype(&self) -> i32 {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The tensor, of at most as many elements as its message has bytes.
    ///
    /// # Errors
    /// `Unimplemented` for a dtype without tensors here, `DataLoss` and `InvalidArgument` for elements that do not fit.
    pub fn tensor(&self) -> Result<Tensor> {
        let dtype = DType::from_graphdef_code(self.dtype);
        let Some(dtype) = dtype.filter(|d| *d == DType::String || d.is_dense()) else {
            bail!(
                Unimplemented,
                "there are no tensors of dtype number {} here",
                self.dtype
            );
        };
        let n = self.shape.checked_count()?;
        if n > self.whole.len() {
            bail!(
                DataLoss,
                "a tensor of {n} elements has {} bytes",
                self.whole.len()
            );
        }
        if n == 0 || !self.content.is_empty() {
            return of_content(dtype, self.shape.clone(), self.content);
        }
        if !self.has_list {
            bail!(DataLoss, "a tensor of {n} elements has none");
        }
        let message = TensorProto::decode(self.whole);
        message
            .map_err(|e| err!(DataLoss, "a tensor is malformed: {e}"))?
            .to_tensor()
    }

    /// The variants that are its elements.
    ///
    /// # Errors
    /// `DataLoss` and `InvalidArgument` where it is no whole tensor of variants.
    pub fn variants(&self) -> Result<Vec<StoredVariant<'a>>> {
        let n = self.shape.checked_count()?;
        if self.dtype != DType::Variant.graphdef_code() {
            bail!(DataLoss, "dtype number {} is no variant", self.dtype);
        }
        let messages = match self.variants.is_empty() {
            true => texts(self.content, n)?,
            false => self.variants.clone(),
        };
        if messages.len() != n {
            bail!(DataLoss, "of {n} variants there are {}", messages.len());
        }
        messages.into_iter().map(StoredVariant::read).collect()
    }
}

/// The shape that a message says.
fn shape_of(message: &[u8]) -> Result<Shape> {
    let mut dims = Dims::new();
    for field in Fields::new(message) {
        match field? {
            (shape::DIMS, Wire::Bytes(dim)) => dims.push(size_of(dim)?),
            (shape::UNKNOWN_RANK, Wire::Varint(1..)) => {
                bail!(DataLoss, "a tensor has a shape of unknown rank")
            }
            _ => {}
        }
    }
    if dims.len() > MAX_RANK {
        bail!(
            DataLoss,
            "a tensor of {} dimensions has more than {MAX_RANK}",
            dims.len()
        );
    }
    Ok(Shape::from(dims))
}

/// The size of one dimension.
fn size_of(dim: &[u8]) -> Result<usize> {
    let mut size = 0;
    for field in Fields::new(dim) {
        if let (shape::SIZE, Wire::Varint(n)) = field? {
            size = n;
        }
    }
    let fits = usize::try_from(size)
        .ok()
        .filter(|n| *n <= isize::MAX as usize);
    fits.ok_or_else(|| err!(DataLoss, "a dimension of size {size} is unknown"))
}

impl<'a> StoredVariant<'a> {
    fn read(message: &'a [u8]) -> Result<StoredVariant<'a>> {
        let mut found = StoredVariant::default();
        for field in Fields::new(message) {
            match field? {
                (variant::KIND, Wire::Bytes(kind)) => found.kind = kind,
                (variant::METADATA, Wire::Bytes(metadata)) => found.metadata = metadata,
                (variant::TENSORS, Wire::Bytes(tensor)) => found.tensors.push(tensor),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Appends the message of a tensor.
///
/// # Errors
/// `Unimplemented` for objects, which are no data.
pub fn put_tensor(tensor: &Tensor, to: &mut Vec<u8>) -> Result<()> {
    let dtype = tensor.dtype();
    match dtype {
        DType::String => {
            let all = tensor.as_strings()?;
            put_texts(dtype, tensor.shape(), all.iter().map(|text| &**text), to);
        }
        dtype if dtype.is_dense() => {
            put_head(dtype, tensor.shape(), tensor.bytes().len(), to);
            let start = to.len();
            to.extend_from_slice(tensor.bytes());
            to_little_endian(dtype, &mut to[start..]);
        }
        dtype => bail!(Unimplemented, "a tensor of {dtype} has no bytes"),
    }
    Ok(())
}

/// Appends the message of a tensor of these variants, each the message of one.
pub fn put_variants(shape: &[usize], all: &[Vec<u8>], to: &mut Vec<u8>) {
    put_texts(DType::Variant, shape, all.iter().map(|one| &one[..]), to);
}

/// The message of one variant: what it is called, what its kind says of it, and the messages of its tensors.
pub fn variant_message(kind: &str, metadata: &[u8], tensors: &[Vec<u8>]) -> Vec<u8> {
    let mut to = Vec::new();
    wire::put_bytes(variant::KIND, kind.as_bytes(), &mut to);
    if !metadata.is_empty() {
        wire::put_bytes(variant::METADATA, metadata, &mut to);
    }
    for tensor in tensors {
        wire::put_bytes(variant::TENSORS, tensor, &mut to);
    }
    to
}

fn put_texts<'a>(
    dtype: DType,
    shape: &[usize],
    all: impl Iterator<Item = &'a [u8]> + Clone,
    to: &mut Vec<u8>,
) {
    let size = |text: &[u8]| text.len() + wire::varint_size(text.len() as u64);
    put_head(dtype, shape, all.clone().map(size).sum(), to);
    all.clone()
        .for_each(|text| wire::put_varint(text.len() as u64, to));
    all.for_each(|text| to.extend_from_slice(text));
}

/// Appends the message of a tensor up to its contents of so many bytes.
fn put_head(dtype: DType, shape: &[usize], size: usize, to: &mut Vec<u8>) {
    wire::put_number(tensor::DTYPE, dtype.graphdef_code() as u64, to);
    // A size of 0 is left out, as the default that it is.
    let size_of = |n: usize| match n {
        0 => 0,
        n => 1 + wire::varint_size(n as u64),
    };
    wire::put_size(
        tensor::SHAPE,
        shape.iter().map(|&n| 2 + size_of(n)).sum(),
        to,
    );
    for &n in shape {
        wire::put_size(shape::DIMS, size_of(n), to);
        if n > 0 {
            wire::put_number(shape::SIZE, n as u64, to);
        }
    }
    if size > 0 {
        wire::put_size(tensor::CONTENT, size, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::damaged;
    use ferrograph_tensor::{Bytes, f16};

    fn put(tensor: &Tensor) -> Vec<u8> {
        let mut to = Vec::new();
        put_tensor(tensor, &mut to).unwrap();
        to
    }

    fn read(message: &[u8]) -> Result<Tensor> {
        StoredTensor::read(message)?.tensor()
    }

    fn samples() -> Vec<Tensor> {
        let texts = ["a", "", &"x".repeat(200)].map(|t| Bytes::from(t.as_bytes()));
        vec![
            Tensor::scalar(1.5f32).unwrap(),
            Tensor::from_slice([2, 1], &[1i64, -2]).unwrap(),
            Tensor::from_slice([0, 3], &[] as &[f64]).unwrap(),
            Tensor::vector(&[true, false]).unwrap(),
            Tensor::vector(&[f16::ONE]).unwrap(),
            Tensor::from_strings(Shape::from([3]), texts.to_vec()).unwrap(),
            Tensor::from_strings(Shape::from([0]), vec![]).unwrap(),
        ]
    }

    #[test]
    fn what_is_put_is_read() {
        for tensor in samples() {
            let back = read(&put(&tensor)).unwrap();
            assert_eq!(back.spec(), tensor.spec());
            match tensor.dtype() {
                DType::String => {
                    assert_eq!(back.as_strings().unwrap(), tensor.as_strings().unwrap())
                }
                _ => assert_eq!(back.bytes(), tensor.bytes()),
            }
            let prost = TensorProto::decode(&put(&tensor)[..]).unwrap();
            assert_eq!(prost.to_tensor().unwrap().spec(), tensor.spec());
            // Where the elements are listed.
            let listed = TensorProto::of(&tensor).unwrap().encode_to_vec();
            assert_eq!(read(&listed).unwrap().spec(), tensor.spec());
        }
    }

    #[test]
    fn bytes_are_those_of_tensorflow() {
        // As TensorFlow 2.21 writes them.
        let int = [8, 9, 18, 0, 34, 8, 2, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(put(&Tensor::scalar(2i64).unwrap()), int);
        let text = [8, 7, 18, 0, 34, 2, 1, b'a'];
        assert_eq!(put(&Tensor::string(Bytes::from(&b"a"[..]))), text);
        let ragged = b"\x08\x15\x12\0\x22\x24\x23\x0a\x13RaggedTensorVariant\x1a\x0c\x08\x03\x12\x04\x12\x02\x08\x02\
                       \x3a\x02\x01\x02";
        let [one] = &StoredTensor::read(ragged).unwrap().variants().unwrap()[..] else {
            panic!("one variant");
        };
        assert_eq!(one.kind, b"RaggedTensorVariant");
        let values = read(one.tensors[0]).unwrap();
        assert_eq!(values.as_slice::<i32>().unwrap(), [1, 2]);
    }

    #[test]
    fn variants_hold_tensors() {
        let tensors = samples();
        let messages: Vec<_> = tensors.iter().map(put).collect();
        let one = variant_message("some::Kind", &[1], &messages);
        let mut to = Vec::new();
        put_variants(&[2], &[one.clone(), one], &mut to);
        let found = StoredTensor::read(&to).unwrap();
        assert_eq!(found.shape()[..], [2]);
        let found = found.variants().unwrap();
        assert_eq!(
            (found[1].kind, found[1].metadata),
            (&b"some::Kind"[..], &[1][..])
        );
        for (message, tensor) in found[1].tensors.iter().zip(&tensors) {
            assert_eq!(read(message).unwrap().spec(), tensor.spec());
        }
        assert!(read(&to).is_err());
    }

    #[test]
    fn sizes_are_held_against_the_bytes() {
        let of = |dims: &[usize], field: u32, bytes: &[u8]| {
            let mut to = Vec::new();
            put_head(DType::Float32, dims, 0, &mut to);
            wire::put_bytes(field, bytes, &mut to);
            to
        };
        assert!(read(&of(&[1], 4, &[0; 4])).is_ok());
        for message in [
            of(&[2], 4, &[0; 4]),
            of(&[1 << 40], 4, &[0; 4]),
            of(&[1 << 40], 5, &[0; 4]),
            of(&[1 << 40, 1 << 40], 4, &[]),
            of(&[1], 99, &[]),
        ] {
            assert!(read(&message).is_err(), "{message:?}");
        }
    }

    #[test]
    fn damaged_messages_are_read_or_refused() {
        for tensor in samples() {
            let whole = put(&tensor);
            damaged(&whole).for_each(|message| drop(read(&message)));
        }
    }
}
