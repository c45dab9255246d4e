//! Files read and written whole, and found by patterns.

use crate::glob;
use ferrograph_formats::files::{failed, path_of};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, check_bytes, string_of,
};
use smallvec::smallvec;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

declare! {
    trait EmitWhole;

    /// The contents of the file of that name.
    ReadFile: read_file(filename: string rank 0) -> (contents: string rank 0), gradient Stops, effect World;

    /// Makes the file of that name, and the folders it is to be in, hold `contents` and nothing else.
    WriteFile: write_file(filename: string rank 0, contents: string rank 0) -> (), gradient Stops, effect World;

    /// The names of the files that fit one of the patterns, sorted.
    MatchingFiles: matching_files(pattern: string) -> (filenames: string rank 1), gradient Stops, effect World;
}

/// What is read or written before the program is asked whether to go on.
const STEP: usize = 4 << 20;

/// The contents of a file.
fn contents(path: &Path) -> Result<Vec<u8>> {
    let fail = |e: std::io::Error| failed(path, &e);
    let file = File::open(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    check_bytes(size)?;
    let mut all = Vec::with_capacity(size);
    loop {
        poll_cancellation();
        let before = all.len();
        let step = (&file).take(STEP as u64).read_to_end(&mut all);
        step.map_err(fail)?;
        if all.len() == before {
            return Ok(all);
        }
        check_bytes(all.len())?;
    }
}

/// Writes a file, and makes the folders it is in.
fn write(path: &Path, contents: &[u8]) -> Result<()> {
    let fail = |e: std::io::Error| failed(path, &e);
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| match folder.metadata() {
            Ok(there) if !there.is_dir() => failed(path, &not_a_folder()),
            _ => failed(folder, &e),
        })?;
    }
    let mut file = File::create(path).map_err(fail)?;
    for part in contents.chunks(STEP) {
        poll_cancellation();
        file.write_all(part).map_err(fail)?;
    }
    Ok(())
}

fn not_a_folder() -> std::io::Error {
    std::io::ErrorKind::NotADirectory.into()
}

/// The string of a scalar.
fn only(t: &Tensor) -> Result<&Bytes> {
    match t.as_strings()? {
        [one] => Ok(one),
        _ => bail!(Shape, "expected a scalar, got {}", t.spec()),
    }
}

impl Op for ReadFile {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let bytes = contents(&path_of(only(&inputs[0])?))?;
        Ok(smallvec![Tensor::from_strings(
            Shape::scalar(),
            vec![string_of(&bytes)?]
        )?])
    }
}

impl Op for WriteFile {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        write(&path_of(only(&inputs[0])?), only(&inputs[1])?)?;
        Ok(Tensors::new())
    }
}

impl Op for MatchingFiles {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.shape(0).rank().is_some_and(|rank| rank > 1) {
            bail!(
                Shape,
                "pattern must be a scalar or a vector, got {}",
                inputs.spec(0)
            );
        }
        Ok(smallvec![TensorSpec::new(
            DType::String,
            PartialShape::of_rank(1)
        )])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut found = Vec::new();
        for pattern in inputs[0].as_strings()?.iter() {
            found.extend(glob::matching(pattern)?);
        }
        found.sort_unstable();
        let names: Vec<Bytes> = found.into_iter().map(Bytes::from).collect();
        Ok(smallvec![Tensor::from_strings(
            Shape::from(&[names.len()][..]),
            names
        )?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::ErrorKind;

    fn folder(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("ferrograph-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn what_was_written_is_read() {
        let dir = folder("whole");
        let path = dir.join("a/b/c");
        write(&path, b"\x00\xff").unwrap();
        assert_eq!(contents(&path).unwrap(), b"\x00\xff");
        write(&path, b"x").unwrap();
        assert_eq!(contents(&path).unwrap(), b"x");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn what_is_not_there_is_named() {
        let dir = folder("missing");
        let error = contents(&dir.join("none")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.message().ends_with("none; No such file or directory"));
        assert_eq!(
            contents(&dir).unwrap_err().kind(),
            ErrorKind::FailedPrecondition
        );
        write(&dir.join("f"), b"").unwrap();
        let error = write(&dir.join("f/g"), b"").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
