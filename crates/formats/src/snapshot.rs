//! The file that says what a folder of elements holds: a message, as TensorFlow has it.
//!
//! Where ferrograph wrote it, it begins and ends with fields that TensorFlow passes over: a mark, and the checksum of all
//! bytes before it. One of the two stands where any single bit is damaged, and then so has the other.

use crate::messages::SnapshotMetadata;
use crate::{masked, wire};
use ferrograph_tensor::{Result, bail, err};
use prost::Message;

/// The version of the layout.
pub const VERSION: i64 = 2;
/// The field of the mark, and what it is.
const MARK: (u32, &[u8]) = (2000, b"ferrograph");
/// The field of the checksum.
const CHECKSUM: u32 = 2002;
/// What snapshots of TensorFlow's data service have in the place of this file.
const SERVICE: [&[u8]; 2] = [b"element_spec:", b"compression:"];

fn mark() -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::put_bytes(MARK.0, MARK.1, &mut bytes);
    bytes
}

/// What stands before the checksum.
fn key_of_checksum() -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::put_size(CHECKSUM, 4, &mut bytes);
    bytes
}

/// The bytes of a file that says this.
pub fn encode(metadata: &SnapshotMetadata) -> Vec<u8> {
    let mut bytes = mark();
    bytes.extend(metadata.encode_to_vec());
    let checksum = masked(&bytes);
    bytes.extend(key_of_checksum());
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// What the bytes of a file say.
///
/// # Errors
/// `DataLoss` where they are damaged, `Unimplemented` for other layouts.
pub fn decode(bytes: &[u8]) -> Result<SnapshotMetadata> {
    if SERVICE.iter().any(|text| bytes.starts_with(text)) {
        bail!(
            Unimplemented,
            "this is a snapshot of TensorFlow's data service, which is not read here: load it in TensorFlow, and save it \
             by Dataset.save"
        );
    }
    let damaged = || err!(DataLoss, "what it says of the elements is damaged");
    let is_sound = is_sound(bytes);
    let metadata = SnapshotMetadata::decode(bytes).map_err(|_| damaged())?;
    if bytes.is_empty() || is_sound == Some(false) || is_sound.is_none() && metadata.known.is_some()
    {
        return Err(damaged());
    }
    if metadata.finalized && metadata.version != VERSION {
        bail!(
            Unimplemented,
            "the elements are laid out in version {}, and version {VERSION} is read here: save them anew by a later \
             TensorFlow",
            metadata.version
        );
    }
    Ok(metadata)
}

/// Whether a file that ferrograph wrote is as it was; nothing for one of others.
fn is_sound(bytes: &[u8]) -> Option<bool> {
    let has_mark = bytes.starts_with(&mark());
    let (rest, checksum) = bytes.split_last_chunk::<4>().unwrap_or((bytes, &[0; 4]));
    let before = rest.strip_suffix(&key_of_checksum()[..]);
    let is_own = has_mark || before.is_some();
    is_own.then(|| has_mark && before.is_some_and(|b| masked(b) == u32::from_le_bytes(*checksum)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::KnownContents;

    #[test]
    fn every_flipped_bit_and_every_truncation_is_reported() {
        let metadata = SnapshotMetadata {
            run_id: "12345678901234567890".to_owned(),
            version: VERSION,
            dtype: vec![9, 7],
            num_elements: 3,
            finalized: true,
            known: Some(KnownContents::default()),
            ..SnapshotMetadata::default()
        };
        let whole = encode(&metadata);
        assert_eq!(decode(&whole).unwrap(), metadata);
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&damaged).is_err(), "bit {bit}");
        }
        for end in 0..whole.len() {
            assert!(decode(&whole[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn the_file_of_another_writer() {
        // As TensorFlow 2.21 writes it.
        let bytes = b"\x12\x131113364040114985125\x18\xe3\xf7\xfe\xa6\x9c\xae\x98\x03\x20\x02\x2a\x01\x09\x30\x03\xc0\x3e\x01";
        let found = decode(bytes).unwrap();
        assert_eq!(
            (&found.run_id[..], found.num_elements),
            ("1113364040114985125", 3)
        );
        assert_eq!(found.dtype, [9]);
        assert!(found.finalized && found.known.is_none());
        assert!(decode(b"element_spec: \"\\212\"\ncompression: \"SNAPPY\"\n").is_err());
    }
}
