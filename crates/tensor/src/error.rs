//! The one error type of the core. A kind says what went wrong, so that the bindings can choose the documented
//! Python class; the operation and the user's line are added on the way up.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What went wrong. The bindings map each kind to one documented Python class, by context where the documents do
/// (a shape that does not fit is a `ValueError` while tracing and an `InvalidArgumentError` when run).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Shapes that do not fit each other or the operation.
    Shape,
    /// Dtypes that do not fit each other or the operation.
    DType,
    /// A value that the operation does not accept.
    InvalidArgument,
    /// A read or write past the end of something.
    OutOfRange,
    /// Something named that is not there.
    NotFound,
    /// Something that the caller may not do or see.
    PermissionDenied,
    /// State that does not allow the operation now, such as an uninitialised variable.
    FailedPrecondition,
    /// A combination that has no kernel or no gradient.
    Unimplemented,
    /// More memory than there is, or deeper recursion than is allowed.
    ResourceExhausted,
    /// Something exists already.
    AlreadyExists,
    /// Data that can't be decoded.
    DataLoss,
    /// The work was stopped from outside.
    Cancelled,
    /// An error of unknown origin from a callback.
    Unknown,
    /// A fault of ferrograph itself.
    Internal,
    /// An argument of the wrong Python type.
    Type,
    /// An argument of the right Python type with a bad value, found before anything runs.
    Value,
    /// A symbolic tensor used outside the trace it belongs to.
    Leak,
    /// An operator that symbolic tensors do not have, such as truth testing.
    NotAllowedInGraph,
}

/// Where in the user's program something was made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// File as the interpreter names it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Name of the enclosing function.
    pub function: Arc<str>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} in {}", self.file, self.line, self.function)
    }
}

/// An exception of another runtime (Python's) carried through the core untouched.
pub type Foreign = Arc<dyn Any + Send + Sync>;

#[derive(Clone)]
struct Data {
    kind: ErrorKind,
    message: String,
    op: Option<String>,
    origin: Option<Arc<Origin>>,
    notes: Option<String>,
    foreign: Option<Foreign>,
}

/// An error with its kind, message, and as far as known the operation and the user's line.
#[derive(Clone)]
pub struct Error(Box<Data>);

/// The result of anything in the core that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of that kind.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Data {
            kind,
            message: message.into(),
            op: None,
            origin: None,
            notes: None,
            foreign: None,
        }))
    }

    /// A foreign exception passing through.
    #[cold]
    pub fn foreign(kind: ErrorKind, message: impl Into<String>, payload: Foreign) -> Error {
        let mut e = Error::new(kind, message);
        e.0.foreign = Some(payload);
        e
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without operation and line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The operation that failed, where known.
    pub fn op(&self) -> Option<&str> {
        self.0.op.as_deref()
    }

    /// The user's line that made the failing operation, where known.
    pub fn origin(&self) -> Option<&Arc<Origin>> {
        self.0.origin.as_ref()
    }

    /// The foreign exception this error carries, if it is one.
    pub fn payload(&self) -> Option<&Foreign> {
        self.0.foreign.as_ref()
    }

    /// Whether the user asked to stop: a foreign exception that tells of no failure.
    pub fn is_interrupt(&self) -> bool {
        self.0.kind == ErrorKind::Cancelled && self.0.foreign.is_some()
    }

    /// Adds the operation's name unless one is known already: the innermost is the culprit.
    #[must_use]
    pub fn in_op(mut self, name: &str) -> Error {
        if self.0.op.is_none() {
            self.0.op = Some(name.to_owned());
        }
        self
    }

    /// Adds the user's line unless one is known already.
    #[must_use]
    pub fn at(mut self, origin: Option<&Arc<Origin>>) -> Error {
        if self.0.origin.is_none() {
            self.0.origin = origin.cloned();
        }
        self
    }

    /// Adds lines that stand behind the message and the operation, unless there are some already.
    #[must_use]
    pub fn noting(mut self, notes: Option<String>) -> Error {
        if self.0.notes.is_none() {
            self.0.notes = notes;
        }
        self
    }

    /// The same error under another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Error {
        self.0.kind = kind;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(op) = &self.0.op {
            write!(f, " [Op:{op}]")?;
        }
        for note in self.0.notes.iter().flat_map(|notes| notes.lines()) {
            write!(f, "\n  {note}")?;
        }
        if let Some(origin) = &self.0.origin {
            write!(f, "\n  defined at {origin}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}

/// An [`Error`] of a kind with a formatted message: `err!(Shape, "rank {}", r)`.
#[macro_export]
macro_rules! err {
    ($kind:ident, $($arg:tt)*) => { $crate::Error::new($crate::ErrorKind::$kind, format!($($arg)*)) };
}

/// Returns an [`err!`] from the enclosing function.
#[macro_export]
macro_rules! bail {
    ($kind:ident, $($arg:tt)*) => { return Err($crate::err!($kind, $($arg)*)) };
}
