//! Arrays in files.

use crate::error::{Result, guarded};
use crate::restore::bytes_of;
use crate::signature::Outputs;
use crate::value::Value;
use ferrograph_formats::files::failed;
use ferrograph_formats::{npy, npz};
use ferrograph_tensor::{Error, Result as CoreResult, Tensor, err};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

fn content(path: &Path) -> CoreResult<Vec<u8>> {
    bytes_of(path)?.ok_or_else(|| err!(NotFound, "{}; No such file or directory", path.display()))
}

fn within(path: &Path, e: &Error) -> Error {
    Error::new(e.kind(), format!("{}: {}", path.display(), e.message()))
}

/// The array in a `.npy` file.
pub(super) fn read_one(path: &Path) -> Result<Value> {
    guarded(|| {
        let tensor = npy::read(&content(path)?).map_err(|e| within(path, &e))?;
        Ok(Value(tensor))
    })
}

/// The arrays in a `.npz` file.
pub(super) fn read_all(path: &Path) -> Result<Vec<(String, Value)>> {
    guarded(|| {
        let all = npz::read(&content(path)?).map_err(|e| within(path, &e))?;
        Ok(all.into_iter().map(|(n, t)| (n, Value(t))).collect())
    })
}

/// Writes values to a `.npz` file, which is whole or as it was.
pub(super) fn write_all(path: &Path, values: &Outputs) -> Result<()> {
    guarded(|| {
        let all: Vec<(&str, &Tensor)> = values.iter().map(|(n, v)| (n, &v.0)).collect();
        let bytes = npz::write(&all).map_err(|e| within(path, &e))?;
        let mut draft = path.as_os_str().to_owned();
        draft.push(format!(".tmp{}", std::process::id()));
        let draft = PathBuf::from(draft);
        let written = File::create(&draft)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&draft, path));
        written.map_err(|e| {
            // What is left of it takes room and is never read.
            let _ = std::fs::remove_file(&draft);
            failed(path, &e)
        })
    })
}
