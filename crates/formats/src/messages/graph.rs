//! Graphs and functions of nodes, as GraphDef has them.

use super::{TensorProto, TensorShapeProto, VersionDef};
use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// The value of an attribute.
#[derive(Clone, PartialEq, Message)]
pub struct AttrValue {
    /// The value.
    #[prost(oneof = "AttrContent", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10")]
    pub value: Option<AttrContent>,
}

/// What an attribute may hold. What is large is elsewhere: nodes have room for many values.
#[derive(Clone, PartialEq, Oneof)]
pub enum AttrContent {
    /// A list of any of the others.
    #[prost(message, boxed, tag = "1")]
    List(Box<AttrList>),
    /// Bytes.
    #[prost(bytes, tag = "2")]
    S(Vec<u8>),
    /// An integer.
    #[prost(int64, tag = "3")]
    I(i64),
    /// A float.
    #[prost(float, tag = "4")]
    F(f32),
    /// A truth value.
    #[prost(bool, tag = "5")]
    B(bool),
    /// The number of a dtype.
    #[prost(int32, tag = "6")]
    Type(i32),
    /// A shape.
    #[prost(message, tag = "7")]
    Shape(TensorShapeProto),
    /// A constant.
    #[prost(message, boxed, tag = "8")]
    Tensor(Box<TensorProto>),
    /// The name of an attribute of the function around.
    #[prost(string, tag = "9")]
    Placeholder(String),
    /// A function of the library.
    #[prost(message, boxed, tag = "10")]
    Func(Box<NameAttrList>),
}

/// A list of values; the field in use tells of what.
#[derive(Clone, PartialEq, Message)]
pub struct AttrList {
    /// Bytes.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub s: Vec<Vec<u8>>,
    /// Integers.
    #[prost(int64, repeated, tag = "3")]
    pub i: Vec<i64>,
    /// Floats.
    #[prost(float, repeated, tag = "4")]
    pub f: Vec<f32>,
    /// Truth values.
    #[prost(bool, repeated, tag = "5")]
    pub b: Vec<bool>,
    /// Numbers of dtypes.
    #[prost(int32, repeated, tag = "6")]
    pub r#type: Vec<i32>,
    /// Shapes.
    #[prost(message, repeated, tag = "7")]
    pub shape: Vec<TensorShapeProto>,
    /// Constants.
    #[prost(message, repeated, tag = "8")]
    pub tensor: Vec<TensorProto>,
    /// Functions.
    #[prost(message, repeated, tag = "9")]
    pub func: Vec<NameAttrList>,
}

/// The name of a function, with attributes.
#[derive(Clone, PartialEq, Message)]
pub struct NameAttrList {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The attributes.
    #[prost(btree_map = "string, message", tag = "2")]
    pub attr: BTreeMap<String, AttrValue>,
}

/// One operation.
#[derive(Clone, PartialEq, Message)]
pub struct NodeDef {
    /// Its name, unique among its neighbours.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The operation, or a function of the library.
    #[prost(string, tag = "2")]
    pub op: String,
    /// What it takes: `node`, `node:output`, in functions `node:port:number`; `^node` for what it follows.
    #[prost(string, repeated, tag = "3")]
    pub input: Vec<String>,
    /// Where it runs.
    #[prost(string, tag = "4")]
    pub device: String,
    /// The attributes.
    #[prost(btree_map = "string, message", tag = "5")]
    pub attr: BTreeMap<String, AttrValue>,
}

/// An argument or result of a function.
#[derive(Clone, PartialEq, Message)]
pub struct ArgDef {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The number of its dtype; 0 where attributes say it.
    #[prost(int32, tag = "3")]
    pub r#type: i32,
    /// The attribute that says its dtype.
    #[prost(string, tag = "4")]
    pub type_attr: String,
    /// The attribute that says how many there are.
    #[prost(string, tag = "5")]
    pub number_attr: String,
    /// The attribute that lists the dtypes of several.
    #[prost(string, tag = "6")]
    pub type_list_attr: String,
    /// Of a variable the type of what it holds; nothing where that is not known.
    #[prost(message, repeated, tag = "7")]
    pub handle_data: Vec<DtypeAndShape>,
}

/// The type of what a variable holds.
#[derive(Clone, PartialEq, Message)]
pub struct DtypeAndShape {
    /// The number of its dtype.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Its shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The name, arguments and results of a function.
#[derive(Clone, PartialEq, Message)]
pub struct OpDef {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The arguments.
    #[prost(message, repeated, tag = "2")]
    pub input_arg: Vec<ArgDef>,
    /// The results.
    #[prost(message, repeated, tag = "3")]
    pub output_arg: Vec<ArgDef>,
    /// Whether it does more than compute.
    #[prost(bool, tag = "17")]
    pub is_stateful: bool,
    /// What must run, whatever is used of the results.
    #[prost(string, repeated, tag = "20")]
    pub control_output: Vec<String>,
}

/// Attributes of an argument.
#[derive(Clone, PartialEq, Message)]
pub struct ArgAttrs {
    /// The attributes.
    #[prost(btree_map = "string, message", tag = "1")]
    pub attr: BTreeMap<String, AttrValue>,
}

/// A function of the library.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionDef {
    /// Its name, arguments and results.
    #[prost(message, optional, tag = "1")]
    pub signature: Option<OpDef>,
    /// The nodes.
    #[prost(message, repeated, tag = "3")]
    pub node_def: Vec<NodeDef>,
    /// The value of each result.
    #[prost(btree_map = "string, string", tag = "4")]
    pub ret: BTreeMap<String, String>,
    /// Attributes.
    #[prost(btree_map = "string, message", tag = "5")]
    pub attr: BTreeMap<String, AttrValue>,
    /// The node behind each of the signature's control outputs.
    #[prost(btree_map = "string, string", tag = "6")]
    pub control_ret: BTreeMap<String, String>,
    /// Attributes of arguments.
    #[prost(btree_map = "uint32, message", tag = "7")]
    pub arg_attr: BTreeMap<u32, ArgAttrs>,
}

/// A function that gives the gradients of nodes which name it by a type of their own.
#[derive(Clone, PartialEq, Message)]
pub struct RegisteredGradient {
    /// The function.
    #[prost(string, tag = "1")]
    pub gradient_func: String,
    /// What these nodes have as their `_gradient_op_type`.
    #[prost(string, tag = "2")]
    pub registered_op_type: String,
}

/// Functions.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionDefLibrary {
    /// The functions.
    #[prost(message, repeated, tag = "1")]
    pub function: Vec<FunctionDef>,
    /// Those of them that are gradients of nodes.
    #[prost(message, repeated, tag = "3")]
    pub registered_gradients: Vec<RegisteredGradient>,
}

/// A graph.
#[derive(Clone, PartialEq, Message)]
pub struct GraphDef {
    /// The nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeDef>,
    /// The functions that nodes call.
    #[prost(message, optional, tag = "2")]
    pub library: Option<FunctionDefLibrary>,
    /// The version of the operations.
    #[prost(message, optional, tag = "4")]
    pub versions: Option<VersionDef>,
}
