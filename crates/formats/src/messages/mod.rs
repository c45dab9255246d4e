//! The protobuf messages of the files that we read and write, by their published field numbers. Only the fields that
//! are used here are named; others are skipped when they are read.

mod bundle;
mod elements;
mod event;
mod graph;
mod saved;
mod snapshot;
mod stored;
mod structure;
mod tensor;
mod trackable;

pub use bundle::{BundleEntry, BundleHeader, VersionDef};
pub use event::{Event, PluginData, Summary, SummaryMetadata, SummaryValue};
pub use graph::{
    ArgAttrs, ArgDef, AttrContent, AttrList, AttrValue, DtypeAndShape, FunctionDef,
    FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef, RegisteredGradient,
};
pub use saved::{
    AssetFileDef, CapturedTensor, FingerprintDef, FunctionSpec, MetaGraphDef, MetaInfoDef,
    SavedAsset, SavedBareConcreteFunction, SavedConcreteFunction, SavedConstant, SavedFunction,
    SavedKind, SavedModel, SavedObject, SavedObjectGraph, SavedResource, SavedUserObject,
    SavedVariable, SaverDef, SignatureDef, TensorInfo,
};
pub use snapshot::{KnownContents, KnownShard, SnapshotMetadata};
pub use stored::{StoredTensor, StoredVariant, put_tensor, put_variants, variant_message};
pub use structure::{
    BoundedTensorSpecProto, Empty, NamedTuple, Structure, StructuredDict, StructuredList,
    StructuredPair, StructuredValue, TensorSpecProto, TypeSpecProto,
};
pub use tensor::{Dim, TensorProto, TensorShapeProto};
pub use trackable::{
    BoolValue, ObjectReference, SerializedTensor, SlotVariable, TrackableObject,
    TrackableObjectGraph,
};
