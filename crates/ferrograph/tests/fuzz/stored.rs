//! Files that datasets and tables read.

use super::formats::framed;
use super::{computed, fuzz, fuzz_within, tensors, text, texts_of};
use ferrograph_data::{DatasetHandle, IteratorCell};
use ferrograph_formats::{masked, record};
use ferrograph_graph::{Attr, AttrField, Attrs};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// What a dataset of a small file may take: its buffers and blocks.
const MOST: usize = 16 << 20;

/// A folder that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("ferrograph-fuzz-{name}-{}", std::process::id());
        let memory = Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => memory.join(name),
            false => std::env::temp_dir().join(name),
        };
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn file(&self, name: &str) -> (PathBuf, Tensor) {
        let path = self.0.join(name);
        let name = text(path.to_str().unwrap().as_bytes());
        (path, name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn n(value: i64) -> Tensor {
    Tensor::scalar(value).unwrap()
}

/// The dataset that an operation makes, of elements of those dtypes.
fn dataset(op: &str, dtypes: &[DType], inputs: &[Tensor]) -> Result<Tensor> {
    let specs: Vec<TensorSpec> = dtypes.iter().map(|d| TensorSpec::scalar(*d)).collect();
    let all = specs.write(Attrs::new(), &["output_types", "output_shapes"]);
    let declared = ferrograph_data::registry().decl(op).unwrap().attrs;
    let mut attrs: Vec<(&str, Attr)> = Vec::new();
    for (name, attr) in all.iter() {
        if declared.iter().any(|d| d.name == name) {
            attrs.push((name, attr.clone()));
        }
    }
    Ok(computed(op, &attrs, inputs)?.remove(0))
}

/// Goes through all elements of a dataset.
fn iterate(dataset: &Tensor) -> Result<usize> {
    let mut elements = DatasetHandle::of(dataset)?.dataset.clone().open()?;
    let mut count = 0;
    while elements.next(&PlanRunner)?.is_some() {
        count += 1;
    }
    Ok(count)
}

#[test]
fn files_of_records() {
    let scratch = Scratch::new("records");
    let (path, name) = scratch.file("f");
    let file = framed(&[&b"first"[..], b"", &[7; 300]]);
    let inputs = [name, text(b""), n(0)];
    fuzz("datasets of records", &[file], MOST, |file| {
        std::fs::write(&path, file).unwrap();
        iterate(&dataset("TFRecordDataset", &[DType::String], &inputs)?).map(drop)
    });
}

#[test]
fn files_of_lines_and_rows() {
    let scratch = Scratch::new("lines");
    let (path, name) = scratch.file("f");
    let gzip = vec![
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 76, 74, 78, 4, 35, 29, 133, 196, 188, 20, 133, 226,
        124, 133, 252, 60, 0, 91, 41, 113, 246, 20, 0, 0, 0,
    ];
    let inputs = [name.clone(), text(b"GZIP"), n(0)];
    fuzz("datasets of compressed lines", &[gzip], MOST, |file| {
        std::fs::write(&path, file).unwrap();
        iterate(&dataset("TextLineDataset", &[DType::String], &inputs)?).map(drop)
    });
    let inputs = [name.clone(), n(1), n(3), n(2), n(0), text(b"")];
    fuzz(
        "datasets of bytes",
        &[b"habcdefff".to_vec()],
        MOST,
        |file| {
            std::fs::write(&path, file).unwrap();
            iterate(&dataset(
                "FixedLengthRecordDatasetV2",
                &[DType::String],
                &inputs,
            )?)
            .map(drop)
        },
    );
    let [floats, number, _] = tensors();
    let flag = |value: bool| Tensor::scalar(value).unwrap();
    let inputs = [
        name,
        text(b""),
        n(0),
        flag(true),
        text(b","),
        flag(true),
        text(b"NA"),
        Tensor::from_slice([0], &[0i64; 0]).unwrap(),
        floats.rows(0, 1).unwrap(),
        number.reshaped([1].into()).unwrap(),
        texts_of(&["d"]),
    ];
    let dtypes = [DType::Float32, DType::Int64, DType::String];
    let rows = b"a,b,c\n1.5,2,\"x \"\"y\"\"\nz\"\nNA,,w\r\n".to_vec();
    fuzz("datasets of rows", &[rows], MOST, |file| {
        std::fs::write(&path, file).unwrap();
        iterate(&dataset("CSVDataset", &dtypes, &inputs)?).map(drop)
    });
}

/// A dataset of three numbers.
fn range() -> Tensor {
    dataset("RangeDataset", &[DType::Int64], &[n(0), n(3), n(1)]).unwrap()
}

/// The records of a file, each behind its length in two bytes.
fn unframed(file: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    let mut reader = record::Reader::new(Cursor::new(file));
    while let Some(record) = reader.next_record().unwrap() {
        all.extend(u16::try_from(record.len()).unwrap().to_le_bytes());
        all.extend_from_slice(record);
    }
    all
}

/// Records behind their lengths as a file, with checksums that hold.
fn with_checksums(all: Vec<u8>) -> Vec<u8> {
    let (mut file, mut rest) = (Vec::new(), &all[..]);
    while let Some((length, from)) = rest.split_first_chunk::<2>() {
        let n = usize::from(u16::from_le_bytes(*length)).min(from.len());
        let length = (n as u64).to_le_bytes();
        file.extend(length);
        file.extend(masked(&length).to_le_bytes());
        file.extend_from_slice(&from[..n]);
        file.extend(masked(&from[..n]).to_le_bytes());
        rest = &from[n..];
    }
    file
}

#[test]
fn caches() {
    let scratch = Scratch::new("caches");
    let (_, name) = scratch.file("c");
    let cache = || dataset("CacheDataset", &[DType::Int64], &[range(), name.clone()]);
    assert_eq!(iterate(&cache().unwrap()).unwrap(), 3);
    let path = scratch.0.join("c.data-00000-of-00001");
    let file = std::fs::read(&path).unwrap();
    let read = |file: &[u8]| {
        std::fs::write(&path, file).unwrap();
        iterate(&cache()?).map(drop)
    };
    fuzz("caches", std::slice::from_ref(&file), MOST, read);
    fuzz_within(
        "records of caches",
        &[unframed(&file)],
        MOST,
        with_checksums,
        read,
    );
}

/// The files in a folder and those below.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files_in(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}

#[test]
fn saved_datasets() {
    let scratch = Scratch::new("saved");
    let (folder, name) = scratch.file("d");
    let saved = dataset("SaveDatasetV2", &[DType::Int64], &[range(), name.clone()]).unwrap();
    assert_eq!(iterate(&saved).unwrap(), 3);
    let load = || dataset("LoadDataset", &[DType::Int64], std::slice::from_ref(&name));
    assert_eq!(iterate(&load().unwrap()).unwrap(), 3);
    for path in files_in(&folder) {
        let what = match path.ends_with("snapshot.metadata") {
            true => "manifests of saved datasets",
            false => "saved datasets",
        };
        let file = std::fs::read(&path).unwrap();
        let read = |file: &[u8]| {
            std::fs::write(&path, file).unwrap();
            iterate(&load()?).map(drop)
        };
        fuzz(what, std::slice::from_ref(&file), MOST, read);
        let within = format!("records of {what}");
        fuzz_within(&within, &[unframed(&file)], MOST, with_checksums, read);
        std::fs::write(&path, file).unwrap();
    }
}

#[test]
fn positions() {
    let shuffled = dataset(
        "ShuffleDatasetV3",
        &[DType::Int64],
        &[range(), n(2), n(3), n(4)],
    );
    let repeated = dataset("RepeatDataset", &[DType::Int64], &[shuffled.unwrap(), n(2)]).unwrap();
    let begun = || {
        let cell = IteratorCell::new().into_tensor();
        computed("MakeIterator", &[], &[repeated.clone(), cell.clone()]).map(|_| cell)
    };
    let cell = begun().unwrap();
    for _ in 0..4 {
        IteratorCell::of(&cell).unwrap().next(&PlanRunner).unwrap();
    }
    let found = computed("IteratorPosition", &[], &[cell]).unwrap();
    let words = found[0].as_slice::<i64>().unwrap();
    let file: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    fuzz("positions", &[file], MOST, |file| {
        let words: Vec<i64> = (file.as_chunks().0.iter())
            .map(|w| i64::from_le_bytes(*w))
            .collect();
        let cell = begun()?;
        let position = Tensor::vector(&words)?;
        computed("SetIteratorPosition", &[], &[cell.clone(), position])?;
        IteratorCell::of(&cell)?.next(&PlanRunner).map(drop)
    });
}
