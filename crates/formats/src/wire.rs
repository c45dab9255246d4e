//! The wire format of protocol buffers, field by field, over bytes that are borrowed.

use ferrograph_tensor::{Result, bail, err};

/// The value of a field as the wire has it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wire<'a> {
    /// A number of varying length.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Bytes, a text, a message or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32(u32),
}

/// The fields of a message, one after the other.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a message.
    pub fn new(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message }
    }

    fn next_field(&mut self) -> Result<(u32, Wire<'a>)> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok().filter(|n| *n > 0);
        let number = number.ok_or_else(|| err!(DataLoss, "a field has the number {}", key >> 3))?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut self.rest)?),
            1 => Wire::Fixed64(u64::from_le_bytes(fixed(&mut self.rest)?)),
            2 => Wire::Bytes(counted(&mut self.rest)?),
            5 => Wire::Fixed32(u32::from_le_bytes(fixed(&mut self.rest)?)),
            other => bail!(DataLoss, "field {number} is of the unknown kind {other}"),
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Takes a number of varying length off the front.
///
/// # Errors
/// `DataLoss` where it does not end, or has more than 64 bits.
#[inline]
pub fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for (i, &byte) in rest.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            if i == 9 && byte > 1 {
                break;
            }
            *rest = &rest[i + 1..];
            return Ok(value);
        }
    }
    bail!(DataLoss, "a number does not end")
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (first, behind) = rest
        .split_first_chunk()
        .ok_or_else(|| err!(DataLoss, "{N} bytes are missing"))?;
    *rest = behind;
    Ok(*first)
}

fn counted<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let n = usize::try_from(varint(rest)?).ok();
    let split = n.and_then(|n| rest.split_at_checked(n));
    let (first, behind) = split.ok_or_else(|| err!(DataLoss, "a field goes beyond its message"))?;
    *rest = behind;
    Ok(first)
}

/// Adds the numbers of a field of a repeated `int64`: one, or many that are packed.
///
/// # Errors
/// `DataLoss` where the field is no such.
pub fn push_ints(value: Wire<'_>, all: &mut Vec<i64>) -> Result<()> {
    match value {
        Wire::Varint(one) => all.push(one.cast_signed()),
        Wire::Bytes(mut packed) => {
            while !packed.is_empty() {
                all.push(varint(&mut packed)?.cast_signed());
            }
        }
        _ => bail!(DataLoss, "a field of integers has another kind"),
    }
    Ok(())
}

/// Adds the numbers of a field of a repeated `float`: one, or many that are packed.
///
/// # Errors
/// `DataLoss` where the field is no such.
pub fn push_floats(value: Wire<'_>, all: &mut Vec<f32>) -> Result<()> {
    match value {
        Wire::Fixed32(bits) => all.push(f32::from_bits(bits)),
        Wire::Bytes(packed) => {
            let (numbers, rest) = packed.as_chunks::<4>();
            if !rest.is_empty() {
                bail!(DataLoss, "a field of floats has {} bytes", packed.len());
            }
            all.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        }
        _ => bail!(DataLoss, "a field of floats has another kind"),
    }
    Ok(())
}

/// The bytes of a field that holds some.
///
/// # Errors
/// `DataLoss` where the field is a number.
pub fn bytes(value: Wire<'_>) -> Result<&[u8]> {
    match value {
        Wire::Bytes(bytes) => Ok(bytes),
        _ => bail!(DataLoss, "a field of bytes has another kind"),
    }
}

/// Appends a number of varying length.
pub fn put_varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// How many bytes a number of varying length takes.
pub fn varint_size(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Appends a field of a number.
pub fn put_number(field: u32, value: u64, to: &mut Vec<u8>) {
    put_varint(u64::from(field) << 3, to);
    put_varint(value, to);
}

/// Appends what stands before the bytes of a field of so many.
pub fn put_size(field: u32, size: usize, to: &mut Vec<u8>) {
    put_varint(u64::from(field) << 3 | 2, to);
    put_varint(size as u64, to);
}

/// Appends a field of bytes.
pub fn put_bytes(field: u32, bytes: &[u8], to: &mut Vec<u8>) {
    put_size(field, bytes.len(), to);
    to.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_all_kinds() {
        let message = [
            8, 0x96, 1, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, b'a', b'b', 0x25, 2, 0, 0, 0,
        ];
        let fields: Vec<_> = Fields::new(&message).map(Result::unwrap).collect();
        let expected = [
            (1, Wire::Varint(150)),
            (2, Wire::Fixed64(1)),
            (3, Wire::Bytes(b"ab")),
            (4, Wire::Fixed32(2)),
        ];
        assert_eq!(fields, expected);
        for end in [2, 5, 11, 13, 15, 20] {
            assert!(Fields::new(&message[..end]).any(|f| f.is_err()), "{end}");
        }
    }

    #[test]
    fn what_is_put_is_read() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(value, &mut bytes);
            assert_eq!(bytes.len(), varint_size(value), "{value}");
            assert_eq!(varint(&mut &bytes[..]).unwrap(), value);
        }
        let mut bytes = Vec::new();
        put_number(1, 150, &mut bytes);
        put_bytes(1000, b"ab", &mut bytes);
        let fields: Vec<_> = Fields::new(&bytes).map(Result::unwrap).collect();
        let expected = [(1, Wire::Varint(150)), (1000, Wire::Bytes(b"ab"))];
        assert_eq!(fields, expected);
    }

    #[test]
    fn numbers_end_and_fit() {
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(varint(&mut &most[..]).unwrap(), u64::MAX);
        assert!(varint(&mut &[0xff; 9][..]).is_err());
        assert!(varint(&mut &[0xff; 11][..]).is_err());
        assert!(
            varint(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..]).is_err()
        );
    }

    #[test]
    fn lists_may_be_packed_or_not() {
        let (mut ints, mut floats) = (Vec::new(), Vec::new());
        push_ints(Wire::Varint(7), &mut ints).unwrap();
        push_ints(Wire::Bytes(&[1, 0xac, 2]), &mut ints).unwrap();
        assert_eq!(ints, [7, 1, 300]);
        push_floats(Wire::Fixed32(1f32.to_bits()), &mut floats).unwrap();
        push_floats(Wire::Bytes(&2f32.to_le_bytes()), &mut floats).unwrap();
        assert_eq!(floats, [1.0, 2.0]);
        assert!(push_floats(Wire::Bytes(&[1, 2, 3]), &mut floats).is_err());
        assert!(push_ints(Wire::Fixed32(1), &mut ints).is_err());
    }
}
