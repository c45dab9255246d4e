//! Reads and writes of variables.

use super::VariableCell;
use crate::args::expect_numbers;
use crate::elementwise::{add_now, sub_now, sum_or_difference};
use ferrograph_graph::{
    Inputs, Lowered, ObjectKernel, Op, OpRef, Registry, Runner, Specs, Tensors, declare,
    declare_family, declared, of_family,
};
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, TensorSpec};
use smallvec::smallvec;

pub use assign::{AssignVariable, EmitAssign};
pub use read::{EmitRead, ReadVariableOp};

mod read {
    use super::*;
    declare! {
        trait EmitRead;

        /// The value of the variable `resource`.
        ReadVariableOp: read_variable(resource: resource) -> (value: dtype), gradient Passes, effect Reads {
            /// The dtype of the value.
            dtype: DType,
            /// What is known of its shape.
            shape: PartialShape,
        };
    }
}

mod assign {
    use super::*;
    declare_family! {
        trait EmitAssign;

        /// Changes the value of a variable; has no output.
        AssignVariable {
            /// How.
            kind: AssignKind,
        } (resource: resource, value: dtype) -> () {};

        /// Makes `value` the value of the variable `resource`.
        AssignVariableOp: assign_variable, gradient Stops, effect Writes { kind: AssignKind::Set };
        /// Adds `value` to the variable `resource`.
        AssignAddVariableOp: assign_add_variable, gradient Stops, effect Writes { kind: AssignKind::Add };
        /// Subtracts `value` from the variable `resource`.
        AssignSubVariableOp: assign_sub_variable, gradient Stops, effect Writes { kind: AssignKind::Sub };
    }
}

pub(crate) fn register(registry: &mut Registry) {
    read::register(registry);
    assign::register(registry);
}

/// Values up to this many bytes are cheaper to copy than to share.
const COPIED_BYTES: usize = 512;

impl ReadVariableOp {
    /// A read of a value of that spec.
    pub fn of(spec: TensorSpec) -> ReadVariableOp {
        ReadVariableOp {
            dtype: spec.dtype,
            shape: spec.shape,
        }
    }

    /// What is known of the value.
    pub fn spec(&self) -> TensorSpec {
        TensorSpec::new(self.dtype, self.shape.clone())
    }
}

impl Op for ReadVariableOp {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![self.spec()])
    }
    fn lower(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let size = |n: usize| n.checked_mul(self.dtype.size());
        let bytes = outputs[0].shape.n_elements().and_then(size);
        if !self.dtype.is_dense() || bytes.is_none_or(|n| n > COPIED_BYTES) {
            return Ok(Lowered::Eval);
        }
        Ok(Lowered::Object(ObjectKernel::Reads(Box::new(
            |handle, o| VariableCell::of(handle)?.copy_to(o.output_bytes(0)),
        ))))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![VariableCell::of(&inputs[0])?.read()?])
    }
}

/// How an assignment combines the old value with the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignKind {
    /// The new value replaces the old.
    Set,
    /// The new value is added.
    Add,
    /// The new value is subtracted.
    Sub,
}

/// The operation that makes a variable's next value of its value and what is assigned; none where that replaces it.
pub fn combining(kind: AssignKind) -> Option<OpRef> {
    match kind {
        AssignKind::Set => None,
        AssignKind::Add => Some(sum_or_difference(false)),
        AssignKind::Sub => Some(sum_or_difference(true)),
    }
}

impl AssignVariable {
    /// An assignment of that kind.
    pub fn of(kind: AssignKind) -> AssignVariable {
        let decl = match kind {
            AssignKind::Set => AssignVariable::AssignVariableOp,
            AssignKind::Add => AssignVariable::AssignAddVariableOp,
            AssignKind::Sub => AssignVariable::AssignSubVariableOp,
        };
        AssignVariable { decl, kind }
    }

    /// How it changes the variable.
    pub fn kind(&self) -> AssignKind {
        self.kind
    }
}

impl Op for AssignVariable {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let joins = self.kind == AssignKind::Add && inputs.dtype(1) == DType::String;
        if self.kind != AssignKind::Set && !joins {
            expect_numbers(inputs, 1, "value", false)?;
        }
        Ok(Specs::new())
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (cell, value) = (VariableCell::of(&inputs[0])?, &inputs[1]);
        match self.kind {
            AssignKind::Set => cell.write(value.clone())?,
            AssignKind::Add => cell.update(|old| add_now(runner, old, value))?,
            AssignKind::Sub => cell.update(|old| sub_now(runner, old, value))?,
        }
        Ok(Tensors::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_graph::lower;

    fn kind(dtype: DType) -> &'static str {
        let spec = TensorSpec::scalar(dtype);
        let handle = [TensorSpec::scalar(DType::Resource)];
        let read = ReadVariableOp::of(spec.clone());
        lower(&read, &Inputs::of_specs(&handle), &[spec])
            .unwrap()
            .kind()
    }

    #[test]
    fn small_dense_values_are_copied_and_strings_shared() {
        assert_eq!(kind(DType::Float32), "object");
        assert_eq!(kind(DType::String), "eval");
    }
}
