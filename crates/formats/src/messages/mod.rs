//! The protobuf messages of the files that we read and write, by their published field numbers. Only the fields that
//! are used here are named; others are skipped when they are read.

mod elements;
mod tensor;

pub use tensor::{Dim, TensorProto, TensorShapeProto};
