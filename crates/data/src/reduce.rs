//! What a whole dataset comes to: a fold over it, its only element, how many there are.

use crate::dataset::{DatasetHandle, dataset_of, pause};
use crate::function::{Function, n_attr};
use crate::op::{check_element, element_specs};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Effect, Graph, Inputs, Op, OpRef, Registry, Runner,
    Specs, Tensors, op_object,
};
use ferrograph_ops::specs_attrs;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The state after a function was applied to it and each element in turn. Inputs: the dataset, the state, what the
/// function captured.
#[derive(Debug)]
struct Reduce {
    function: Arc<Graph>,
    n_state: usize,
    specs: Vec<TensorSpec>,
}

impl Op for Reduce {
    op_object!();
    fn name(&self) -> &'static str {
        "ReduceDataset"
    }
    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new()
            .with("f", Attr::Graph(self.function.clone()))
            .with("n_state", Attr::Int(self.n_state as i64));
        specs_attrs(attrs, &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.len() <= self.n_state || self.specs.len() != self.n_state {
            bail!(
                Type,
                "a reduction of {} state tensors got {} inputs",
                self.n_state,
                inputs.len()
            );
        }
        inputs.expect_dtype(0, DType::Variant)?;
        for (i, spec) in self.specs.iter().enumerate() {
            inputs.expect_dtype(i + 1, spec.dtype)?;
        }
        Ok(self.specs.iter().cloned().collect())
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (state, captured) = inputs[1..].split_at(self.n_state);
        let function = Function::new(&self.function, captured);
        let mut state: Tensors = state.iter().cloned().collect();
        let mut elements = dataset_of(&inputs[0])?.open()?;
        for n in 0.. {
            pause(n)?;
            let Some(element) = elements.next(runner)? else {
                break;
            };
            state.extend(element);
            state = function.call(runner, state)?;
        }
        check_element(&self.specs, &state)?;
        Ok(state)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
    fn regions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.function]
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
}

/// What an iteration over all elements counts as: worth running without locks.
const UNBOUNDED_FLOPS: f64 = 1e9;

/// The only element of a dataset.
#[derive(Debug)]
struct Single {
    specs: Vec<TensorSpec>,
}

impl Op for Single {
    op_object!();
    fn name(&self) -> &'static str {
        "DatasetToSingleElement"
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(Attrs::new(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Variant)?;
        Ok(self.specs.iter().cloned().collect())
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut elements = dataset_of(&inputs[0])?.open()?;
        let Some(element) = elements.next(runner)? else {
            bail!(
                InvalidArgument,
                "the dataset is empty, expected one element"
            );
        };
        if elements.next(runner)?.is_some() {
            bail!(InvalidArgument, "the dataset has more than one element");
        }
        check_element(&self.specs, &element)?;
        Ok(element)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
}

/// How many elements there are: -1 for no end, -2 where only iterating tells.
#[derive(Debug)]
struct Count;

impl Op for Count {
    op_object!();
    fn name(&self) -> &'static str {
        "DatasetCardinality"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Variant)?;
        Ok(smallvec![TensorSpec::scalar(DType::Int64)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = DatasetHandle::of(&inputs[0])?.dataset.cardinality();
        Ok(smallvec![Tensor::scalar(n.number())?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn make_reduce(a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(Reduce {
        function: a.graph("f")?,
        n_state: n_attr(a, "n_state")?,
        specs: element_specs(a)?,
    }))
}

pub(crate) fn register(r: &mut Registry) {
    r.add("ReduceDataset", make_reduce);
    r.add("DatasetToSingleElement", |a| {
        Ok(Arc::new(Single {
            specs: element_specs(a)?,
        }))
    });
    r.add("DatasetCardinality", |_| Ok(Arc::new(Count)));
}
