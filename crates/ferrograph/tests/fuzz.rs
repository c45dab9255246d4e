//! Every parser under inputs that nobody wrote: whole files, mutated at random. What comes of them is a value or an error
//! that names the damage; never a panic, nor an error that blames the program.
//!
//! `FERROGRAPH_FUZZ_INPUTS` says how many inputs each parser gets; the mutations are the same in every run.

use ferrograph_formats::{bundle, compression::Compression, example, messages, npy, npz, record};
use ferrograph_graph::{Attr, text};
use ferrograph_runtime::compute;
use ferrograph_saved::{Functions, SavedFile, graph_message, graph_of, model_of};
use ferrograph_tensor::{Bytes, Error, ErrorKind, Result, Shape, Tensor};
use prost::Message;
use std::io::{Cursor, Read};
use std::path::Path;

/// How many inputs a parser gets where nobody says.
const N_INPUTS: u64 = 300;
/// How much is read of what may never end.
const MOST: u64 = 1 << 20;

/// Numbers that look random: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        const NOTABLE: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 8, 10, 0x12];
        match self.below(3) {
            0 => NOTABLE[self.below(NOTABLE.len())],
            _ => self.below(256) as u8,
        }
    }

    /// One change of a file.
    fn mutate(&mut self, file: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(file.len());
        match self.below(8) {
            _ if file.is_empty() => file.push(self.byte()),
            0 => file[at] ^= 1 << self.below(8),
            1 | 2 => file[at] = self.byte(),
            3 => file.truncate(at),
            4 => file.insert(at, self.byte()),
            5 => drop(file.drain(at..(at + 1 + self.below(8)).min(file.len()))),
            6 => {
                let from = self.below(other.len());
                let part = &other[from..(from + 1 + self.below(16)).min(other.len())];
                file.splice(at..at, part.iter().copied());
            }
            _ => {
                let end = (at + [2, 4, 8][self.below(3)]).min(file.len());
                let with = [0, 0x7f, 0xff][self.below(3)];
                file[at..end].fill(with);
            }
        }
    }
}

