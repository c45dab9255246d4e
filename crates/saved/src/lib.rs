//! Saved models: graphs and objects in the public messages of SavedModel and GraphDef.
//!
//! * [`Library`] writes graphs as functions: regions become functions of the library, whose names attributes hold.
//! * [`Functions`] reads them, each once, with nested ones inside the operations that call them.
//! * [`SavedFile`] is a file `saved_model.pb` that was read and found sound.
//!
//! Operations have their public names already. What differs from the public vocabulary stands in `vocabulary`.

mod attributes;
mod export;
mod file;
mod foreign;
mod import;
mod nodes;
mod order;
mod region;
mod types;
mod vocabulary;

pub use export::{Library, PRODUCER, graph_message};
pub use file::{SavedFile, fingerprint_of, model_of};
pub use import::Functions;
pub use nodes::graph_of;
pub use region::with_ends;
pub use types::{dtype_of, partial_shape_of, shape_message};
