//! Values and their types: dtypes, static and partial shapes, specs, errors, and the tensor with its
//! recycled buffers. There are no operations here; the other crates of the workspace build on these types.

mod buffer;
mod dtype;
mod error;
mod float8;
mod memory;
mod object;
mod partial;
mod printed_name;
mod shape;
mod spec;
mod tensor;

pub use buffer::{Buffer, BufferOwner};
pub use dtype::{DType, Element};
pub use error::{Error, ErrorKind, Foreign, Origin, Result};
pub use float8::Float8;
pub use half::{bf16, f16};
pub use memory::{Made, check_bytes, checked_bytes, give_back, string_of, vec_for, vec_of};
pub use num_complex::{Complex32, Complex64};
pub use object::{Object, depth_over};
pub use partial::{Dim, PartialShape};
pub use printed_name::{printed_name, set_printed_name};
pub use shape::{Dims, MAX_RANK, Shape, broadcast_shapes, row_major_strides};
pub use spec::TensorSpec;
pub use tensor::{Bytes, Tensor};
