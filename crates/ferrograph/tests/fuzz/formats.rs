//! Layouts of files.

use super::{LITTLE, damaged, fuzz, fuzz_within, part, tensors};
use ferrograph_formats::record;
use ferrograph_formats::{bundle, compression::Compression, example, masked, messages, npy, npz};
use ferrograph_tensor::Result;
use prost::Message;
use std::io::{Cursor, Read};

/// How much is read of what may never end.
const MOST: u64 = 1 << 20;

/// Records in a file.
pub fn framed(records: &[&[u8]]) -> Vec<u8> {
    let mut writer = record::Writer::new(Vec::new());
    for record in records {
        writer.write(record).unwrap();
    }
    writer.into_inner()
}

#[test]
fn records() {
    let file = framed(&[&b"first"[..], b"", &[7; 300]]);
    fuzz("records", &[file], LITTLE, |file| {
        let mut reader = record::Reader::new(Cursor::new(file));
        while reader.next_record()?.is_some() {}
        Ok(())
    });
}

/// An example with a feature of each kind.
pub fn example_message() -> Vec<u8> {
    let floats = part(2, &part(1, &[0, 0, 128, 63, 0, 0, 0, 64]));
    let ints = part(3, &part(1, &[1, 2, 0xff, 1]));
    let words = part(1, &[part(1, b"one"), part(1, b"")].concat());
    let entry = |key: &[u8], value: &[u8]| part(1, &[part(1, key), part(2, value)].concat());
    let all = [
        entry(b"f", &floats),
        entry(b"i", &ints),
        entry(b"w", &words),
    ]
    .concat();
    part(1, &all)
}

/// An example with a list of features, too.
pub fn sequence_message() -> Vec<u8> {
    let step = part(1, &part(3, &part(1, &[5])));
    let list = part(1, &[part(1, b"l"), part(2, &step)].concat());
    [example_message(), part(2, &list)].concat()
}

#[test]
fn examples() {
    let files = [example_message(), sequence_message()];
    fuzz("examples", &files, LITTLE, |file| {
        let read = |_: &[u8], feature: &[u8]| {
            let feature = example::Feature::new(feature)?;
            let (mut ints, mut floats) = (Vec::new(), Vec::new());
            let _ = (
                feature.kind(),
                feature.ints(&mut ints),
                feature.floats(&mut floats),
            );
            feature.strings(|_| Ok(()))
        };
        let steps = |_: &[u8], list: &[u8]| example::steps(list).map(drop);
        example::features(file, |_, feature| example::Feature::new(feature).map(drop))?;
        // A feature of another kind is refused, which is no damage.
        let _ = example::features(file, read);
        example::sequences(file, |_, f| example::Feature::new(f).map(drop), steps)
    });
}

#[test]
fn arrays() {
    let [floats, number, _] = tensors();
    let one = npy::write(&floats).unwrap();
    fuzz(
        "npy",
        &[one, npy::write(&number).unwrap()],
        LITTLE,
        |file| npy::read(file).map(drop),
    );
    let archive = npz::write(&[("a", &floats), ("b", &number)]).unwrap();
    fuzz("npz", &[archive], LITTLE, |file| npz::read(file).map(drop));
}

#[test]
fn compressed() {
    let zlib = vec![
        120, 156, 75, 76, 74, 78, 4, 35, 29, 133, 196, 188, 20, 133, 226, 124, 133, 252, 60, 0, 74,
        78, 6, 241,
    ];
    let gzip = vec![
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 76, 74, 78, 4, 35, 29, 133, 196, 188, 20, 133, 226,
        124, 133, 252, 60, 0, 91, 41, 113, 246, 20, 0, 0, 0,
    ];
    let read = |how: Compression, file: &[u8]| {
        let mut all = Vec::new();
        let read = how
            .reader(Cursor::new(file.to_vec()))
            .take(MOST)
            .read_to_end(&mut all);
        read.map(drop).map_err(|e| damaged(&e))
    };
    fuzz("zlib", &[zlib], LITTLE, |file| {
        read(Compression::Zlib, file)
    });
    fuzz("gzip", &[gzip], LITTLE, |file| {
        read(Compression::Gzip, file)
    });
    let snappy = [
        &[0, 0, 0, 11, 43, 4][..],
        b"ab",
        &[0x96, 2, 0, 8],
        b"xyz",
        &[0, 0, 0, 3, 1, 0],
        b"a",
    ]
    .concat();
    fuzz("snappy", &[snappy], LITTLE, |file| {
        read(Compression::Snappy, file)
    });
}