/// Gives a parser mutations of these files; they themselves must be read.
fn fuzz(files: &[Vec<u8>], parse: impl Fn(&[u8]) -> Result<()>) {
    for (i, file) in files.iter().enumerate() {
        parse(file).unwrap_or_else(|e| panic!("file {i} is not read: {e}"));
    }
    let n = std::env::var("FERROGRAPH_FUZZ_INPUTS").map_or(N_INPUTS, |n| n.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut n_refused = 0;
    for _ in 0..n {
        let mut file = files[random.below(files.len())].clone();
        let other = &files[random.below(files.len())];
        for _ in 0..1 + random.below(4) {
            random.mutate(&mut file, other);
        }
        if let Err(e) = parse(&file) {
            n_refused += 1;
            assert_ne!(e.kind(), ErrorKind::Internal, "{e} for {file:?}");
            assert!(!e.message().is_empty());
        }
    }
    assert!(n_refused > 0, "nothing was refused");
}

fn io(e: &std::io::Error) -> Error {
    Error::new(ErrorKind::DataLoss, e.to_string())
}

fn damaged(e: &prost::DecodeError) -> Error {
    Error::new(ErrorKind::DataLoss, e.to_string())
}

/// A field of bytes in a message.
fn part(number: u8, content: &[u8]) -> Vec<u8> {
    let mut all = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
    all.extend_from_slice(content);
    all
}

fn tensors() -> [Tensor; 3] {
    let words = vec![Bytes::from(&b"one"[..]), Bytes::from(&b""[..])];
    [
        Tensor::vector(&[1.0f32, 2.5, -3.0]).unwrap(),
        Tensor::scalar(7i64).unwrap(),
        Tensor::from_strings(Shape::from([2]), words).unwrap(),
    ]
}

#[test]
fn records() {
    let mut writer = record::Writer::new(Vec::new());
    for record in [&b"first"[..], b"", &[7; 300]] {
        writer.write(record).unwrap();
    }
    fuzz(&[writer.into_inner()], |file| {
        let mut reader = record::Reader::new(Cursor::new(file));
        while reader.next_record()?.is_some() {}
        Ok(())
    });
}

/// An example with a feature of each kind.
fn example_message() -> Vec<u8> {
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

#[test]
fn examples() {
    let step = part(1, &part(3, &part(1, &[5])));
    let list = part(1, &[part(1, b"l"), part(2, &step)].concat());
    let sequence = [example_message(), part(2, &list)].concat();
    fuzz(&[example_message(), sequence], |file| {
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
    fuzz(&[one, npy::write(&number).unwrap()], |file| {
        npy::read(file).map(drop)
    });
    let archive = npz::write(&[("a", &floats), ("b", &number)]).unwrap();
    fuzz(&[archive], |file| npz::read(file).map(drop));
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
        read.map(drop).map_err(|e| io(&e))
    };
    fuzz(&[zlib], |file| read(Compression::Zlib, file));
    fuzz(&[gzip], |file| read(Compression::Gzip, file));
}

#[test]
fn indices_of_bundles() {
    let mut writer = bundle::Writer::new(Vec::new(), 1);
    for (i, tensor) in tensors().iter().enumerate() {
        writer.add(&format!("tensor/{i}"), tensor).unwrap();
    }
    let (data, index) = writer.finish();
    fuzz(&[index], |file| {
        for (_, entry) in bundle::Index::parse(file)?.entries() {
            let at = usize::try_from(entry.offset())
                .unwrap_or(usize::MAX)
                .min(data.len());
            let rest = &data[at..];
            entry.read(&mut Cursor::new(rest), rest.len() as u64)?;
        }
        Ok(())
    });
}

#[test]
fn messages_of_tensors_and_events() {
    let all = tensors();
    let all: Vec<_> = (all.iter())
        .map(|t| messages::TensorProto::of(t).unwrap().encode_to_vec())
        .collect();
    fuzz(&all, |file| {
        let message = messages::TensorProto::decode(file).map_err(|e| damaged(&e))?;
        message.to_tensor().map(drop)
    });
    let value = part(1, &[part(1, b"tag"), vec![0x15, 0, 0, 128, 63]].concat());
    let event = [vec![9, 0, 0, 0, 0, 0, 0, 240, 63, 16, 3], part(5, &value)].concat();
    fuzz(&[event], |file| {
        messages::Event::decode(file)
            .map(drop)
            .map_err(|e| damaged(&e))
    });
}

/// A branch on a variable, as the tests of saved graphs have it.
const GRAPH: &str = include_str!("../../saved/tests/branches.txt");

#[test]
fn graphs() {
    let registry = ferrograph_data::registry();
    let graph = text::parse(GRAPH, registry).unwrap();
    fuzz(&[GRAPH.as_bytes().to_vec()], |file| {
        let file = String::from_utf8_lossy(file);
        text::parse(&file, registry).map(drop)
    });
    let message = graph_message(&graph).unwrap();
    fuzz(&[message.encode_to_vec()], |file| {
        let message = messages::GraphDef::decode(file).map_err(|e| damaged(&e))?;
        let graph = graph_of(&message, "g", &["x".into(), "v".into()], &["if".into()])?;
        drop(ferrograph_graph::verify(&graph));
        Ok(())
    });
}

#[test]
fn models() {
    let path = "../../tests/saved/recorded/model/saved_model.pb";
    let file = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    fuzz(&[file], |file| {
        let read = SavedFile::of(model_of(file, None)?, None)?;
        let mut functions: Functions<'_> = read.functions();
        for name in read.function_names() {
            drop(ferrograph_graph::verify(
                read.concrete(&mut functions, name)?.as_ref(),
            ));
        }
        Ok(())
    });
}

/// What an operation makes of a string.
fn decoded(op: &str, attrs: &[(&str, Attr)], file: &[u8], more: &[Tensor]) -> Result<Vec<Tensor>> {
    let attrs: Vec<_> = attrs
        .iter()
        .map(|(n, a)| ((*n).to_owned(), a.clone()))
        .collect();
    let op = ferrograph_data::registry().make(op, &attrs)?;
    let file = Tensor::string(Bytes::from(file));
    let inputs = [&[file], more].concat();
    Ok(compute(&op, &inputs)?.into_vec())
}

/// The string that an operation makes of an image.
fn encoded(op: &str) -> Vec<u8> {
    let pixels: Vec<u8> = (0..7 * 5 * 3).map(|i| (i * 37 % 251) as u8).collect();
    let image = Tensor::vector(&pixels)
        .unwrap()
        .reshaped([7, 5, 3].into())
        .unwrap();
    let op = ferrograph_data::registry().make(op, &[]).unwrap();
    compute(&op, &[image]).unwrap()[0].as_strings().unwrap()[0].to_vec()
}

#[test]
fn pictures() {
    for (encoder, decoder) in [("EncodePng", "DecodePng"), ("EncodeJpeg", "DecodeJpeg")] {
        fuzz(&[encoded(encoder)], |file| {
            decoded(decoder, &[], file, &[]).map(drop)
        });
    }
    let mut gif = b"GIF89a".to_vec();
    gif.extend_from_slice(&[2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
    gif.extend_from_slice(&[0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x44, 2, 5, 0, 0x3b]);
    fuzz(&[gif], |file| {
        decoded("DecodeGif", &[], file, &[]).map(drop)
    });
    let mut bmp = b"BM".to_vec();
    bmp.extend_from_slice(&[70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0]);
    bmp.extend_from_slice(&[2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]);
    bmp.extend_from_slice(&[0; 24]);
    bmp.extend_from_slice(&[9; 16]);
    fuzz(&[bmp], |file| {
        decoded("DecodeBmp", &[], file, &[]).map(drop)
    });
}

#[test]
fn texts() {
    let [floats, number, _] = tensors();
    let words = Tensor::from_strings(Shape::from([1]), vec![Bytes::from(&b"d"[..])]).unwrap();
    let defaults = [
        floats.rows(0, 1).unwrap(),
        number.reshaped([1].into()).unwrap(),
        words,
    ];
    fuzz(
        &[b"1.5,2,\"a \"\"b\"\"\"".to_vec(), b",,".to_vec()],
        |file| decoded("DecodeCSV", &[], file, &defaults).map(drop),
    );
    let json = br#"{"features":{"feature":{"a":{"int64List":{"value":["1",2]}},"b":{"floatList":{"value":[1.5]}}}}}"#;
    fuzz(&[json.to_vec()], |file| {
        decoded("DecodeJSONExample", &[], file, &[]).map(drop)
    });
    fuzz(&[b"-12.5e3".to_vec(), b"inf".to_vec()], |file| {
        decoded("StringToNumber", &[], file, &[]).map(drop)
    });
    fuzz(&[b"aGVsbG8".to_vec()], |file| {
        decoded("DecodeBase64", &[], file, &[]).map(drop)
    });
}
