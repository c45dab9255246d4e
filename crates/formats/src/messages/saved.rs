//! Saved models: objects, their functions, and the graphs of these.

use super::{GraphDef, ObjectReference, StructuredValue, TensorShapeProto, VersionDef};
use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// What `saved_model.pb` holds.
#[derive(Clone, PartialEq, Message)]
pub struct SavedModel {
    /// The version of the layout, 1.
    #[prost(int64, tag = "1")]
    pub saved_model_schema_version: i64,
    /// The graphs, by their tags.
    #[prost(message, repeated, tag = "2")]
    pub meta_graphs: Vec<MetaGraphDef>,
}

/// A graph with what is around it.
#[derive(Clone, PartialEq, Message)]
pub struct MetaGraphDef {
    /// What is known of it.
    #[prost(message, optional, tag = "1")]
    pub meta_info_def: Option<MetaInfoDef>,
    /// The graph and the functions.
    #[prost(message, optional, tag = "2")]
    pub graph_def: Option<GraphDef>,
    /// The nodes that save and restore variables.
    #[prost(message, optional, tag = "3")]
    pub saver_def: Option<SaverDef>,
    /// Names of the tensors that signatures take and give.
    #[prost(btree_map = "string, message", tag = "5")]
    pub signature_def: BTreeMap<String, SignatureDef>,
    /// The files that belong to it.
    #[prost(message, repeated, tag = "6")]
    pub asset_file_def: Vec<AssetFileDef>,
    /// The objects.
    #[prost(message, optional, tag = "7")]
    pub object_graph_def: Option<SavedObjectGraph>,
}

/// The nodes of a graph that save and restore its variables.
#[derive(Clone, PartialEq, Message)]
pub struct SaverDef {
    /// The tensor that is to hold the prefix of a checkpoint.
    #[prost(string, tag = "1")]
    pub filename_tensor_name: String,
    /// The tensor that is there once the variables are saved.
    #[prost(string, tag = "2")]
    pub save_tensor_name: String,
    /// The node that has run once the variables are restored.
    #[prost(string, tag = "3")]
    pub restore_op_name: String,
    /// The number of the checkpoints' format.
    #[prost(int32, tag = "7")]
    pub version: i32,
}

impl SaverDef {
    /// The version of checkpoints in bundles.
    pub const BUNDLES: i32 = 2;
}

/// What is known of a graph.
#[derive(Clone, PartialEq, Message)]
pub struct MetaInfoDef {
    /// What it is for.
    #[prost(string, repeated, tag = "4")]
    pub tags: Vec<String>,
    /// The version of who wrote it.
    #[prost(string, tag = "5")]
    pub tensorflow_version: String,
    /// Whether attributes that have their default are left out.
    #[prost(bool, tag = "7")]
    pub stripped_default_attrs: bool,
}

/// A tensor of the graph.
#[derive(Clone, PartialEq, Message)]
pub struct TensorInfo {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The number of its dtype.
    #[prost(int32, tag = "2")]
    pub dtype: i32,
    /// Its shape.
    #[prost(message, optional, tag = "3")]
    pub tensor_shape: Option<TensorShapeProto>,
}

/// What a signature takes and gives.
#[derive(Clone, PartialEq, Message)]
pub struct SignatureDef {
    /// What it takes.
    #[prost(btree_map = "string, message", tag = "1")]
    pub inputs: BTreeMap<String, TensorInfo>,
    /// What it gives.
    #[prost(btree_map = "string, message", tag = "2")]
    pub outputs: BTreeMap<String, TensorInfo>,
    /// What it is for.
    #[prost(string, tag = "3")]
    pub method_name: String,
}

/// A file that belongs to a model.
#[derive(Clone, PartialEq, Message)]
pub struct AssetFileDef {
    /// The tensor that is to hold its path.
    #[prost(message, optional, tag = "1")]
    pub tensor_info: Option<TensorInfo>,
    /// Its name in the folder of such files.
    #[prost(string, tag = "2")]
    pub filename: String,
}

/// The objects, the root first, and their functions.
#[derive(Clone, PartialEq, Message)]
pub struct SavedObjectGraph {
    /// The objects; references are positions here.
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<SavedObject>,
    /// What surrounds functions of the library, by their names.
    #[prost(btree_map = "string, message", tag = "2")]
    pub concrete_functions: BTreeMap<String, SavedConcreteFunction>,
}

/// One object.
#[derive(Clone, PartialEq, Message)]
pub struct SavedObject {
    /// Its children.
    #[prost(message, repeated, tag = "1")]
    pub children: Vec<ObjectReference>,
    /// What must be there before it is.
    #[prost(message, repeated, tag = "15")]
    pub dependencies: Vec<ObjectReference>,
    /// What it is.
    #[prost(oneof = "SavedKind", tags = "4, 5, 6, 7, 8, 9, 10, 12")]
    pub kind: Option<SavedKind>,
    /// The name of its class.
    #[prost(string, tag = "13")]
    pub registered_name: String,
}

