//! The protobuf messages of the files that we read and write, by their published field numbers. Only the fields that
//! are used here are named; others are skipped when they are read.

mod bundle;
mod elements;
mod event;
mod tensor;
mod trackable;

pub use bundle::{BundleEntry, BundleHeader, VersionDef};
pub use event::{Event, PluginData, Summary, SummaryMetadata, SummaryValue};
pub use tensor::{Dim, TensorProto, TensorShapeProto};
pub use trackable::{
    BoolValue, ObjectReference, SerializedTensor, SlotVariable, TrackableObject,
    TrackableObjectGraph,
};
