//! Tensors and shapes as messages.

use prost::Message;

/// One dimension of a shape.
#[derive(Clone, PartialEq, Message)]
pub struct Dim {
    /// Its size; -1 where it is unknown.
    #[prost(int64, tag = "1")]
    pub size: i64,
    /// A name for readers.
    #[prost(string, tag = "2")]
    pub name: String,
}

/// A shape, whose rank and dimensions may be unknown.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// The dimensions, if the rank is known.
    #[prost(message, repeated, tag = "2")]
    pub dim: Vec<Dim>,
    /// Whether the rank is unknown.
    #[prost(bool, tag = "3")]
    pub unknown_rank: bool,
}

/// A tensor: its elements as bytes, or in the field of their dtype, where the last element is repeated for all that
/// follow.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// The public number of the dtype.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// The shape.
    #[prost(message, optional, tag = "2")]
    pub tensor_shape: Option<TensorShapeProto>,
    /// The version of the layout.
    #[prost(int32, tag = "3")]
    pub version_number: i32,
    /// All elements in row-major order, little-endian.
    #[prost(bytes = "vec", tag = "4")]
    pub tensor_content: Vec<u8>,
    /// Elements of float16 and bfloat16, as their bits.
    #[prost(int32, repeated, tag = "13")]
    pub half_val: Vec<i32>,
    /// Elements of float32.
    #[prost(float, repeated, tag = "5")]
    pub float_val: Vec<f32>,
    /// Elements of float64.
    #[prost(double, repeated, tag = "6")]
    pub double_val: Vec<f64>,
    /// Elements of integers of at most 32 bits, but for uint32.
    #[prost(int32, repeated, tag = "7")]
    pub int_val: Vec<i32>,
    /// Elements of strings.
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub string_val: Vec<Vec<u8>>,
    /// Elements of complex64, real and imaginary parts in turn.
    #[prost(float, repeated, tag = "9")]
    pub scomplex_val: Vec<f32>,
    /// Elements of int64.
    #[prost(int64, repeated, tag = "10")]
    pub int64_val: Vec<i64>,
    /// Elements of bool.
    #[prost(bool, repeated, tag = "11")]
    pub bool_val: Vec<bool>,
    /// Elements of complex128, real and imaginary parts in turn.
    #[prost(double, repeated, tag = "12")]
    pub dcomplex_val: Vec<f64>,
    /// Elements of uint32.
    #[prost(uint32, repeated, tag = "16")]
    pub uint32_val: Vec<u32>,
    /// Elements of uint64.
    #[prost(uint64, repeated, tag = "17")]
    pub uint64_val: Vec<u64>,
    /// Elements of floats of one byte.
    #[prost(bytes = "vec", tag = "18")]
    pub float8_val: Vec<u8>,
}
