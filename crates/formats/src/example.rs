//! Examples: features by name, each a list of strings, floats or integers; and sequences of features.
//!
//! What is read here stays in place; the lists are read into vectors of the caller.

use crate::wire::{Fields, Wire, bytes, push_floats, push_ints};
use ferrograph_tensor::{DType, Result};

/// A feature: which kind its list is, if it says so, and the list.
#[derive(Clone, Copy, Debug)]
pub struct Feature<'a> {
    message: &'a [u8],
    kind: Option<DType>,
}

impl<'a> Feature<'a> {
    /// The feature of a message.
    ///
    /// # Errors
    /// `DataLoss` where it is no message.
    pub fn new(message: &'a [u8]) -> Result<Feature<'a>> {
        let mut kind = None;
        for field in Fields::new(message) {
            kind = dtype_of(field?.0).or(kind);
        }
        Ok(Feature { message, kind })
    }

    /// The dtype of its list; nothing where it has none.
    pub fn kind(&self) -> Option<DType> {
        self.kind
    }

    /// Calls `each` with every field of its list.
    fn each(&self, mut each: impl FnMut(Wire<'a>) -> Result<()>) -> Result<()> {
        // Of several lists the last one is meant, and those of its kind before it belong to it.
        let mut own = Vec::new();
        for field in Fields::new(self.message) {
            let (number, value) = field?;
            match dtype_of(number) {
                None => {}
                Some(kind) if Some(kind) == self.kind => own.push(bytes(value)?),
                Some(_) => own.clear(),
            }
        }
        for list in own {
            for field in Fields::new(list) {
                let (number, value) = field?;
                if number == 1 {
                    each(value)?;
                }
            }
        }
        Ok(())
    }

    /// Adds its integers, if it has some.
    ///
    /// # Errors
    /// `DataLoss` where it is damaged.
    pub fn ints(&self, all: &mut Vec<i64>) -> Result<()> {
        self.each(|value| push_ints(value, all))
    }

    /// Adds its floats, if it has some.
    ///
    /// # Errors
    /// `DataLoss` where it is damaged.
    pub fn floats(&self, all: &mut Vec<f32>) -> Result<()> {
        self.each(|value| push_floats(value, all))
    }

    /// Calls `each` with all of its strings, if it has some.
    ///
    /// # Errors
    /// `DataLoss` where it is damaged, and those of `each`.
    pub fn strings(&self, mut each: impl FnMut(&'a [u8]) -> Result<()>) -> Result<()> {
        self.each(|value| each(bytes(value)?))
    }
}

/// The dtype of the list in a field of a feature.
fn dtype_of(field: u32) -> Option<DType> {
    match field {
        1 => Some(DType::String),
        2 => Some(DType::Float32),
        3 => Some(DType::Int64),
        _ => None,
    }
}

/// Calls `each` with the name and the message of every feature in an `Example`, as often as they are there: the last
/// of a name is meant.
///
/// # Errors
/// `DataLoss` where it is no such message, and those of `each`.
pub fn features<'a>(
    example: &'a [u8],
    mut each: impl FnMut(&'a [u8], &'a [u8]) -> Result<()>,
) -> Result<()> {
    for field in Fields::new(example) {
        if let (1, value) = field? {
            entries(bytes(value)?, &mut each)?;
        }
    }
    Ok(())
}

/// Calls `context` with the name and the message of every feature of a `SequenceExample`'s context, `lists` with those
/// of every list of features.
///
/// # Errors
/// As [`features`].
pub fn sequences<'a>(
    example: &'a [u8],
    mut context: impl FnMut(&'a [u8], &'a [u8]) -> Result<()>,
    mut lists: impl FnMut(&'a [u8], &'a [u8]) -> Result<()>,
) -> Result<()> {
    for field in Fields::new(example) {
        match field? {
            (1, value) => entries(bytes(value)?, &mut context)?,
            (2, value) => entries(bytes(value)?, &mut lists)?,
            _ => {}
        }
    }
    Ok(())
}

/// The features in a `FeatureList`.
///
/// # Errors
/// `DataLoss` where it is no such message.
pub fn steps(list: &[u8]) -> Result<Vec<Feature<'_>>> {
    let mut all = Vec::new();
    for field in Fields::new(list) {
        if let (1, value) = field? {
            all.push(Feature::new(bytes(value)?)?);
        }
    }
    Ok(all)
}

