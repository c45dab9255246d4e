//! What goes wrong, as users of this crate see it.

use ferrograph_tensor as core;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument, or something computed, that does not fit.
    InvalidArgument,
    /// Something named that is not there: a file, a signature, a function.
    NotFound,
    /// A damaged file.
    DataLoss,
    /// An operation or value that there is not here.
    Unimplemented,
    /// State that does not allow this now, such as a variable without a value.
    FailedPrecondition,
    /// More memory than there is.
    ResourceExhausted,
    /// Past the end of something.
    OutOfRange,
    /// What the system does not allow.
    PermissionDenied,
    /// The work was stopped from outside.
    Cancelled,
    /// A fault of ferrograph itself.
    Internal,
    /// Anything else, such as a failing disk.
    Unknown,
}

/// An error: its kind, and a message that names what it is about.
///
/// ```
/// use ferrograph::{ErrorKind, Model};
///
/// let error = Model::load("/nowhere").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "SavedModel file does not exist at: /nowhere/saved_model.pb");
/// ```
#[derive(Clone)]
pub struct Error(core::Error);

/// The result of what may fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        use core::ErrorKind as Core;
        match self.0.kind() {
            Core::Shape
            | Core::DType
            | Core::InvalidArgument
            | Core::Type
            | Core::Value
            | Core::AlreadyExists
            | Core::Leak
            | Core::NotAllowedInGraph => ErrorKind::InvalidArgument,
            Core::OutOfRange => ErrorKind::OutOfRange,
            Core::NotFound => ErrorKind::NotFound,
            Core::PermissionDenied => ErrorKind::PermissionDenied,
            Core::FailedPrecondition => ErrorKind::FailedPrecondition,
            Core::Unimplemented => ErrorKind::Unimplemented,
            Core::ResourceExhausted => ErrorKind::ResourceExhausted,
            Core::DataLoss => ErrorKind::DataLoss,
            Core::Cancelled => ErrorKind::Cancelled,
            Core::Unknown => ErrorKind::Unknown,
            Core::Internal => ErrorKind::Internal,
        }
    }

    /// The operation that failed, where one did.
    pub fn operation(&self) -> Option<&str> {
        self.0.op()
    }

    /// The same error as the core's own.
    #[doc(hidden)]
    pub fn into_core(self) -> core::Error {
        self.0
    }
}

impl From<core::Error> for Error {
    fn from(e: core::Error) -> Error {
        Error(e)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {}

/// Does core work. A panic in it is an internal error, and work that was stopped gives the reason.
pub(crate) fn guarded<T>(work: impl FnOnce() -> core::Result<T>) -> Result<T> {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if let Some(reason) = ferrograph_ops::stopped(&*panic) {
            return Err(reason);
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("no message");
        Err(core::err!(
            Internal,
            "a fault inside ferrograph, please report it: {text}"
        ))
    });
    done.map_err(Error)
}
