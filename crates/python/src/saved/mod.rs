//! Saved models as Python sees them: objects as tuples, functions as graphs.
//!
//! A structure is None, a bool, an int, a float or a str as it is, and else a tuple that begins with what it is:
//! `("list", items)`, `("tuple", items)`, `("dict", pairs)`, `("named", name, pairs)`, `("spec", name, dims, dtype)`,
//! `("shape", dims)`, `("dtype", dtype)`, `("type", number, name, state, n)`, `("tensor", tensor)`; dims are integers,
//! -1 for an unknown one, or None, and dtypes their public numbers.

mod command;
mod exchange;
mod expand;
mod file;
mod graphs;
mod objects;
mod structure;
mod writer;

pub(crate) use command::run_command;
pub(crate) use exchange::exchange_files;
pub(crate) use file::PySavedFile;
pub(crate) use graphs::{graph_def_bytes, graph_of_def};
pub(crate) use structure::{structure_bytes, structure_of_bytes};
pub(crate) use writer::PySavedWriter;
