//! Several arrays in one file, by name: `.npz`, a ZIP archive of `.npy` files, stored or deflated.

use crate::npy;
use ferrograph_tensor::{Error, Result, Tensor, bail, err, vec_for};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::Read;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

/// The length of the record at the end, which a comment of at most 64 KiB follows.
const END_LENGTH: usize = 22;

/// No compressed byte represents more.
const MOST_DEFLATED: usize = 1100;

/// Reads numbers in the order of their bytes.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, rest) = self
            .0
            .split_at_checked(n)
            .ok_or_else(|| err!(DataLoss, "the archive ends too early"))?;
        self.0 = rest;
        Ok(head)
    }

    fn number(&mut self, n: usize) -> Result<u32> {
        let bytes = self.bytes(n)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |all, b| all << 8 | u32::from(*b)))
    }

    fn size(&mut self, n: usize) -> Result<usize> {
        Ok(self.number(n)? as usize)
    }
}

/// What the list at the end of an archive says of one file.
struct Member<'a> {
    name: &'a str,
    is_deflated: bool,
    checksum: u32,
    packed: usize,
    length: usize,
    at: usize,
}

/// The arrays in the bytes of a file, in its order, by their names without `.npy`.
///
/// # Errors
/// `DataLoss` where it is no such archive or damaged, `Unimplemented` for one that is encrypted, compressed otherwise or
/// larger than 4 GiB; otherwise as for a single array, with the name.
pub fn read(file: &[u8]) -> Result<Vec<(String, Tensor)>> {
    let mut arrays: Vec<(String, Tensor)> = Vec::new();
    for member in members(file)? {
        let name = member.name.strip_suffix(".npy").unwrap_or(member.name);
        let within = |e: Error| Error::new(e.kind(), format!("{name}: {}", e.message()));
        if arrays.iter().any(|(n, _)| n == name) {
            bail!(DataLoss, "the archive has two arrays {name:?}");
        }
        let tensor = content(file, &member).and_then(|bytes| npy::read(&bytes));
        arrays.push((name.to_owned(), tensor.map_err(within)?));
    }
    Ok(arrays)
}

fn members(file: &[u8]) -> Result<Vec<Member<'_>>> {
    let damaged = || err!(DataLoss, "this is no .npz file, or not all of one");
    let last = file.len().checked_sub(END_LENGTH).ok_or_else(damaged)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let is_end = |at: &usize| file[*at..].starts_with(&END.to_le_bytes());
    let end = (first..=last).rev().find(is_end).ok_or_else(damaged)?;
    let mut fields = Fields(&file[end + 4..]);
    fields.bytes(6)?;
    let (n, _length, at) = (fields.size(2)?, fields.size(4)?, fields.size(4)?);
    if n == usize::from(u16::MAX) || at == u32::MAX as usize {
        bail!(
            Unimplemented,
            "archives of more than 65,534 files or 4 GiB are not read"
        );
    }
    let mut list = Fields(file.get(at..end).ok_or_else(damaged)?);
    (0..n).map(|_| member(&mut list)).collect()
}

fn member<'a>(list: &mut Fields<'a>) -> Result<Member<'a>> {
    if list.number(4)? != CENTRAL {
        bail!(DataLoss, "the list of the archive is damaged");
    }
    list.bytes(4)?;
    let (flags, method) = (list.number(2)?, list.number(2)?);
    list.bytes(4)?;
    let checksum = list.number(4)?;
    let (packed, length) = (list.size(4)?, list.size(4)?);
    let (name, extra, comment) = (list.size(2)?, list.size(2)?, list.size(2)?);
    list.bytes(8)?;
    let at = list.size(4)?;
    let name = list.bytes(name)?;
    list.bytes(extra + comment)?;
    let name = std::str::from_utf8(name)
        .map_err(|_| err!(DataLoss, "the archive has a name that is no UTF-8"))?;
    let refused = |what: &str| err!(Unimplemented, "{name}: {what} files are not read");
    if flags & 1 != 0 {
        return Err(refused("encrypted"));
    }
    if [packed, length, at].contains(&(u32::MAX as usize)) {
        return Err(refused("4 GiB and larger"));
    }
    let is_deflated = match method {
        0 => false,
        8 => true,
        _ => return Err(refused("otherwise compressed")),
    };
    Ok(Member {
        name,
        is_deflated,
        checksum,
        packed,
        length,
        at,
    })
}

