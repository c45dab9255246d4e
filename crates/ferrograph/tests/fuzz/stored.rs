//! Files that datasets and tables read.

use super::formats::framed;
use super::{computed, fuzz, fuzz_within, tensors, text, texts_of};
use ferrograph_data::{DatasetHandle, IteratorCell};
use ferrograph_formats::messages::SnapshotMetadata;
use ferrograph_formats::{masked, record};
use ferrograph_graph::{Attr, AttrField, Attrs};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, TensorSpec};
use prost::Message;
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
    dataset_of(op, &specs, &[], inputs)
}

/// The dataset that an operation makes, of elements of those types, with more attributes.
fn dataset_of(
    op: &str,
    specs: &[TensorSpec],
    more: &[(&'static str, Attr)],
    inputs: &[Tensor],
) -> Result<Tensor> {
    let all = specs
        .to_vec()
        .write(Attrs::new(), &["output_types", "output_shapes"]);
    let declared = ferrograph_data::registry().decl(op).unwrap().attrs;
    let mut attrs = more.to_vec();
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

/// A saved dataset of elements of every kind.
struct Saved {
    specs: Vec<TensorSpec>,
    folder: PathBuf,
    name: Tensor,
}

/// A ragged and a sparse tensor, an optional of a ragged one, and texts.
const LAYOUT: &str = "r1so(r1)t";

impl Saved {
    fn new(scratch: &Scratch) -> Saved {
        let (folder, name) = scratch.file("d");
        let (values, splits) = (Tensor::vector(&[1i64, 2]), Tensor::vector(&[0i64, 2, 2]));
        let ragged = [values.unwrap(), splits.unwrap()];
        let indices = Tensor::from_slice([2, 1], &[0i64, 2]).unwrap();
        let sparse = [
            indices,
            texts_of(&["a", "b"]),
            Tensor::vector(&[3i64]).unwrap(),
        ];
        let optional = computed("OptionalFromValue", &[], &ragged).unwrap();
        let texts = [texts_of(&["one", ""])];
        let element = [&ragged[..], &sparse, &optional, &texts].concat();
        let specs = element.iter().map(Tensor::spec).map(|mut spec| {
            spec.shape = PartialShape::of_rank(spec.shape.rank().unwrap_or(0));
            spec
        });
        let saved = Saved {
            specs: specs.collect(),
            folder,
            name,
        };
        let input = dataset_of("TensorDataset", &saved.specs, &[], &element).unwrap();
        let made = dataset_of(
            "SaveDatasetV2",
            &saved.specs,
            &[("layout", Attr::str(LAYOUT))],
            &[input, saved.name.clone()],
        );
        assert_eq!(iterate(&made.unwrap()).unwrap(), 1);
        assert_eq!(saved.load().unwrap(), 1);
        saved
    }

    fn load(&self) -> Result<usize> {
        let layout = [("layout", Attr::str(LAYOUT))];
        let name = std::slice::from_ref(&self.name);
        iterate(&dataset_of("LoadDataset", &self.specs, &layout, name)?)
    }

    /// Reads the dataset with other contents of a file.
    fn load_with(&self, path: &Path, file: &[u8]) -> Result<()> {
        std::fs::write(path, file).unwrap();
        self.load().map(drop)
    }
}

#[test]
fn saved_datasets() {
    let scratch = Scratch::new("saved");
    let saved = Saved::new(&scratch);
    let metadata = saved.folder.join("snapshot.metadata");
    for path in files_in(&saved.folder) {
        let what = match path == metadata {
            true => "metadata of saved datasets",
            false => "saved datasets",
        };
        let file = std::fs::read(&path).unwrap();
        let read = |file: &[u8]| saved.load_with(&path, file);
        fuzz(what, std::slice::from_ref(&file), MOST, read);
        std::fs::write(&path, file).unwrap();
    }
    // As another wrote it, who knows no checksum of all.
    let known = std::fs::read(&metadata).unwrap();
    let mut foreign = SnapshotMetadata::decode(&known[..]).unwrap();
    foreign.known = None;
    let foreign = foreign.encode_to_vec();
    let read = |file: &[u8]| saved.load_with(&metadata, file);
    fuzz(
        "metadata of others",
        std::slice::from_ref(&foreign),
        MOST,
        read,
    );
    std::fs::write(&metadata, foreign).unwrap();
    for path in files_in(&saved.folder) {
        if path == metadata {
            continue;
        }
        let file = std::fs::read(&path).unwrap();
        let read = |file: &[u8]| saved.load_with(&path, file);
        let name = "records of saved datasets";
        fuzz_within(name, &[unframed(&file)], MOST, with_checksums, read);
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
