//! Folders of elements: each run of writing has a folder of its own within, with a file a shard; a manifest, which is
//! put in place when a run is whole, says which one counts.

use super::file::{Reader, Writer};
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_formats::record;
use ferrograph_tensor::{Error, Result, Tensor, err};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The name of the manifest.
const MANIFEST: &str = "snapshot.metadata";
/// What the manifest begins with.
const MAGIC: &[u8] = b"ferrograph shards 1";

/// A number that no other run has.
pub(super) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |t| t.as_nanos() as u64);
    let own = NEXT.fetch_add(1, Ordering::Relaxed);
    (now << 16) ^ (u64::from(std::process::id()) << 8) ^ own
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    run: u64,
    compression: Compression,
    /// Of each shard the number of its file, and how many elements it has.
    shards: Vec<(u64, u64)>,
    /// What the writer said of the elements.
    note: Vec<u8>,
}

impl Manifest {
    /// That of a folder, if a run was finished there.
    pub(super) fn of(folder: &Path) -> Result<Option<Manifest>> {
        let path = folder.join(MANIFEST);
        let file = match File::open(&path) {
            Ok(file) => io::BufReader::new(file),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed(&path, &e)),
        };
        let mut reader = record::Reader::new(file);
        let mut records = [Vec::new(), Vec::new(), Vec::new()];
        let mut count = 0;
        for record in &mut records {
            count += match reader.read(record) {
                Ok(found) => usize::from(found),
                Err(_) => 3,
            };
        }
        let [head, note, _] = records;
        let found = (count == 2)
            .then(|| Manifest::decode(&head, note))
            .flatten();
        let lost = || err!(DataLoss, "{}: the manifest is damaged", path.display());
        found.map(Some).ok_or_else(lost)
    }

    fn decode(bytes: &[u8], note: Vec<u8>) -> Option<Manifest> {
        let (words, []) = bytes.strip_prefix(MAGIC)?.as_chunks::<8>() else {
            return None;
        };
        let (head, shards) = words.split_at_checked(2)?;
        let (pairs, []) = shards.as_chunks::<2>() else {
            return None;
        };
        let number = |word: &[u8; 8]| u64::from_le_bytes(*word);
        Some(Manifest {
            run: number(&head[0]),
            compression: match number(&head[1]) {
                0 => Compression::None,
                1 => Compression::Zlib,
                _ => return None,
            },
            shards: pairs
                .iter()
                .map(|[file, n]| (number(file), number(n)))
                .collect(),
            note,
        })
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.run.to_le_bytes());
        bytes.extend(u64::from(self.compression != Compression::None).to_le_bytes());
        for (file, n) in &self.shards {
            bytes.extend(file.to_le_bytes());
            bytes.extend(n.to_le_bytes());
        }
        bytes
    }

    /// Puts the manifest in its place, where it is as a whole or not at all.
    fn store(&self, folder: &Path) -> Result<()> {
        let partial = folder.join(format!("{MANIFEST}.partial-{:016x}", self.run));
        let store = || -> io::Result<()> {
            let mut writer = record::Writer::new(File::create_new(&partial)?);
            writer.write(&self.encode())?;
            writer.write(&self.note)?;
            writer.into_inner().sync_all()?;
            fs::rename(&partial, folder.join(MANIFEST))?;
            File::open(folder)?.sync_all()
        };
        store().map_err(|e| failed(folder, &e))
    }

    /// What the writer said of the elements.
    pub(super) fn note(&self) -> &[u8] {
        &self.note
    }

    /// How many shards there are.
    pub(super) fn n_shards(&self) -> usize {
        self.shards.len()
    }

    /// How many elements a shard has.
    pub(super) fn count(&self, shard: usize) -> u64 {
        self.shards[shard].1
    }

    /// How many elements all shards have.
    pub(super) fn total(&self) -> u64 {
        self.shards
            .iter()
            .fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// Reads a shard.
    pub(super) fn read(&self, folder: &Path, shard: usize) -> Result<Reader> {
        let (file, _) = self.shards[shard];
        Reader::open(
            &place(&run_folder(folder, self.run), file),
            self.compression,
        )
    }
}

fn run_folder(folder: &Path, run: u64) -> PathBuf {
    folder.join(format!("run-{run:016x}"))
}

fn place(run: &Path, file: u64) -> PathBuf {
    run.join(format!("{file:08}.elements"))
}

/// A run of writing, which leaves nothing behind unless it is finished.
pub(super) struct Run {
    folder: PathBuf,
    number: u64,
    compression: Compression,
    writers: BTreeMap<i64, (u64, Writer)>,
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
            process: std::process::id(),
            is_finished: false,
        };
        let own = run_folder(folder, run.number);
        fs::create_dir_all(&own).map_err(|e| failed(folder, &e))?;
        Ok(run)
    }

    /// Appends an element to a shard.
    pub(super) fn put(&mut self, shard: i64, element: &[Tensor]) -> Result<()> {
        self.check_process()?;
        if !self.writers.contains_key(&shard) {
            let file = self.writers.len() as u64;
            let path = place(&run_folder(&self.folder, self.number), file);
            let writer = Writer::create(&path, self.compression)?;
            self.writers.insert(shard, (file, writer));
        }
        match self.writers.get_mut(&shard) {
            Some((_, writer)) => writer.put(element),
            None => Err(err!(Internal, "a shard has no writer")),
        }
    }

    fn check_process(&self) -> Result<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(forked()),
        }
    }

    /// Ends all files and makes the run count, with a note on its elements.
    pub(super) fn finish(mut self, note: &str) -> Result<()> {
        self.check_process()?;
        let mut shards = Vec::new();
        for (_, (file, writer)) in std::mem::take(&mut self.writers) {
            shards.push((file, writer.finish()?));
        }
        let own = run_folder(&self.folder, self.number);
        File::open(&own)
            .and_then(|f| f.sync_all())
            .map_err(|e| failed(&own, &e))?;
        let manifest = Manifest {
            run: self.number,
            compression: self.compression,
            shards,
            note: note.into(),
        };
        manifest.store(&self.folder)?;
        self.is_finished = true;
        Ok(())
    }
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
            let _ = fs::remove_dir_all(run_folder(&self.folder, self.number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_manifest_is_reported_and_an_unfinished_run_is_none() {
        let folder = std::env::temp_dir().join(format!("ferrograph-runs-{}", std::process::id()));
        let mut run = Run::begin(&folder, Compression::None).unwrap();
        run.put(3, &[Tensor::scalar(1i64).unwrap()]).unwrap();
        drop(run);
        assert_eq!(Manifest::of(&folder).unwrap(), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let mut run = Run::begin(&folder, Compression::None).unwrap();
        run.put(3, &[Tensor::scalar(1i64).unwrap()]).unwrap();
        run.put(-1, &[Tensor::scalar(2i64).unwrap()]).unwrap();
        run.finish("a note").unwrap();
        let manifest = Manifest::of(&folder).unwrap().unwrap();
        assert_eq!((manifest.n_shards(), manifest.total()), (2, 2));
        let first = manifest.read(&folder, 0).unwrap().next().unwrap().unwrap();
        assert_eq!(first[0].item::<i64>().unwrap(), 2);
        let path = folder.join(MANIFEST);
        let whole = fs::read(&path).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).unwrap();
            assert!(Manifest::of(&folder).is_err(), "bit {bit}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
