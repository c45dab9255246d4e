//! Bundles in the file system.

use ferrograph_formats::bundle::{Entry, Index, Writer};
use ferrograph_formats::files::failed;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Error, ErrorKind, Result, Tensor, bail, err, vec_for};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is written at once.
const BUFFER: usize = 1 << 20;

fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = prefix.into();
    name.push(suffix);
    name.into()
}

fn index_path(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".index")
}

fn data_path(prefix: &Path, shard: usize, n_shards: usize) -> PathBuf {
    with_suffix(prefix, &format!(".data-{shard:05}-of-{n_shards:05}"))
}

/// A checkpoint on disk.
#[derive(Debug)]
pub struct Stored {
    prefix: PathBuf,
    index: Index,
}

impl Stored {
    /// Reads the index of the checkpoint of that prefix.
    ///
    /// # Errors
    /// `NotFound` where there is none, `DataLoss` where it is damaged.
    pub fn open(prefix: &Path) -> Result<Stored> {
        let path = index_path(prefix);
        let bytes = match whole(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => bail!(
                NotFound,
                "Failed to find any matching files for {}: there is no {}",
                prefix.display(),
                path.display()
            ),
            bytes => bytes?,
        };
        let index = Index::parse(&bytes).map_err(|e| within(&path, &e))?;
        Ok(Stored {
            prefix: prefix.to_owned(),
            index,
        })
    }

    /// The names of the tensors with what is said of them, in the order of the names.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.index.entries()
    }

    /// What is said of the tensor of that name.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn entry(&self, name: &str) -> Result<&Entry> {
        self.index
            .get(name)
            .ok_or_else(|| err!(NotFound, "Key {name} not found in checkpoint"))
    }

    /// Reads the tensor of that name.
    ///
    /// # Errors
    /// `NotFound` where there is none, `DataLoss` where its elements are damaged.
    pub fn read(&self, name: &str) -> Result<Tensor> {
        let entry = self.entry(name)?;
        let path = data_path(&self.prefix, entry.shard(), self.index.n_shards());
        let (mut file, length) = opened(&path)?;
        file.seek(SeekFrom::Start(entry.offset()))
            .map_err(|e| failed(&path, &e))?;
        let available = length.saturating_sub(entry.offset());
        let tensor = entry.read(&mut Interruptible(file), available);
        tensor.map_err(|e| {
            within(
                &path,
                &Error::new(e.kind(), format!("{name}: {}", e.message())),
            )
        })
    }
}

/// The error with the file that it is about.
#[cold]
fn within(path: &Path, e: &Error) -> Error {
    Error::new(e.kind(), format!("{}: {}", path.display(), e.message()))
}

/// A file that is one, and its length.
fn opened(path: &Path) -> Result<(File, u64)> {
    let meta = std::fs::metadata(path).map_err(|e| failed(path, &e))?;
    if !meta.is_file() {
        bail!(FailedPrecondition, "{}; Is no regular file", path.display());
    }
    let file = File::open(path).map_err(|e| failed(path, &e))?;
    Ok((file, meta.len()))
}

/// The bytes of a file.
fn whole(path: &Path) -> Result<Vec<u8>> {
    let (file, length) = opened(path)?;
    let length = usize::try_from(length)
        .map_err(|_| err!(ResourceExhausted, "{}; too long", path.display()))?;
    let mut bytes = vec_for(length)?;
    let read = Interruptible(file)
        .take(length as u64)
        .read_to_end(&mut bytes);
    read.map_err(|e| failed(path, &e))?;
    Ok(bytes)
}

/// Reads and writes that the user may stop.
struct Interruptible<F>(F);

impl<F: Read> Read for Interruptible<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        poll_cancellation();
        self.0.read(bytes)
    }
}

impl<F: Write> Write for Interruptible<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        poll_cancellation();
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes the checkpoint of that prefix, in place of one that is there, with a data file for each of these groups of
/// tensors. The old one stays whole until the new one is.
///
/// # Errors
/// Those of the file system; what was there is as it was.
pub fn save(prefix: &Path, shards: &[Vec<(&str, &Tensor)>]) -> Result<()> {
    let old = Stored::open(prefix).ok();
    let n_old = old.map(|old| old.index.n_shards());
    // The data of the old checkpoint may not be touched before there is another index: its name tells how many files
    // there are, and says one more for the second of two checkpoints of as many.
    let n_shards = shards.len() + usize::from(n_old == Some(shards.len()));
    let (mut drafts, bytes) = write_data(prefix, shards, n_shards)?;
    let mut index = Draft::new(&index_path(prefix))?;
    let written = Interruptible(index.file()?).write_all(&bytes);
    written.map_err(|e| failed(&index.target, &e))?;
    for data in &mut drafts {
        data.publish()?;
    }
    index.publish()?;
    flush_folder(prefix);
    if let Some(n) = n_old {
        remove_data(prefix, n, n_shards);
    }
    Ok(())
}

