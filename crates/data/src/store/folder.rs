//! Folders of elements, laid out as TensorFlow lays them out: each run of writing has a folder of its own within, with a
//! folder a shard; a file of metadata, which is put in place when a run is whole, says which one counts.

use super::file::{Reader, Sum, Writer, within};
use super::layout::Layout;
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_formats::messages::{KnownContents, KnownShard, SnapshotMetadata};
use ferrograph_formats::snapshot::{VERSION, decode, encode};
use ferrograph_graph::Tensors;
use ferrograph_tensor::{Error, ErrorKind, Result, Tensor, TensorSpec, err};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The name of the file of metadata.
const METADATA: &str = "snapshot.metadata";
/// The name of the file of the type of the elements.
const ELEMENT_SPEC: &str = "dataset_spec.pb";
/// How the folder of a shard is called behind its number.
const SHARD: &str = ".shard";

fn since_1970() -> std::time::Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default()
}

/// A number that no other run has.
pub(super) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = since_1970().as_nanos() as u64;
    let own = NEXT.fetch_add(1, Ordering::Relaxed);
    (now << 16) ^ (u64::from(std::process::id()) << 8) ^ own
}

/// A shard of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    name: String,
    /// How many elements it has and what its only file is, where ferrograph wrote it.
    known: Option<(u64, Sum)>,
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    run: PathBuf,
    compression: Compression,
    shards: Vec<Place>,
    /// How many elements all shards have, where that is known.
    total: Option<u64>,
    /// The type of the elements as a structure, or nothing.
    element_spec: Vec<u8>,
}

impl Manifest {
    /// That of a folder, if a run was finished there. Files are compressed so where the folder does not say how.
    pub(super) fn of(folder: &Path, compression: Compression) -> Result<Option<Manifest>> {
        let path = folder.join(METADATA);
        let Some(bytes) = contents(&path)? else {
            return Ok(None);
        };
        let metadata = decode(&bytes).map_err(|e| within(&path, &e))?;
        if !metadata.finalized {
            return Ok(None);
        }
        let lost = || err!(DataLoss, "{}: there is no such run", path.display());
        let mut parts = Path::new(&metadata.run_id).components();
        let run = match (parts.next(), parts.next()) {
            (Some(Component::Normal(run)), None) => folder.join(run),
            _ => return Err(lost()),
        };
        Ok(Some(match metadata.known {
            Some(known) => Manifest {
                compression: of_code(known.compression).ok_or_else(lost)?,
                shards: known.shards.iter().map(Place::of).collect(),
                total: Some(metadata.num_elements.try_into().map_err(|_| lost())?),
                element_spec: known.element_spec,
                run,
            },
            None => Manifest {
                compression,
                shards: found_in(&run)?,
                total: metadata.num_elements.try_into().ok(),
                element_spec: contents(&folder.join(ELEMENT_SPEC))?.unwrap_or_default(),
                run,
            },
        }))
    }

    /// The type of the elements as a structure; empty where it is not known.
    pub(super) fn element_spec(&self) -> &[u8] {
        &self.element_spec
    }

    /// How many shards there are.
    pub(super) fn n_shards(&self) -> usize {
        self.shards.len()
    }

    /// How many elements a shard has, where that is known.
    pub(super) fn count(&self, shard: usize) -> Option<u64> {
        self.shards[shard].known.map(|(n, _)| n)
    }

    /// How many elements all shards have, where that is known.
    pub(super) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Reads a shard.
    pub(super) fn read(&self, shard: usize) -> Result<Shard> {
        let place = &self.shards[shard];
        let folder = self.run.join(&place.name);
        let sum = place.known.map(|(_, sum)| sum);
        let reader = Reader::open(&file_of(&folder, 0), self.compression, sum)?;
        Ok(Shard {
            folder,
            compression: self.compression,
            known: place.known.map(|(n, _)| n),
            reader,
            n_files: 1,
            n_elements: 0,
        })
    }
}

/// The bytes of a file that may be there.
fn contents(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(failed(path, &e)),
    }
}

impl Place {
    fn of(shard: &KnownShard) -> Place {
        let sum = Sum {
            n_bytes: shard.n_bytes,
            checksum: shard.checksum,
        };
        Place {
            name: shard_name(shard.number),
            known: Some((shard.n_elements, sum)),
        }
    }
}

fn shard_name(number: u64) -> String {
    format!("{number:08}{SHARD}")
}

