//! Elements as bytes, and back.
//!
//! A component is the public number of its dtype, its rank, its dimensions, and its elements: their bytes, or of each
//! string its length and its bytes. Numbers are little-endian.

use ferrograph_graph::Tensors;
use ferrograph_tensor::{Bytes, DType, Error, Result, Shape, Tensor, bail, err, string_of};

/// Appends an element.
pub(super) fn encode(element: &[Tensor], to: &mut Vec<u8>) -> Result<()> {
    for (i, t) in element.iter().enumerate() {
        if !is_data(t.dtype()) {
            bail!(
                Unimplemented,
                "component {i} of an element is a {}, which cannot be kept in a file",
                t.dtype()
            );
        }
        to.push(t.dtype().graphdef_code() as u8);
        to.push(u8::try_from(t.rank()).map_err(|_| err!(Internal, "too many dimensions"))?);
        for size in t.shape().iter() {
            to.extend((*size as u64).to_le_bytes());
        }
        match t.dtype() {
            DType::String => {
                for text in t.as_strings()? {
                    to.extend((text.len() as u64).to_le_bytes());
                    to.extend_from_slice(text);
                }
            }
            _ => to.extend_from_slice(t.bytes()),
        }
    }
    Ok(())
}

fn is_data(dtype: DType) -> bool {
    dtype == DType::String || dtype.is_dense()
}

/// The element that these bytes are.
pub(super) fn decode(bytes: &[u8]) -> Result<Tensors> {
    let mut rest = Rest(bytes);
    let mut element = Tensors::new();
    while !rest.0.is_empty() {
        element.push(rest.component()?);
    }
    Ok(element)
}

/// What is not decoded yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn size(&mut self) -> Result<usize> {
        let bytes: [u8; 8] = self.take(8)?.try_into().map_err(|_| malformed())?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| malformed())
    }

    fn component(&mut self) -> Result<Tensor> {
        let (code, rank) = (self.take(1)?[0], self.take(1)?[0]);
        let dtype = DType::from_graphdef_code(i32::from(code)).filter(|d| is_data(*d));
        let dtype = dtype.ok_or_else(malformed)?;
        let dims: Vec<usize> = (0..rank).map(|_| self.size()).collect::<Result<_>>()?;
        let shape = Shape::from(&dims[..]);
        let n = shape.checked_count().map_err(|_| malformed())?;
        if dtype == DType::String {
            return self.strings(shape, n);
        }
        let length = n.checked_mul(dtype.size()).ok_or_else(malformed)?;
        let bytes = self.take(length)?;
        if dtype == DType::Bool && bytes.iter().any(|b| *b > 1) {
            return Err(malformed());
        }
        let mut tensor = Tensor::empty(dtype, shape)?;
        let Some(to) = tensor.bytes_mut() else {
            bail!(Internal, "a new tensor is not shared");
        };
        to.copy_from_slice(bytes);
        Ok(tensor)
    }

    fn strings(&mut self, shape: Shape, n: usize) -> Result<Tensor> {
        // Each string takes eight bytes at least.
        if n > self.0.len() / 8 {
            return Err(malformed());
        }
        let mut all: Vec<Bytes> = Vec::with_capacity(n);
        for _ in 0..n {
            let length = self.size()?;
            all.push(string_of(self.take(length)?)?);
        }
        Tensor::from_strings(shape, all)
    }
}

fn malformed() -> Error {
    err!(DataLoss, "an element is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let texts = vec![Bytes::from(&b"ab"[..]), Bytes::from(&b""[..])];
        let element = [
            Tensor::from_slice([2, 1], &[1.5f32, -2.0]).unwrap(),
            Tensor::from_strings(Shape::from(&[2][..]), texts).unwrap(),
            Tensor::scalar(true).unwrap(),
            Tensor::from_slice([0, 3], &[0i64; 0]).unwrap(),
        ];
        let mut bytes = Vec::new();
        encode(&element, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let found = decode(&sample()).unwrap();
        assert_eq!(found[0].as_slice::<f32>().unwrap(), [1.5, -2.0]);
        assert_eq!(&*found[1].as_strings().unwrap()[0], b"ab");
        assert!(found[2].item::<bool>().unwrap());
        assert_eq!(found[3].shape()[..], [0, 3]);
        let mut again = Vec::new();
        encode(&found, &mut again).unwrap();
        assert_eq!(again, sample());
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let whole = sample();
        for end in 0..whole.len() {
            let _ = decode(&whole[..end]);
        }
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = decode(&damaged);
        }
    }
}
