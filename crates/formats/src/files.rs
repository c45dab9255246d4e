//! Names of files, and what goes wrong with files, as errors.

use ferrograph_tensor::{Error, ErrorKind};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// The path that a string names.
#[cfg(unix)]
pub fn path_of(name: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(OsStr::from_bytes(name)))
}

/// The path that a string names.
#[cfg(not(unix))]
pub fn path_of(name: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(name) {
        Cow::Borrowed(name) => Cow::Borrowed(Path::new(OsStr::new(name))),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// What the system said of a file, as an error that names the file.
#[cold]
pub fn failed(path: &Path, e: &io::Error) -> Error {
    let text = e.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text);
    Error::new(kind_of(e), format!("{}; {reason}", path.display()))
}

/// The documented kind of what the system said.
fn kind_of(e: &io::Error) -> ErrorKind {
    use io::ErrorKind as Io;
    match e.kind() {
        Io::NotFound => ErrorKind::NotFound,
        Io::AlreadyExists => ErrorKind::AlreadyExists,
        Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
        Io::IsADirectory
        | Io::NotADirectory
        | Io::DirectoryNotEmpty
        | Io::ResourceBusy
        | Io::ExecutableFileBusy
        | Io::BrokenPipe => ErrorKind::FailedPrecondition,
        Io::InvalidInput | Io::InvalidFilename | Io::NotSeekable | Io::ArgumentListTooLong => {
            ErrorKind::InvalidArgument
        }
        Io::StorageFull | Io::QuotaExceeded | Io::OutOfMemory | Io::TooManyLinks => {
            ErrorKind::ResourceExhausted
        }
        Io::FileTooLarge => ErrorKind::OutOfRange,
        Io::InvalidData | Io::UnexpectedEof => ErrorKind::DataLoss,
        Io::Unsupported => ErrorKind::Unimplemented,
        _ => ErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_and_the_reason_are_named() {
        let missing = failed(Path::new("/a/b"), &io::Error::from_raw_os_error(2));
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        assert_eq!(missing.message(), "/a/b; No such file or directory");
        let refused = failed(Path::new("/a"), &io::Error::from_raw_os_error(13));
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        assert_eq!(refused.message(), "/a; Permission denied");
    }
}