/// The bytes of one file of the archive.
fn content(file: &[u8], member: &Member<'_>) -> Result<Vec<u8>> {
    let damaged = || err!(DataLoss, "the file in the archive is damaged");
    let mut fields = Fields(file.get(member.at..).ok_or_else(damaged)?);
    if fields.number(4)? != LOCAL {
        return Err(damaged());
    }
    fields.bytes(22)?;
    let (name, extra) = (fields.size(2)?, fields.size(2)?);
    fields.bytes(name + extra)?;
    let packed = fields.bytes(member.packed)?;
    if member.length > packed.len().saturating_mul(MOST_DEFLATED) {
        return Err(damaged());
    }
    let mut bytes = vec_for(member.length)?;
    if member.is_deflated {
        let most = member.length as u64 + 1;
        let unpacked = DeflateDecoder::new(packed)
            .take(most)
            .read_to_end(&mut bytes);
        unpacked.map_err(|_| damaged())?;
    } else {
        bytes.extend_from_slice(packed);
    }
    if bytes.len() != member.length || checksum(&bytes) != member.checksum {
        return Err(damaged());
    }
    Ok(bytes)
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The bytes of an archive that holds these arrays.
///
/// # Errors
/// `InvalidArgument` where two have one name, `Unimplemented` for more than 4 GiB; otherwise as for a single array.
pub fn write(arrays: &[(&str, &Tensor)]) -> Result<Vec<u8>> {
    let large = |_| err!(Unimplemented, "archives of 4 GiB and more are not written");
    let (mut file, mut list) = (Vec::new(), Vec::new());
    for (i, (name, tensor)) in arrays.iter().enumerate() {
        if arrays[..i].iter().any(|(n, _)| n == name) {
            bail!(InvalidArgument, "two arrays are called {name:?}");
        }
        let within = |e: Error| Error::new(e.kind(), format!("{name}: {}", e.message()));
        let bytes = npy::write(tensor).map_err(within)?;
        let name = format!("{name}.npy");
        let at = u32::try_from(file.len()).map_err(large)?;
        let length = u32::try_from(bytes.len()).map_err(large)?;
        let n = u16::try_from(name.len())
            .map_err(|_| err!(InvalidArgument, "the name of an array is too long"))?;
        let crc = checksum(&bytes);
        file.extend(LOCAL.to_le_bytes());
        let head = head(crc, length, n);
        file.extend(&head);
        file.extend(name.as_bytes());
        file.extend(bytes);
        list.extend(CENTRAL.to_le_bytes());
        list.extend(VERSION.to_le_bytes());
        list.extend(head);
        list.extend([0; 10]);
        list.extend(at.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let at = u32::try_from(file.len()).map_err(large)?;
    let length = u32::try_from(list.len()).map_err(large)?;
    let n = u16::try_from(arrays.len()).map_err(large)?;
    file.extend(list);
    file.extend(END.to_le_bytes());
    file.extend([0; 4]);
    file.extend(n.to_le_bytes());
    file.extend(n.to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0; 2]);
    Ok(file)
}

/// The version of the layout that readers need.
const VERSION: u16 = 20;

/// That names are UTF-8.
const UTF_8: u16 = 1 << 11;

/// The first of January 1980, the first day that an archive knows.
const DAY: u16 = 1 << 5 | 1;

/// What the local head of a stored file and the list have in common.
fn head(crc: u32, length: u32, name: u16) -> Vec<u8> {
    let mut head = Vec::with_capacity(26);
    for number in [VERSION, UTF_8, 0, 0, DAY] {
        head.extend(number.to_le_bytes());
    }
    for number in [crc, length, length] {
        head.extend(number.to_le_bytes());
    }
    head.extend(name.to_le_bytes());
    head.extend([0; 2]);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::ErrorKind;

    fn archive() -> Vec<u8> {
        let numbers = Tensor::vector(&[1.0f32, 2.0]).unwrap();
        let one = Tensor::scalar(3i64).unwrap();
        write(&[("x", &numbers), ("n", &one)]).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let found = read(&archive()).unwrap();
        assert_eq!(found[0].0, "x");
        assert_eq!(found[0].1.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert_eq!(found[1].1.item::<i64>().unwrap(), 3);
        assert!(read(&write(&[]).unwrap()).unwrap().is_empty());
        let one = Tensor::scalar(1i8).unwrap();
        assert!(write(&[("x", &one), ("x", &one)]).is_err());
    }

    #[test]
    fn truncations_and_flipped_bits_are_reported_or_change_nothing() {
        let whole = archive();
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        let values = |found: &[(String, Tensor)]| -> Vec<Vec<u8>> {
            found.iter().map(|(_, t)| t.bytes().to_vec()).collect()
        };
        let want = values(&read(&whole).unwrap());
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match read(&damaged) {
                // A name, a date or the number of files may have changed: no array did.
                Ok(found) => assert!(values(&found).iter().all(|v| want.contains(v)), "bit {bit}"),
                Err(e) => assert!(
                    matches!(e.kind(), ErrorKind::DataLoss | ErrorKind::Unimplemented),
                    "bit {bit}: {e:?}"
                ),
            }
        }
    }
}