/// Calls `each` with the keys and values of a map.
fn entries<'a>(
    map: &'a [u8],
    each: &mut impl FnMut(&'a [u8], &'a [u8]) -> Result<()>,
) -> Result<()> {
    for field in Fields::new(map) {
        let (1, entry) = field? else { continue };
        let (mut key, mut value): (&[u8], &[u8]) = (&[], &[]);
        for part in Fields::new(bytes(entry)?) {
            match part? {
                (1, part) => key = bytes(part)?,
                (2, part) => value = bytes(part)?,
                _ => {}
            }
        }
        each(key, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `features {a: [1, 300], b: [0.5], c: ["xy", ""], d: {}}`.
    const EXAMPLE: &[u8] = b"\x0a\x33\x0a\x0c\x0a\x01a\x12\x07\x1a\x05\x0a\x03\x01\xac\x02\
        \x0a\x0d\x0a\x01b\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x3f\
        \x0a\x0d\x0a\x01c\x12\x08\x0a\x06\x0a\x02xy\x0a\x00\
        \x0a\x05\x0a\x01d\x12\x00";

    type Read = Vec<(Vec<u8>, Option<DType>, Vec<i64>, Vec<f32>, Vec<Vec<u8>>)>;

    fn read(example: &[u8]) -> Result<Read> {
        let mut all = Vec::new();
        features(example, |name, message| {
            let feature = Feature::new(message)?;
            let (mut ints, mut floats, mut strings) = (Vec::new(), Vec::new(), Vec::new());
            match feature.kind() {
                Some(DType::Int64) => feature.ints(&mut ints)?,
                Some(DType::Float32) => feature.floats(&mut floats)?,
                Some(_) => feature.strings(|s| {
                    strings.push(s.to_vec());
                    Ok(())
                })?,
                None => {}
            }
            all.push((name.to_vec(), feature.kind(), ints, floats, strings));
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn features_of_all_kinds() {
        let all = read(EXAMPLE).unwrap();
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].2, [1, 300]);
        assert_eq!(all[1].3, [0.5]);
        assert_eq!(all[2].4, [b"xy".to_vec(), Vec::new()]);
        assert_eq!(all[3].1, None);
    }

    #[test]
    fn the_last_kind_is_meant() {
        let message = b"\x1a\x02\x08\x01\x1a\x02\x08\x02";
        let mut ints = Vec::new();
        Feature::new(message).unwrap().ints(&mut ints).unwrap();
        assert_eq!(ints, [1, 2]);
        let message = b"\x1a\x02\x08\x01\x0a\x00\x1a\x02\x08\x02";
        ints.clear();
        Feature::new(message).unwrap().ints(&mut ints).unwrap();
        assert_eq!(ints, [2]);
    }

    #[test]
    fn damaged_examples_are_read_or_refused() {
        for end in 0..EXAMPLE.len() {
            assert_eq!(read(&EXAMPLE[..end]).is_ok(), end == 0, "{end}");
        }
        for bit in 0..EXAMPLE.len() * 8 {
            let mut damaged = EXAMPLE.to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            drop(read(&damaged));
        }
    }

    #[test]
    fn random_bytes_are_read_or_refused() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..20_000 {
            let mut damaged = EXAMPLE.to_vec();
            for _ in 0..4 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize % damaged.len();
                damaged[at] = (state >> 20) as u8;
            }
            drop(read(&damaged));
            drop(sequences(
                &damaged,
                |_, _| Ok(()),
                |_, list| steps(list).map(drop),
            ));
        }
    }
}
