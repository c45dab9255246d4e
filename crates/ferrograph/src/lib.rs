//! Saved models in Rust: load, inspect and run them without Python.
//!
//! A model is a folder that `ferrograph.saved_model.save` wrote, or another program that writes the public SavedModel
//! format. Loading runs no code of the program that saved it and traces nothing; what a function computes here has the
//! bits that it has in Python. Arrays are those of [`ndarray`].
//!
//! ```
//! use ferrograph::Model;
//! use ndarray::array;
//!
//! # fn main() -> ferrograph::Result<()> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/saved/recorded/model");
//! let model = Model::load(folder)?;
//! let dense = model.signature("dense")?;
//! assert_eq!(dense.inputs()[0].to_string(), "x: float32[?,2]");
//!
//! let answer = dense.run([("x", array![[1.0f32, 2.0], [-3.0, 0.5]])])?;
//! assert_eq!(answer.get("half")?.view::<f32>()?, array![[0.5, 1.0], [-1.5, 0.25]].into_dyn());
//! # Ok(())
//! # }
//! ```
//!
//! * [`Model`] is a loaded model: its tags, signatures, functions and variables.
//! * [`Signature`] takes and gives tensors by name, for programs that serve models.
//! * [`Function`] is a function of the program that saved the model, with the traces that it had.
//! * [`Value`] is a tensor: numbers, bools or strings.
//! * [`inspector`] makes the page that shows graphs, plans and profiles.
//! * [`command`] is the program `ferrograph`, which inspects and runs models from a shell.

mod argument;
mod array;
mod call;
pub mod command;
mod error;
mod function;
pub mod inspector;
mod model;
mod output;
mod restore;
mod signature;
mod suggest;
mod trace;
mod tree;
mod value;

pub use argument::Argument;
pub use array::{IntoValue, Item};
pub use error::{Error, ErrorKind, Result};
pub use ferrograph_tensor::{Complex32, Complex64, DType, Element, bf16, f16};
pub use function::Function;
pub use model::{Model, Variable, Variables};
pub use ndarray;
pub use output::Output;
pub use signature::{Outputs, Signature};
pub use trace::{TensorInfo, Trace};
pub use value::Value;
