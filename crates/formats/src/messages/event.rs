//! What event files hold.

use super::TensorProto;
use prost::Message;

/// One record of an event file.
#[derive(Clone, PartialEq, Message)]
pub struct Event {
    /// When it was written, in seconds since 1970.
    #[prost(double, tag = "1")]
    pub wall_time: f64,
    /// The step that it belongs to.
    #[prost(int64, tag = "2")]
    pub step: i64,
    /// The version of the layout, in the first record.
    #[prost(string, optional, tag = "3")]
    pub file_version: Option<String>,
    /// A serialised graph.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub graph_def: Option<Vec<u8>>,
    /// Values by their tags.
    #[prost(message, optional, tag = "5")]
    pub summary: Option<Summary>,
}

/// Values by their tags.
#[derive(Clone, PartialEq, Message)]
pub struct Summary {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub value: Vec<SummaryValue>,
}

/// A value with its tag.
#[derive(Clone, PartialEq, Message)]
pub struct SummaryValue {
    /// What it is called.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// The value.
    #[prost(message, optional, tag = "8")]
    pub tensor: Option<TensorProto>,
    /// What reads it.
    #[prost(message, optional, tag = "9")]
    pub metadata: Option<SummaryMetadata>,
}

/// What a value is and what reads it.
#[derive(Clone, PartialEq, Message)]
pub struct SummaryMetadata {
    /// The part of the reader that shows it.
    #[prost(message, optional, tag = "1")]
    pub plugin_data: Option<PluginData>,
    /// What it is called there.
    #[prost(string, tag = "2")]
    pub display_name: String,
    /// What it means.
    #[prost(string, tag = "3")]
    pub summary_description: String,
    /// The class of its data: scalars, tensors or contents of files.
    #[prost(int32, tag = "4")]
    pub data_class: i32,
}

/// The part of the reader that shows a value.
#[derive(Clone, PartialEq, Message)]
pub struct PluginData {
    /// Its name.
    #[prost(string, tag = "1")]
    pub plugin_name: String,
    /// What it has to know.
    #[prost(bytes = "vec", tag = "2")]
    pub content: Vec<u8>,
}
