//! Saved models: graphs and objects in the public messages of SavedModel and GraphDef.
//!
//! * [`Library`] writes graphs as functions: regions become functions of the library, whose names attributes hold.
//! * [`Functions`] reads them, each once, with nested ones inside the operations that call them.
//! * [`SavedFile`] is a file `saved_model.pb` that was read and found sound: its objects, what they are called, and where
//!   what they hold is.
//! * [`Structure`] is the structure of a function's arguments or result, [`Params`] are its parameters.
//!
//! Operations have their public names already. What differs from the public vocabulary stands in `vocabulary`.

mod attributes;
mod choice;
mod custom;
mod export;
mod file;
mod foreign;
mod held;
mod import;
mod names;
mod nodes;
mod objects;
mod order;
mod params;
mod region;
mod registered;
mod serving;
mod structure;
mod types;
mod vocabulary;

pub use export::{Library, PRODUCER, graph_message};
pub use file::{Concrete, SavedFile, fingerprint_of, model_of};
pub use import::{Expanded, Expander, Functions, Told};
pub use nodes::graph_of;
pub use objects::{GRAPH_KEY, SIGNATURES, objects_of};
pub use params::{Param, Params};
pub use region::with_ends;
pub use serving::add_signatures;
pub use structure::{Composite, Structure};
pub use types::{dtype_of, partial_shape_of, shape_message, variable_spec};