/// What a saved object is.
#[derive(Clone, PartialEq, Oneof)]
pub enum SavedKind {
    /// An object of the program.
    #[prost(message, tag = "4")]
    User(SavedUserObject),
    /// A file.
    #[prost(message, tag = "5")]
    Asset(SavedAsset),
    /// A function with its traces.
    #[prost(message, tag = "6")]
    Function(SavedFunction),
    /// A variable.
    #[prost(message, tag = "7")]
    Variable(SavedVariable),
    /// One trace.
    #[prost(message, tag = "8")]
    Concrete(SavedBareConcreteFunction),
    /// A tensor.
    #[prost(message, tag = "9")]
    Constant(SavedConstant),
    /// What one of its functions makes anew.
    #[prost(message, tag = "10")]
    Resource(SavedResource),
    /// A tensor that a function captured.
    #[prost(message, tag = "12")]
    Captured(CapturedTensor),
}

/// An object of the program.
#[derive(Clone, PartialEq, Message)]
pub struct SavedUserObject {
    /// Of which kind.
    #[prost(string, tag = "1")]
    pub identifier: String,
    /// The version of that kind.
    #[prost(message, optional, tag = "2")]
    pub version: Option<VersionDef>,
    /// What that kind keeps besides.
    #[prost(string, tag = "3")]
    pub metadata: String,
}

/// A file.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct SavedAsset {
    /// Which one of the graph's files.
    #[prost(int32, tag = "1")]
    pub asset_file_def_index: i32,
}

/// A function with its traces.
#[derive(Clone, PartialEq, Message)]
pub struct SavedFunction {
    /// Their names.
    #[prost(string, repeated, tag = "1")]
    pub concrete_functions: Vec<String>,
    /// Its parameters.
    #[prost(message, optional, tag = "2")]
    pub function_spec: Option<FunctionSpec>,
}

/// A tensor that a function captured.
#[derive(Clone, PartialEq, Message)]
pub struct CapturedTensor {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The function.
    #[prost(string, tag = "2")]
    pub concrete_function: String,
}

/// What surrounds a function of the library.
#[derive(Clone, PartialEq, Message)]
pub struct SavedConcreteFunction {
    /// The objects that its last inputs are.
    #[prost(int32, repeated, tag = "2")]
    pub bound_inputs: Vec<i32>,
    /// The structure of its arguments: a tuple of a tuple and a dictionary.
    #[prost(message, optional, tag = "3")]
    pub canonicalized_input_signature: Option<StructuredValue>,
    /// The structure of its result.
    #[prost(message, optional, tag = "4")]
    pub output_signature: Option<StructuredValue>,
}

/// One trace.
#[derive(Clone, PartialEq, Message)]
pub struct SavedBareConcreteFunction {
    /// Its name.
    #[prost(string, tag = "1")]
    pub concrete_function_name: String,
    /// The names of its flat arguments.
    #[prost(string, repeated, tag = "2")]
    pub argument_keywords: Vec<String>,
    /// How many of these may be given by position.
    #[prost(int64, tag = "3")]
    pub allowed_positional_arguments: i64,
    /// The parameters of the function it is a trace of.
    #[prost(message, optional, tag = "4")]
    pub function_spec: Option<FunctionSpec>,
}

/// A tensor.
#[derive(Clone, PartialEq, Message)]
pub struct SavedConstant {
    /// The node of the graph that gives it.
    #[prost(string, tag = "1")]
    pub operation: String,
}

/// A variable.
#[derive(Clone, PartialEq, Message)]
pub struct SavedVariable {
    /// The number of its dtype.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Its shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// Whether it is trained.
    #[prost(bool, tag = "3")]
    pub trainable: bool,
    /// When copies of it are brought together.
    #[prost(int32, tag = "4")]
    pub synchronization: i32,
    /// How copies of it are brought together.
    #[prost(int32, tag = "5")]
    pub aggregation: i32,
    /// Its name.
    #[prost(string, tag = "6")]
    pub name: String,
}

/// The parameters of a function.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionSpec {
    /// What `inspect.getfullargspec` gives.
    #[prost(message, optional, tag = "1")]
    pub fullargspec: Option<StructuredValue>,
    /// Whether the first one is the instance.
    #[prost(bool, tag = "2")]
    pub is_method: bool,
    /// The input signature, or none.
    #[prost(message, optional, tag = "5")]
    pub input_signature: Option<StructuredValue>,
}

/// What one of its functions makes anew.
#[derive(Clone, PartialEq, Message)]
pub struct SavedResource {
    /// Where it is made.
    #[prost(string, tag = "1")]
    pub device: String,
}

/// What `fingerprint.pb` holds.
#[derive(Clone, PartialEq, Message)]
pub struct FingerprintDef {
    /// A hash of `saved_model.pb`, by a rule of who wrote it.
    #[prost(uint64, tag = "1")]
    pub saved_model_checksum: u64,
    /// The version of the rule.
    #[prost(message, optional, tag = "6")]
    pub version: Option<VersionDef>,
    /// A number for this model alone.
    #[prost(string, tag = "7")]
    pub uuid: String,
    /// The masked CRC-32C of `saved_model.pb`, in what this project wrote.
    #[prost(fixed32, optional, tag = "1000")]
    pub file_crc32c: Option<u32>,
}