/// The index of a bundle of these tensors, and its data.
fn bundle_of_all() -> (Vec<u8>, Vec<u8>) {
    let mut writer = bundle::Writer::new(Vec::new(), 1);
    for (i, tensor) in tensors().iter().enumerate() {
        writer.add(&format!("tensor/{i}"), tensor).unwrap();
    }
    let (data, index) = writer.finish();
    (index, data)
}

fn read_bundle(index: &[u8], data: &[u8]) -> Result<()> {
    for (_, entry) in bundle::Index::parse(index)?.entries() {
        let at = usize::try_from(entry.offset()).unwrap_or(usize::MAX);
        let rest = &data[at.min(data.len())..];
        entry.read(&mut Cursor::new(rest), rest.len() as u64)?;
    }
    Ok(())
}

#[test]
fn indices_of_bundles() {
    let (index, data) = bundle_of_all();
    fuzz("indices of bundles", &[index], LITTLE, |file| {
        read_bundle(file, &data)
    });
}

/// Where the block of entries of a small index ends: behind it stand its kind of compression and its checksum, then an
/// empty block.
fn end_of_entries(index: &[u8]) -> usize {
    let ends = |end: &usize| {
        let checksum = masked(&index[..*end + 1]).to_le_bytes();
        index[*end + 1..].starts_with(&checksum)
    };
    (0..index.len() - 5).find(ends).unwrap()
}

#[test]
fn entries_of_bundles() {
    let (index, data) = bundle_of_all();
    let end = end_of_entries(&index);
    let (entries, rest) = (index[..end].to_vec(), &index[end + 5..]);
    let wrap = |mut entries: Vec<u8>| {
        entries.resize(end, 0);
        entries.push(0);
        let checksum = masked(&entries);
        entries.extend(checksum.to_le_bytes());
        entries.extend_from_slice(rest);
        entries
    };
    fuzz_within("entries of bundles", &[entries], LITTLE, wrap, |file| {
        read_bundle(file, &data)
    });
}

#[test]
fn data_of_bundles() {
    let (index, data) = bundle_of_all();
    fuzz("data of bundles", &[data], LITTLE, |file| {
        read_bundle(&index, file)
    });
}

#[test]
fn messages_of_tensors_and_events() {
    let all = tensors();
    let all: Vec<_> = (all.iter())
        .map(|t| messages::TensorProto::of(t).unwrap().encode_to_vec())
        .collect();
    fuzz("messages of tensors", &all, LITTLE, |file| {
        let message = messages::TensorProto::decode(file).map_err(|e| damaged(&e))?;
        message.to_tensor().map(drop)
    });
    let value = part(1, &[part(1, b"tag"), vec![0x15, 0, 0, 128, 63]].concat());
    let event = [vec![9, 0, 0, 0, 0, 0, 0, 240, 63, 16, 3], part(5, &value)].concat();
    fuzz("events", &[event], LITTLE, |file| {
        messages::Event::decode(file)
            .map(drop)
            .map_err(|e| damaged(&e))
    });
}

#[test]
fn objects_of_checkpoints() {
    let child = part(1, &[&[8, 1][..], &part(2, b"layer")].concat());
    let value = part(
        2,
        &[part(1, b"VARIABLE_VALUE"), part(3, b"layer/v")].concat(),
    );
    let slot = part(3, &[&[8, 1][..], &part(2, b"m"), &[24, 0]].concat());
    let graph = [part(1, &[child, slot].concat()), part(1, &value)].concat();
    fuzz("objects of checkpoints", &[graph], LITTLE, |file| {
        messages::TrackableObjectGraph::decode(file)
            .map(drop)
            .map_err(|e| damaged(&e))
    });
}