/// Writes the data files beside their places; the bytes of the index.
fn write_data(
    prefix: &Path,
    shards: &[Vec<(&str, &Tensor)>],
    n_shards: usize,
) -> Result<(Vec<Draft>, Vec<u8>)> {
    let mut drafts = Vec::with_capacity(shards.len());
    let mut writer: Option<Writer<BufWriter<Interruptible<File>>>> = None;
    for (i, tensors) in shards.iter().enumerate() {
        let target = data_path(prefix, i, n_shards);
        let mut draft = Draft::new(&target)?;
        let file = draft.file()?.try_clone().map_err(|e| failed(&target, &e))?;
        drafts.push(draft);
        let file = BufWriter::with_capacity(BUFFER, Interruptible(file));
        let writer = match &mut writer {
            Some(writer) => {
                let mut before = writer.next(file);
                before.flush().map_err(|e| failed(&target, &e))?;
                writer
            }
            none => none.insert(Writer::new(file, n_shards)),
        };
        for (name, tensor) in tensors {
            let added = writer.add(name, tensor);
            added.map_err(|e| failed(&target, &e))?;
        }
    }
    let writer = writer.ok_or_else(|| err!(InvalidArgument, "a checkpoint has a data file"))?;
    let (mut last, bytes) = writer.finish();
    last.flush().map_err(|e| failed(prefix, &e))?;
    Ok((drafts, bytes))
}

/// Removes the data files of the checkpoint before, which no index names any more.
fn remove_data(prefix: &Path, n_old: usize, n_new: usize) {
    for shard in (0..n_old).filter(|_| n_old != n_new) {
        // One that stays takes room and is never read.
        let _ = std::fs::remove_file(data_path(prefix, shard, n_old));
    }
}

/// Has the system write down the names in a folder, where it can.
fn flush_folder(prefix: &Path) {
    let folder = match prefix.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Not every file system opens folders; the renames are in order all the same.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A file that is being written beside its place; removed unless it is published.
struct Draft {
    target: PathBuf,
    path: PathBuf,
    file: Option<File>,
}

impl Draft {
    fn new(target: &Path) -> Result<Draft> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = with_suffix(target, &format!(".tempstate{}-{n}", process::id()));
        let file = File::options().write(true).create_new(true).open(&path);
        Ok(Draft {
            file: Some(file.map_err(|e| failed(target, &e))?),
            target: target.to_owned(),
            path,
        })
    }

    fn file(&mut self) -> Result<&mut File> {
        self.file
            .as_mut()
            .ok_or_else(|| err!(Internal, "a file was written after it was published"))
    }

    /// Gives it its name, once its bytes are on the disk.
    fn publish(&mut self) -> Result<()> {
        let target = &self.target;
        if let Some(file) = self.file.take() {
            file.sync_all()
                .and_then(|()| std::fs::rename(&self.path, target))
                .map_err(|e| {
                    remove(&self.path);
                    failed(target, &e)
                })?;
        }
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.file.is_some() {
            remove(&self.path);
        }
    }
}

/// Removes a file that nobody reads; where that fails, it takes room.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("checkpoints-{name}-{}", process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }
        fn names(&self) -> Vec<String> {
            let name = |e: io::Result<std::fs::DirEntry>| e.unwrap().file_name();
            let names = std::fs::read_dir(&self.0).unwrap().map(name);
            let mut names: Vec<_> = names.map(|n| n.into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn value(prefix: &Path) -> i32 {
        let stored = Stored::open(prefix).unwrap();
        stored.read("a").unwrap().item().unwrap()
    }

    #[test]
    fn a_checkpoint_replaces_the_one_before() {
        let folder = Folder::new("replaced");
        let prefix = folder.0.join("c");
        for n in 0..4 {
            save(&prefix, &[vec![("a", &Tensor::scalar(n).unwrap())]]).unwrap();
            assert_eq!(value(&prefix), n);
            let shards = if n % 2 == 0 { "00001" } else { "00002" };
            let data = format!("c.data-00000-of-{shards}");
            assert_eq!(folder.names(), [data.as_str(), "c.index"]);
        }
    }

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let folder = Folder::new("failed");
        let prefix = folder.0.join("c");
        let (one, two) = (Tensor::scalar(1).unwrap(), Tensor::scalar(2).unwrap());
        save(&prefix, &[vec![("a", &one)]]).unwrap();
        assert!(save(&prefix, &[vec![("a", &two), ("a", &two)]]).is_err());
        assert_eq!(value(&prefix), 1);
        assert_eq!(folder.names(), ["c.data-00000-of-00001", "c.index"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = Folder::new("missing");
        let found = Stored::open(&folder.0.join("none")).unwrap_err();
        assert_eq!(found.kind(), ErrorKind::NotFound);
        assert!(found.message().contains("none.index"), "{found}");
        let found = save(&folder.0.join("no/c"), &[Vec::new()]).unwrap_err();
        assert_eq!(found.kind(), ErrorKind::NotFound);
    }
}
