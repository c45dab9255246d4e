//! Bundles as a whole: what is written is read, and what is damaged is reported.

use super::{Index, Writer};
use ferrograph_tensor::{Bytes, DType, ErrorKind, Result, Shape, Tensor};

fn strings() -> Tensor {
    let all: Vec<Bytes> = ["", "a", "longer"]
        .map(|s| Bytes::from(s.as_bytes()))
        .into();
    Tensor::from_strings(Shape::new(&[3]), all).unwrap()
}

fn tensors() -> Vec<(&'static str, Tensor)> {
    let numbers: Vec<f32> = (0..6).map(|i| i as f32 / 3.0).collect();
    vec![
        ("b/numbers", Tensor::from_slice([2, 3], &numbers).unwrap()),
        ("a/truth", Tensor::vector(&[true, false]).unwrap()),
        ("a/scalar", Tensor::scalar(-5i64).unwrap()),
        ("text", strings()),
        (
            "none",
            Tensor::zeros(DType::Float64, Shape::new(&[0, 4])).unwrap(),
        ),
        (
            "no text",
            Tensor::zeros(DType::String, Shape::new(&[0])).unwrap(),
        ),
    ]
}

fn bundle() -> (Vec<u8>, Vec<u8>) {
    let mut writer = Writer::new(Vec::new(), 1);
    for (name, tensor) in tensors() {
        writer.add(name, &tensor).unwrap();
    }
    writer.finish()
}

fn read(index: &[u8], data: &[u8]) -> Result<Vec<(String, Tensor)>> {
    let index = Index::parse(index)?;
    let mut all = Vec::new();
    for (name, entry) in index.entries() {
        let offset = usize::try_from(entry.offset()).unwrap_or(usize::MAX);
        let mut from = data.get(offset..).unwrap_or(&[]);
        let available = from.len() as u64;
        all.push((name.to_owned(), entry.read(&mut from, available)?));
    }
    Ok(all)
}

#[test]
fn what_was_written_is_read() {
    let (data, index) = bundle();
    let mut expected = tensors();
    expected.sort_by_key(|(name, _)| *name);
    let found = read(&index, &data).unwrap();
    assert_eq!(found.len(), expected.len());
    for ((name, tensor), (expected_name, expected)) in found.iter().zip(&expected) {
        assert_eq!(
            (name.as_str(), tensor.spec()),
            (*expected_name, expected.spec())
        );
        assert_eq!(tensor.bytes(), expected.bytes());
        assert_eq!(tensor.as_strings().ok(), expected.as_strings().ok());
    }
}

#[test]
fn every_flipped_bit_is_reported() {
    let (data, index) = bundle();
    for bit in 0..index.len() * 8 {
        let mut damaged = index.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let found = read(&damaged, &data).unwrap_err();
        assert_eq!(found.kind(), ErrorKind::DataLoss, "bit {bit} of the index");
    }
    for bit in 0..data.len() * 8 {
        let mut damaged = data.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let found = read(&index, &damaged).unwrap_err();
        assert_eq!(found.kind(), ErrorKind::DataLoss, "bit {bit} of the data");
    }
}

#[test]
fn every_truncation_is_reported() {
    let (data, index) = bundle();
    for end in 0..index.len() {
        assert!(read(&index[..end], &data).is_err(), "{end}");
    }
    for end in 0..data.len() {
        assert!(read(&index, &data[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_name_is_given_once() {
    let mut writer = Writer::new(Vec::new(), 1);
    let one = Tensor::scalar(1i32).unwrap();
    writer.add("a", &one).unwrap();
    assert!(writer.add("a", &one).is_err());
    assert!(writer.add("", &one).is_err());
}

/// Numbers that look random and are the same in every run.
struct Mixed(u64);

impl Mixed {
    fn next(&mut self) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize
    }
}

/// Makes the checksums of all blocks right again, so that what is inside of them is read.
fn mended(mut index: Vec<u8>) -> Vec<u8> {
    let (_, intact) = bundle();
    let size = intact.len();
    let footer = &intact[size - 48..];
    let meta = (
        usize::from(footer[0] & 127) | usize::from(footer[1]) << 7,
        8,
    );
    let places = [(0, meta.0 - 5), meta];
    for (offset, size) in places {
        let end = offset + size + 1;
        let checksum = crate::masked(&index[offset..end]).to_le_bytes();
        index[end..end + 4].copy_from_slice(&checksum);
    }
    index
}

#[test]
fn mutations_never_panic() {
    let (data, index) = bundle();
    let mut random = Mixed(1);
    let mut n_read = 0;
    for _ in 0..20_000 {
        let mut damaged = index.clone();
        for _ in 0..1 + random.next() % 4 {
            let at = random.next() % damaged.len();
            damaged[at] = random.next() as u8;
        }
        n_read += usize::from(read(&mended(damaged), &data).is_ok());
    }
    assert!((100..20_000).contains(&n_read), "{n_read} were read");
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Mixed(2);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.next() % 200)
            .map(|_| random.next() as u8)
            .collect();
        assert!(Index::parse(&bytes).is_err());
    }
}