/// The shards that the folder of a run holds, by their numbers.
fn found_in(run: &Path) -> Result<Vec<Place>> {
    let entries = match fs::read_dir(run) {
        // What holds no elements has no files.
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|e| failed(run, &e))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(|e| failed(run, &e))?.file_name();
        let number = name
            .to_str()
            .and_then(|n| n.strip_suffix(SHARD)?.parse().ok());
        names.extend(number.map(|n: u64| (n, name)));
    }
    names.sort();
    let place = |(_, name): (u64, std::ffi::OsString)| Place {
        name: name.to_string_lossy().into_owned(),
        known: None,
    };
    Ok(names.into_iter().map(place).collect())
}

fn file_of(shard: &Path, number: u64) -> PathBuf {
    shard.join(format!("{number:08}.snapshot"))
}

fn of_code(code: u32) -> Option<Compression> {
    [Compression::None, Compression::Gzip, Compression::Snappy]
        .get(code as usize)
        .copied()
}

fn code_of(compression: Compression) -> u32 {
    match compression {
        Compression::Snappy => 2,
        Compression::Gzip | Compression::Zlib => 1,
        Compression::None => 0,
    }
}

/// Reads a shard: a file, and those that were written behind it by a run that was stopped and went on.
pub(super) struct Shard {
    folder: PathBuf,
    compression: Compression,
    /// How many elements there have to be, in one file.
    known: Option<u64>,
    reader: Reader,
    n_files: u64,
    n_elements: u64,
}

impl Shard {
    /// The next element.
    pub(super) fn next(
        &mut self,
        layout: &Layout,
        specs: &[TensorSpec],
    ) -> Result<Option<Tensors>> {
        loop {
            match layout.read(&mut self.reader, specs, |_| false) {
                Ok(Some(element)) => {
                    self.n_elements += 1;
                    return Ok(Some(element));
                }
                Ok(None) if self.known.is_some_and(|n| n != self.n_elements) => {
                    return Err(missing(self.reader.path()));
                }
                Ok(None) if self.known.is_none() && self.goes_on()? => {}
                Ok(None) => return Ok(None),
                Err(e) if self.known.is_none() && self.n_elements == 0 => return Err(hinted(&e)),
                Err(e) => return Err(e),
            }
        }
    }

    /// Goes on to the next file, if there is one.
    fn goes_on(&mut self) -> Result<bool> {
        let path = file_of(&self.folder, self.n_files);
        self.n_files += 1;
        match path.exists() {
            true => self.reader = Reader::open(&path, self.compression, None)?,
            false => return Ok(false),
        }
        Ok(true)
    }
}

/// That a folder holds fewer elements than it says, or more.
pub(super) fn missing(path: &Path) -> Error {
    err!(DataLoss, "{}: elements are missing", path.display())
}

/// The error of a file that may be compressed otherwise.
fn hinted(e: &Error) -> Error {
    match e.kind() {
        ErrorKind::DataLoss => err!(
            DataLoss,
            "{}; if it was saved with another compression, load it with that",
            e.message()
        ),
        kind => Error::new(kind, e.message().to_owned()),
    }
}

/// What is said of elements that are written.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// The types of their tensors.
    pub specs: Vec<TensorSpec>,
    /// Their type as a structure, or nothing.
    pub element_spec: std::sync::Arc<[u8]>,
    pub layout: Layout,
}

/// A run of writing, which leaves nothing behind unless it is finished.
pub(super) struct Run {
    folder: PathBuf,
    number: u64,
    compression: Compression,
    writers: BTreeMap<u64, (u64, Writer)>,
    record: Vec<u8>,
    process: u32,
    is_finished: bool,
}

impl Run {
    pub(super) fn begin(folder: &Path, compression: Compression) -> Result<Run> {
        let run = Run {
            folder: folder.to_owned(),
            number: fresh(),
            compression,
            writers: BTreeMap::new(),
            record: Vec::new(),
            process: std::process::id(),
            is_finished: false,
        };
        fs::create_dir_all(run.own()).map_err(|e| failed(folder, &e))?;
        Ok(run)
    }

    /// The folder of this run.
    fn own(&self) -> PathBuf {
        self.folder.join(self.number.to_string())
    }

    fn shard(&self, number: u64) -> PathBuf {
        self.own().join(shard_name(number))
    }

    /// Appends an element to a shard.
    pub(super) fn put(&mut self, shard: i64, element: &[Tensor], layout: &Layout) -> Result<()> {
        self.check_process()?;
        let shard = shard.cast_unsigned();
        if !self.writers.contains_key(&shard) {
            let folder = self.shard(shard);
            fs::create_dir(&folder).map_err(|e| failed(&folder, &e))?;
            let writer = Writer::create(&file_of(&folder, 0), self.compression)?;
            self.writers.insert(shard, (0, writer));
        }
        let Some((count, writer)) = self.writers.get_mut(&shard) else {
            return Err(err!(Internal, "a shard has no writer"));
        };
        *count += 1;
        layout.write(element, &mut self.record, |record| writer.put(record))
    }

