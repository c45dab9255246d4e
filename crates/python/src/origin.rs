//! The user's present line: the innermost Python frame outside of ferrograph's own files.

use ferrograph_tensor::Origin;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyWeakrefMethods, PyWeakrefReference};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};

static INTERNAL: OnceLock<Vec<String>> = OnceLock::new();

/// Sets, once, the path prefixes of files whose frames are not the user's.
#[pyfunction]
pub(crate) fn set_internal_paths(paths: Vec<String>) {
    if INTERNAL.set(paths).is_ok() {
        ferrograph_runtime::set_origin_provider(|| Python::attach(find));
    }
}

fn is_internal(file: &str) -> bool {
    INTERNAL
        .get()
        .is_some_and(|paths| paths.iter().any(|p| file.starts_with(p.as_str())))
}

thread_local! {
    /// The origin found last: most operations stand in the function of the one before, many on its line.
    static LAST: RefCell<Option<Arc<Origin>>> = const { RefCell::new(None) };
}

/// A weak reference to a code object. It is not dropped with its thread, which may have no interpreter by then.
struct CodeRef(ManuallyDrop<Py<PyWeakrefReference>>);

impl CodeRef {
    fn new(code: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reference = PyWeakrefReference::new(code)?;
        Ok(Self(ManuallyDrop::new(reference.unbind())))
    }

    fn is(&self, code: &Bound<'_, PyAny>) -> bool {
        let of = self.0.bind(code.py()).upgrade();
        of.is_some_and(|of| of.is(code))
    }

    fn release(self, py: Python<'_>) {
        ManuallyDrop::into_inner(self.0).drop_ref(py);
    }
}

/// Where the origin found last stands: many operations are added by one call.
struct Spot {
    code: CodeRef,
    instruction: i32,
    origin: Arc<Origin>,
}

thread_local! {
    static SPOT: RefCell<Option<Spot>> = const { RefCell::new(None) };
}

/// The origin of an instruction of a code object, where that was found last.
fn known(code: &Bound<'_, PyAny>, instruction: i32) -> Option<Arc<Origin>> {
    SPOT.with_borrow(|spot| {
        let spot = spot.as_ref()?;
        (spot.instruction == instruction && spot.code.is(code)).then(|| spot.origin.clone())
    })
}

/// Keeps an origin for `known`.
fn keep(code: &Bound<'_, PyAny>, instruction: i32, origin: &Arc<Origin>) {
    let Ok(reference) = CodeRef::new(code) else {
        return;
    };
    let spot = Spot {
        code: reference,
        instruction,
        origin: origin.clone(),
    };
    if let Some(old) = SPOT.replace(Some(spot)) {
        old.code.release(code.py());
    }
}

/// The lines of a code object's instructions. Python looks for a line from the beginning of the code each time, so that
/// the lines of a function of thousands would take the square of that.
struct Lines {
    code: CodeRef,
    /// Where each run of instructions begins, in bytes, and its line.
    starts: Vec<(i32, u32)>,
}

/// Python finds the line itself where the table of the code is no longer than this, in bytes.
const SHORT: usize = 512;
/// How many tables of lines are kept for a thread.
const KEPT: usize = 8;

thread_local! {
    static LINES: RefCell<Vec<Lines>> = const { RefCell::new(Vec::new()) };
}

impl Lines {
    fn read(code: &Bound<'_, PyAny>) -> PyResult<Self> {
        let starts = code
            .call_method0(intern!(code.py(), "co_lines"))?
            .try_iter()?;
        let starts = starts.map(|run| {
            let (start, _, line): (i32, i32, Option<u32>) = run?.extract()?;
            Ok((start, line.unwrap_or(0)))
        });
        Ok(Self {
            code: CodeRef::new(code)?,
            starts: starts.collect::<PyResult<_>>()?,
        })
    }

    fn at(&self, instruction: i32) -> u32 {
        let after = self
            .starts
            .partition_point(|(start, _)| *start <= instruction);
        after.checked_sub(1).map_or(0, |i| self.starts[i].1)
    }
}

/// The line of an instruction of a code object with a long table of lines; None of one with a short table.
fn long_line(code: &Bound<'_, PyAny>, instruction: i32) -> Option<u32> {
    let table = code.getattr(intern!(code.py(), "co_linetable")).ok()?;
    if table.len().ok()? <= SHORT {
        return None;
    }
    let known =
        LINES.with_borrow(|all| Some(all.iter().find(|l| l.code.is(code))?.at(instruction)));
    if known.is_some() {
        return known;
    }
    let lines = Lines::read(code).ok()?;
    let line = lines.at(instruction);
    let old = LINES.with_borrow_mut(|all| {
        all.insert(0, lines);
        (all.len() > KEPT).then(|| all.pop()).flatten()
    });
    if let Some(old) = old {
        old.code.release(code.py());
    }
    Some(line)
}

/// An origin that shares what it can with the one before.
fn shared(file: &str, line: u32, function: &str) -> Arc<Origin> {
    LAST.with_borrow_mut(|last| {
        let (file, function) = match last {
            Some(o) if *o.file == *file && *o.function == *function => {
                if o.line == line {
                    return o.clone();
                }
                (o.file.clone(), o.function.clone())
            }
            _ => (file.into(), function.into()),
        };
        let origin = Arc::new(Origin {
            file,
            line,
            function,
        });
        *last = Some(origin.clone());
        origin
    })
}

/// The origin of the frame the interpreter is in, skipping ferrograph's own.
pub(crate) fn find(py: Python<'_>) -> Option<Arc<Origin>> {
    // SAFETY: the GIL is held; PyEval_GetFrame gives a borrowed frame or null.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut frame = frame?;
    loop {
        let raw: *mut ffi::PyFrameObject = frame.as_ptr().cast();
        // SAFETY: `raw` is a live frame; PyFrame_GetCode gives a new reference, never null.
        let code = unsafe { Bound::from_owned_ptr(py, ffi::PyFrame_GetCode(raw).cast()) };
        let file = code.getattr(intern!(py, "co_filename")).ok()?;
        let file = file.cast::<PyString>().ok()?.to_str().ok()?;
        if !is_internal(file) {
            let instruction = frame.getattr(intern!(py, "f_lasti")).ok()?.extract().ok()?;
            if let Some(origin) = known(&code, instruction) {
                return Some(origin);
            }
            let function = code.getattr(intern!(py, "co_name")).ok()?;
            let function = function.cast::<PyString>().ok()?.to_str().ok()?;
            let line = long_line(&code, instruction).unwrap_or_else(|| {
                // SAFETY: `raw` is a live frame.
                u32::try_from(unsafe { ffi::PyFrame_GetLineNumber(raw) }).unwrap_or(0)
            });
            let origin = shared(file, line, function);
            keep(&code, instruction, &origin);
            return Some(origin);
        }
        // SAFETY: `raw` is a live frame; PyFrame_GetBack gives a new reference or null.
        let back = unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyFrame_GetBack(raw).cast()) };
        frame = back?;
    }
}
