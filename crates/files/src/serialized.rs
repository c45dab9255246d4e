//! Tensors as bytes: the message that holds one, serialised.

use ferrograph_formats::messages::TensorProto;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    Bytes, DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, string_of,
};
use prost::Message;
use smallvec::smallvec;

declare! {
    trait EmitSerialized;

    /// A tensor as a serialised `TensorProto`.
    SerializeTensor: serialize_tensor(tensor: T in stored) -> (serialized: string rank 0), gradient Stops;

    /// The tensor of a serialised `TensorProto`, which must be of `out_type`.
    ParseTensor: parse_tensor(serialized: string rank 0) -> (output: out_type in stored), gradient Stops {
        /// The dtype of the tensor.
        out_type: DType,
    };
}

/// A tensor as bytes.
///
/// # Errors
/// `Unimplemented` for objects.
pub(crate) fn serialized(tensor: &Tensor) -> Result<Bytes> {
    string_of(&TensorProto::of(tensor)?.encode_to_vec())
}

/// The tensor that such bytes are.
///
/// # Errors
/// `InvalidArgument` where they are none.
pub(crate) fn parsed(bytes: &[u8]) -> Result<Tensor> {
    let message = TensorProto::decode(bytes).map_err(|e| {
        err!(
            InvalidArgument,
            "serialized can't be parsed as a TensorProto: {e}"
        )
    })?;
    message.to_tensor()
}

impl Op for SerializeTensor {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let bytes = serialized(&inputs[0])?;
        Ok(smallvec![Tensor::from_strings(
            Shape::scalar(),
            vec![bytes]
        )?])
    }
}

impl Op for ParseTensor {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![TensorSpec::new(
            self.out_type,
            PartialShape::UNKNOWN
        )])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [bytes] = inputs[0].as_strings()? else {
            bail!(
                Shape,
                "serialized must be a scalar, got {}",
                inputs[0].spec()
            );
        };
        let tensor = parsed(bytes)?;
        if tensor.dtype() != self.out_type {
            bail!(
                InvalidArgument,
                "Type mismatch between parsed tensor ({}) and dtype ({})",
                tensor.dtype(),
                self.out_type
            );
        }
        Ok(smallvec![tensor])
    }
}
