//! Operations on iterators.

use crate::dataset::{DatasetHandle, Sink};
use crate::iterator::IteratorCell;
use crate::op::check_element;
use crate::optional::OptionalValue;
use ferrograph_graph::{
    Inputs, Lowered, ObjectKernel, Op, Operands, Runner, Tensors, declare, declared,
};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;

/// What taking an element counts as: it may wait for another thread that needs the lock of a caller, so plans with it
/// run without.
const WAITING_FLOPS: f64 = 1e9;

declare! {
    trait EmitIterators;

    /// A fresh iterator over nothing yet.
    AnonymousIteratorV3: anonymous_iterator() -> (handle: resource), gradient Stops, effect World {
        /// The types of the components of an element.
        element as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };

    /// Begins the iteration of `iterator` over `dataset`.
    MakeIterator: make_iterator(dataset: variant, iterator: resource) -> (), gradient Stops, effect Writes;

    /// The next element of `iterator`.
    IteratorGetNext: iterator_get_next(iterator: resource)
        -> (components: [output_types]), gradient Stops, effect Writes {
        /// The types of the components of an element.
        element as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };

    /// Whether `iterator` has a next element; where `stopped` holds it is not looked for.
    IteratorHasNext: iterator_has_next(iterator: resource, stopped: bool)
        -> (more: bool rank 0), gradient Stops, effect Writes;

    /// Where `iterator` is, for `SetIteratorPosition`.
    IteratorPosition: iterator_position(iterator: resource) -> (position: int64 rank 1), gradient Stops, effect Writes;

    /// Begins anew over the dataset of `iterator`, and goes where `IteratorPosition` said that an iterator over it was.
    SetIteratorPosition: set_iterator_position(iterator: resource, position: int64 rank 1)
        -> (), gradient Stops, effect Writes;

    /// The next element of `iterator`, or nothing at its end.
    IteratorGetNextAsOptional: iterator_get_next_as_optional(iterator: resource)
        -> (optional: variant), gradient Stops, effect Writes {
        /// The types of the components of an element.
        element as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };
}

impl Op for AnonymousIteratorV3 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![IteratorCell::new().into_tensor()])
    }
}

impl Op for MakeIterator {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        IteratorCell::of(&inputs[1])?.start(DatasetHandle::of(&inputs[0])?)?;
        Ok(Tensors::new())
    }
}

impl Op for IteratorGetNext {
    declared!();
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut element = Tensors::new();
        match IteratorCell::of(&inputs[0])?.next_to(runner, &mut element)? {
            true => check_element(&self.element, &element).map(|()| element),
            false => bail!(OutOfRange, "End of sequence"),
        }
    }
    fn lower(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let dtypes: Vec<DType> = outputs.iter().map(|o| o.dtype).collect();
        Ok(Lowered::Object(ObjectKernel::Reads(Box::new(
            move |handle, operands| {
                let dtypes = &dtypes;
                let mut sink = Slots { operands, dtypes };
                match IteratorCell::of(handle)?.next_into(&PlanRunner, &mut sink)? {
                    true => Ok(()),
                    false => bail!(OutOfRange, "End of sequence"),
                }
            },
        ))))
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

/// Writes components to the outputs of a kernel.
struct Slots<'a, 'b> {
    operands: &'a mut Operands<'b>,
    dtypes: &'a [DType],
}

impl Sink for Slots<'_, '_> {
    fn put(&mut self, i: usize, dtype: DType, bytes: &[u8]) -> Result<()> {
        if self.dtypes.get(i) != Some(&dtype) {
            bail!(InvalidArgument, "component {i} of an element is {dtype}");
        }
        let output = self.operands.output_bytes(i);
        if output.len() != bytes.len() {
            bail!(
                InvalidArgument,
                "component {i} of an element has {} bytes, expected {}",
                bytes.len(),
                output.len()
            );
        }
        output.copy_from_slice(bytes);
        Ok(())
    }
}

impl Op for IteratorHasNext {
    declared!();
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let more = !inputs[1].item::<bool>()? && IteratorCell::of(&inputs[0])?.has_next(runner)?;
        Ok(smallvec![Tensor::scalar(more)?])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Object(ObjectKernel::Reads(Box::new(
            |handle, operands| {
                let stopped = operands.input::<bool>(0).first().is_some_and(|stop| *stop);
                let more = !stopped && IteratorCell::of(handle)?.has_next(&PlanRunner)?;
                operands.output::<bool>(0).fill(more);
                Ok(())
            },
        ))))
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for IteratorPosition {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let position = IteratorCell::of(&inputs[0])?.position()?;
        Ok(smallvec![Tensor::vector(&position)?])
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for SetIteratorPosition {
    declared!();
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let position = inputs[1].as_slice::<i64>()?;
        IteratorCell::of(&inputs[0])?.go_to(position, runner)?;
        Ok(Tensors::new())
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for IteratorGetNextAsOptional {
    declared!();
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let element = IteratorCell::of(&inputs[0])?.next(runner)?;
        Ok(smallvec![OptionalValue::new(element)?.into_tensor()])
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}