    fn check_process(&self) -> Result<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(forked()),
        }
    }

    /// Ends all files and makes the run count, with what is said of the elements.
    pub(super) fn finish(mut self, said: &Said) -> Result<()> {
        self.check_process()?;
        let mut shards = Vec::new();
        for (number, (n_elements, writer)) in std::mem::take(&mut self.writers) {
            let sum = writer.finish()?;
            synced(&self.shard(number))?;
            shards.push(KnownShard {
                number,
                n_elements,
                n_bytes: sum.n_bytes,
                checksum: sum.checksum,
            });
        }
        synced(&self.own())?;
        let total: u64 = shards.iter().map(|shard| shard.n_elements).sum();
        let metadata = SnapshotMetadata {
            graph_hash: String::new(),
            run_id: self.number.to_string(),
            creation_timestamp: since_1970().as_micros() as i64,
            version: VERSION,
            dtype: said.layout.dtypes(&said.specs),
            num_elements: total.cast_signed(),
            finalized: true,
            known: Some(KnownContents {
                element_spec: said.element_spec.to_vec(),
                compression: code_of(self.compression),
                shards,
            }),
        };
        self.say(said, &encode(&metadata))
            .map_err(|e| failed(&self.folder, &e))?;
        self.is_finished = true;
        Ok(())
    }

    /// Puts what is said of the elements in its place: the type, which ferrograph does not read, before what makes the
    /// run count.
    fn say(&self, said: &Said, metadata: &[u8]) -> io::Result<()> {
        match said.element_spec.is_empty() {
            false => self.replace(ELEMENT_SPEC, &said.element_spec)?,
            true => match fs::remove_file(self.folder.join(ELEMENT_SPEC)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            },
        }
        self.replace(METADATA, metadata)?;
        File::open(&self.folder)?.sync_all()
    }

    /// Puts a file in its place, where it is as a whole or not at all.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let partial = self
            .folder
            .join(format!("{name}.partial-{:016x}", self.number));
        let mut file = File::create_new(&partial)?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        fs::rename(&partial, self.folder.join(name))
    }
}

/// Waits until what a folder lists is stored.
fn synced(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|f| f.sync_all());
    synced.map_err(|e| failed(folder, &e))
}

/// That a process goes on with an iteration that writes a file of its parent.
pub(super) fn forked() -> Error {
    err!(
        FailedPrecondition,
        "this iterator writes a file in the process that was forked: begin another iteration here"
    )
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // What is buffered is the parent's to write.
            std::mem::forget(std::mem::take(&mut self.writers));
        } else if !self.is_finished {
            self.writers.clear();
            // A folder that stays is never read.
            let _ = fs::remove_dir_all(self.own());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::DType;

    #[test]
    fn an_unfinished_run_is_none_and_shards_come_by_their_numbers() {
        let folder = std::env::temp_dir().join(format!("ferrograph-runs-{}", std::process::id()));
        let said = Said {
            specs: vec![TensorSpec::scalar(DType::Int64)],
            element_spec: [1, 2][..].into(),
            layout: Layout::of("", 1).unwrap(),
        };
        let of = || Manifest::of(&folder, Compression::None).unwrap();
        let element = |n: i64| [Tensor::scalar(n).unwrap()];
        let mut run = Run::begin(&folder, Compression::None).unwrap();
        run.put(3, &element(1), &said.layout).unwrap();
        drop(run);
        assert_eq!(of(), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let mut run = Run::begin(&folder, Compression::Snappy).unwrap();
        run.put(-1, &element(1), &said.layout).unwrap();
        run.put(3, &element(2), &said.layout).unwrap();
        run.finish(&said).unwrap();
        let manifest = of().unwrap();
        assert_eq!((manifest.n_shards(), manifest.total()), (2, Some(2)));
        assert_eq!(manifest.element_spec(), [1, 2]);
        let mut first = manifest.read(0).unwrap();
        let found = first.next(&said.layout, &said.specs).unwrap().unwrap();
        assert_eq!(found[0].item::<i64>().unwrap(), 2);
        assert!(first.next(&said.layout, &said.specs).unwrap().is_none());
        fs::remove_dir_all(folder).unwrap();
    }
}
