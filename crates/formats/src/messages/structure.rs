//! Structures of values and their types.

use super::{TensorProto, TensorShapeProto};
use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// A value, or the type of one, in its structure.
#[derive(Clone, PartialEq, Message)]
pub struct StructuredValue {
    /// The value.
    #[prost(
        oneof = "Structure",
        tags = "1, 11, 12, 13, 14, 31, 32, 33, 34, 35, 51, 52, 53, 54, 55, 56"
    )]
    pub kind: Option<Structure>,
}

/// What a structure may be.
#[derive(Clone, PartialEq, Oneof)]
pub enum Structure {
    /// Nothing.
    #[prost(message, tag = "1")]
    None(Empty),
    /// A float.
    #[prost(double, tag = "11")]
    Float(f64),
    /// An integer.
    #[prost(sint64, tag = "12")]
    Int(i64),
    /// Text.
    #[prost(string, tag = "13")]
    Str(String),
    /// A truth value.
    #[prost(bool, tag = "14")]
    Bool(bool),
    /// A shape.
    #[prost(message, tag = "31")]
    Shape(TensorShapeProto),
    /// The number of a dtype.
    #[prost(int32, tag = "32")]
    DType(i32),
    /// The type of a tensor.
    #[prost(message, tag = "33")]
    Spec(TensorSpecProto),
    /// The type of a value of several tensors.
    #[prost(message, tag = "34")]
    Type(Box<TypeSpecProto>),
    /// The type of a tensor whose elements have bounds.
    #[prost(message, tag = "35")]
    Bounded(BoundedTensorSpecProto),
    /// A list.
    #[prost(message, tag = "51")]
    List(StructuredList),
    /// A tuple.
    #[prost(message, tag = "52")]
    Tuple(StructuredList),
    /// A dictionary.
    #[prost(message, tag = "53")]
    Dict(StructuredDict),
    /// A tuple with names.
    #[prost(message, tag = "54")]
    Named(NamedTuple),
    /// A constant.
    #[prost(message, tag = "55")]
    Tensor(TensorProto),
    /// An array.
    #[prost(message, tag = "56")]
    Array(TensorProto),
}

/// A message without fields.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Empty {}

/// Several values.
#[derive(Clone, PartialEq, Message)]
pub struct StructuredList {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<StructuredValue>,
}

/// Values by keys.
#[derive(Clone, PartialEq, Message)]
pub struct StructuredDict {
    /// The values.
    #[prost(btree_map = "string, message", tag = "1")]
    pub fields: BTreeMap<String, StructuredValue>,
}

/// A value with its name.
#[derive(Clone, PartialEq, Message)]
pub struct StructuredPair {
    /// The name.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<StructuredValue>,
}

/// A tuple with names.
#[derive(Clone, PartialEq, Message)]
pub struct NamedTuple {
    /// The name of its class.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its fields.
    #[prost(message, repeated, tag = "2")]
    pub values: Vec<StructuredPair>,
}

/// The type of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorSpecProto {
    /// Its name; empty for none.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// The number of the dtype.
    #[prost(int32, tag = "3")]
    pub dtype: i32,
}

/// The type of a tensor whose elements have bounds.
#[derive(Clone, PartialEq, Message)]
pub struct BoundedTensorSpecProto {
    /// Its name; empty for none.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// The number of the dtype.
    #[prost(int32, tag = "3")]
    pub dtype: i32,
}

/// The type of a value of several tensors.
#[derive(Clone, PartialEq, Message)]
pub struct TypeSpecProto {
    /// The number of its class.
    #[prost(int32, tag = "1")]
    pub type_spec_class: i32,
    /// What distinguishes its instances.
    #[prost(message, optional, boxed, tag = "2")]
    pub type_state: Option<Box<StructuredValue>>,
    /// The name of its class.
    #[prost(string, tag = "3")]
    pub type_spec_class_name: String,
    /// Of how many tensors a value consists.
    #[prost(int32, tag = "4")]
    pub num_flat_components: i32,
}
