//! The graph of the objects whose tensors a checkpoint holds.

use prost::Message;

/// A child of an object.
#[derive(Clone, PartialEq, Message)]
pub struct ObjectReference {
    /// Which object it is.
    #[prost(int32, tag = "1")]
    pub node_id: i32,
    /// What its parent calls it.
    #[prost(string, tag = "2")]
    pub local_name: String,
}

/// A tensor of an object.
#[derive(Clone, PartialEq, Message)]
pub struct SerializedTensor {
    /// What the object calls it.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A name for checkpoints that know no objects.
    #[prost(string, tag = "2")]
    pub full_name: String,
    /// Its name in the bundle.
    #[prost(string, tag = "3")]
    pub checkpoint_key: String,
}

/// A variable that an optimizer keeps for another one.
#[derive(Clone, PartialEq, Message)]
pub struct SlotVariable {
    /// The variable that it is for.
    #[prost(int32, tag = "1")]
    pub original_variable_node_id: i32,
    /// What the optimizer calls it.
    #[prost(string, tag = "2")]
    pub slot_name: String,
    /// The variable that is kept.
    #[prost(int32, tag = "3")]
    pub slot_variable_node_id: i32,
}

/// A bool that may be absent.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct BoolValue {
    /// Its value.
    #[prost(bool, tag = "1")]
    pub value: bool,
}

/// One object.
#[derive(Clone, PartialEq, Message)]
pub struct TrackableObject {
    /// Its children.
    #[prost(message, repeated, tag = "1")]
    pub children: Vec<ObjectReference>,
    /// Its tensors.
    #[prost(message, repeated, tag = "2")]
    pub attributes: Vec<SerializedTensor>,
    /// The variables that it keeps for others.
    #[prost(message, repeated, tag = "3")]
    pub slot_variables: Vec<SlotVariable>,
    /// Whether it, or what can be reached from it, has tensors.
    #[prost(message, optional, tag = "5")]
    pub has_checkpoint_values: Option<BoolValue>,
}

/// The objects, the root first.
#[derive(Clone, PartialEq, Message)]
pub struct TrackableObjectGraph {
    /// The objects; references are positions here.
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<TrackableObject>,
}
