//! The elements of a tensor as the bytes of a data file.
//!
//! Dense ones are stored as they are, little-endian. Strings are their lengths as varints, a checksum of the lengths,
//! and their bytes; the checksum in the index is over the lengths as words, that checksum, and the bytes.

use crate::checksum::{appended, mask};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, bail, err, string_of, vec_for};
use prost::encoding::{decode_varint, encode_varint};
use std::io::{Read, Write};

/// Bytes read and checked at a time, while they are in the cache.
const STEP: usize = 1 << 20;

/// Writes the elements; how many bytes they took, and their masked checksum.
pub(super) fn write(to: &mut impl Write, tensor: &Tensor) -> std::io::Result<(u64, u32)> {
    match tensor.as_strings() {
        Ok(strings) => write_strings(to, strings),
        Err(_) if tensor.dtype().is_dense() => write_dense(to, tensor.bytes()),
        Err(_) => Err(std::io::Error::other(format!(
            "a {} tensor can't be written",
            tensor.dtype()
        ))),
    }
}

fn write_dense(to: &mut impl Write, bytes: &[u8]) -> std::io::Result<(u64, u32)> {
    let mut checksum = 0;
    for piece in bytes.chunks(STEP) {
        checksum = appended(checksum, piece);
        to.write_all(piece)?;
    }
    Ok((bytes.len() as u64, mask(checksum)))
}

fn write_strings(to: &mut impl Write, strings: &[Bytes]) -> std::io::Result<(u64, u32)> {
    let (mut lengths, mut checksum) = (Vec::new(), 0);
    for string in strings {
        encode_varint(string.len() as u64, &mut lengths);
        checksum = with_length(checksum, string.len());
    }
    let of_lengths = mask(checksum).to_le_bytes();
    checksum = appended(checksum, &of_lengths);
    to.write_all(&lengths)?;
    to.write_all(&of_lengths)?;
    let mut size = (lengths.len() + of_lengths.len()) as u64;
    for string in strings {
        checksum = appended(checksum, string);
        to.write_all(string)?;
        size += string.len() as u64;
    }
    Ok((size, mask(checksum)))
}

/// The checksum with a length added: as four bytes where it fits, else as eight.
fn with_length(checksum: u32, length: usize) -> u32 {
    match u32::try_from(length) {
        Ok(short) => appended(checksum, &short.to_le_bytes()),
        Err(_) => appended(checksum, &(length as u64).to_le_bytes()),
    }
}

/// Reads the elements of a tensor, which take `size` bytes and of which there are as many as the file goes on.
pub(super) fn read(
    from: &mut impl Read,
    (dtype, shape): (DType, Shape),
    size: u64,
    expected: u32,
) -> Result<Tensor> {
    let size = usize::try_from(size).map_err(|_| err!(DataLoss, "{size} bytes are too many"))?;
    let tensor = match dtype {
        DType::String => {
            let mut bytes = vec_for(size)?;
            bytes.resize(size, 0);
            fill(from, &mut bytes)?;
            strings(&bytes, shape, expected)?
        }
        _ if dtype.is_dense() => dense(from, dtype, shape, expected)?,
        _ => bail!(Unimplemented, "a {dtype} tensor can't be read"),
    };
    Ok(tensor)
}

fn dense(from: &mut impl Read, dtype: DType, shape: Shape, expected: u32) -> Result<Tensor> {
    if dtype == DType::Bool {
        return bools(from, shape, expected);
    }
    let mut tensor = Tensor::empty(dtype, shape)?;
    if let Some(bytes) = tensor.bytes_mut() {
        check(filled(from, bytes)?, expected)?;
    }
    Ok(tensor)
}

/// Bools are checked before they are bools.
fn bools(from: &mut impl Read, shape: Shape, expected: u32) -> Result<Tensor> {
    let size = shape.checked_count()?;
    let mut bytes = vec_for(size)?;
    bytes.resize(size, 0);
    check(filled(from, &mut bytes)?, expected)?;
    if bytes.iter().any(|&b| b > 1) {
        bail!(DataLoss, "a byte is neither false nor true");
    }
    let mut tensor = Tensor::empty(DType::Bool, shape)?;
    if let Some(to) = tensor.bytes_mut() {
        to.copy_from_slice(&bytes);
    }
    Ok(tensor)
}

/// Fills `bytes`; their checksum.
fn filled(from: &mut impl Read, bytes: &mut [u8]) -> Result<u32> {
    let mut checksum = 0;
    for piece in bytes.chunks_mut(STEP) {
        fill(from, piece)?;
        checksum = appended(checksum, piece);
    }
    Ok(checksum)
}

fn fill(from: &mut impl Read, bytes: &mut [u8]) -> Result<()> {
    from.read_exact(bytes)
        .map_err(|e| err!(DataLoss, "the elements can't be read: {e}"))
}

fn check(checksum: u32, expected: u32) -> Result<()> {
    if mask(checksum) != expected {
        bail!(DataLoss, "the elements are corrupted (bad checksum)");
    }
    Ok(())
}

fn strings(bytes: &[u8], shape: Shape, expected: u32) -> Result<Tensor> {
    let n = shape.checked_count()?;
    if n > bytes.len() {
        bail!(
            DataLoss,
            "{} bytes are too few for {n} strings",
            bytes.len()
        );
    }
    let (lengths, rest, checksum) = lengths(bytes, n)?;
    check(appended(checksum, rest), expected)?;
    let (mut all, mut rest) = (vec_for(n)?, rest);
    for length in lengths {
        let (string, after) = rest
            .split_at_checked(length)
            .ok_or_else(|| err!(DataLoss, "a string is truncated"))?;
        all.push(string_of(string)?);
        rest = after;
    }
    if !rest.is_empty() {
        bail!(DataLoss, "{} bytes follow the last string", rest.len());
    }
    Tensor::from_strings(shape, all)
}

/// The lengths of `n` strings, what follows them, and the checksum so far.
fn lengths(bytes: &[u8], n: usize) -> Result<(Vec<usize>, &[u8], u32)> {
    let (mut lengths, mut rest, mut checksum) = (vec_for(n)?, bytes, 0);
    for _ in 0..n {
        let length = decode_varint(&mut rest)
            .ok()
            .and_then(|n| usize::try_from(n).ok());
        let length = length.ok_or_else(|| err!(DataLoss, "the length of a string is damaged"))?;
        checksum = with_length(checksum, length);
        lengths.push(length);
    }
    let (of_lengths, rest) = rest
        .split_first_chunk::<4>()
        .ok_or_else(|| err!(DataLoss, "the lengths of strings are truncated"))?;
    check(checksum, u32::from_le_bytes(*of_lengths))?;
    Ok((lengths, rest, appended(checksum, of_lengths)))
}
