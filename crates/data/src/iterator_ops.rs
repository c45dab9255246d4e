//! Operations on iterators.

use crate::dataset::{DatasetHandle, Sink};
use crate::iterator::IteratorCell;
use crate::op::{check_element, element_specs};
use crate::optional::OptionalValue;
use ferrograph_graph::{
    AttrReader, Attrs, Differentiability, Effect, Inputs, ObjectKernel, Op, OpRef, Operands,
    Registry, Runner, Specs, Tensors, op_object,
};
use ferrograph_ops::specs_attrs;
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

/// What taking an element counts as: it may wait for another thread that needs the lock of a caller, so plans with it
/// run without.
const WAITING_FLOPS: f64 = 1e9;

/// A fresh iterator over nothing yet.
#[derive(Debug)]
pub(crate) struct NewIterator {
    pub specs: Vec<TensorSpec>,
}

impl Op for NewIterator {
    op_object!();
    fn name(&self) -> &'static str {
        "AnonymousIteratorV3"
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(Attrs::new(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(smallvec![TensorSpec::scalar(DType::Resource)])
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![IteratorCell::new().into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Begins the iteration of an iterator (input 1) over a dataset (input 0).
#[derive(Debug)]
pub(crate) struct MakeIterator;

impl Op for MakeIterator {
    op_object!();
    fn name(&self) -> &'static str {
        "MakeIterator"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        inputs.expect_dtype(0, DType::Variant)?;
        inputs.expect_dtype(1, DType::Resource)?;
        Ok(Specs::new())
    }
    fn effect(&self) -> Effect {
        Effect::Writes
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        IteratorCell::of(&inputs[1])?.start(DatasetHandle::of(&inputs[0])?)?;
        Ok(Tensors::new())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The next element of an iterator.
#[derive(Debug)]
pub(crate) struct GetNext {
    pub specs: Vec<TensorSpec>,
}

impl Op for GetNext {
    op_object!();
    fn name(&self) -> &'static str {
        "IteratorGetNext"
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(Attrs::new(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Resource)?;
        Ok(self.specs.iter().cloned().collect())
    }
    fn effect(&self) -> Effect {
        Effect::Writes
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match IteratorCell::of(&inputs[0])?.next(runner)? {
            Some(element) => {
                check_element(&self.specs, &element)?;
                Ok(element)
            }
            None => bail!(OutOfRange, "End of sequence"),
        }
    }
    fn object_kernel(
        &self,
        inputs: &Inputs<'_>,
        outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        if inputs.dtype(0) != DType::Resource || !outputs.iter().all(|o| o.dtype.is_dense()) {
            return Ok(None);
        }
        let dtypes: Vec<DType> = outputs.iter().map(|o| o.dtype).collect();
        Ok(Some(ObjectKernel::Reads(Box::new(
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
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
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

/// Whether an iterator has a next element; where input 1 is true it is not looked for.
#[derive(Debug)]
pub(crate) struct HasNext;

impl Op for HasNext {
    op_object!();
    fn name(&self) -> &'static str {
        "IteratorHasNext"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        inputs.expect_dtype(0, DType::Resource)?;
        inputs.expect_dtype(1, DType::Bool)?;
        Ok(smallvec![TensorSpec::scalar(DType::Bool)])
    }
    fn effect(&self) -> Effect {
        Effect::Writes
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let more = !inputs[1].item::<bool>()? && IteratorCell::of(&inputs[0])?.has_next(runner)?;
        Ok(smallvec![Tensor::scalar(more)?])
    }
    fn object_kernel(
        &self,
        _inputs: &Inputs<'_>,
        _outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        Ok(Some(ObjectKernel::Reads(Box::new(|handle, operands| {
            let stopped = operands.input::<bool>(0).first().is_some_and(|stop| *stop);
            let more = !stopped && IteratorCell::of(handle)?.has_next(&PlanRunner)?;
            operands.output::<bool>(0).fill(more);
            Ok(())
        }))))
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The next element of an iterator, or nothing at its end.
#[derive(Debug)]
struct GetNextAsOptional {
    specs: Vec<TensorSpec>,
}

impl Op for GetNextAsOptional {
    op_object!();
    fn name(&self) -> &'static str {
        "IteratorGetNextAsOptional"
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(Attrs::new(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Resource)?;
        Ok(smallvec![TensorSpec::scalar(DType::Variant)])
    }
    fn effect(&self) -> Effect {
        Effect::Writes
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let element = IteratorCell::of(&inputs[0])?.next(runner)?;
        Ok(smallvec![OptionalValue(element).into_tensor()])
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn make_next(a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(GetNext {
        specs: element_specs(a)?,
    }))
}

pub(crate) fn register(r: &mut Registry) {
    r.add("AnonymousIteratorV3", |a| {
        Ok(Arc::new(NewIterator {
            specs: element_specs(a)?,
        }))
    });
    r.add("MakeIterator", |_| Ok(Arc::new(MakeIterator)));
    r.add("IteratorGetNext", make_next);
    r.add("IteratorHasNext", |_| Ok(Arc::new(HasNext)));
    r.add("IteratorGetNextAsOptional", |a| {
        Ok(Arc::new(GetNextAsOptional {
            specs: element_specs(a)?,
        }))
    });
}
