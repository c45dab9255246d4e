//! What a whole dataset comes to: a fold over it, its only element, how many there are.

use crate::dataset::{DatasetHandle, dataset_of, pause};
use crate::function::Function;
use crate::iterator_ops::{AnonymousIteratorV3, IteratorGetNext, IteratorHasNext, MakeIterator};
use crate::op::check_element;
use ferrograph_graph::{
    Branch, Graph, Inputs, Op, OpRef, Region, Runner, Specs, Tensors, Trace, TraceRef, Val,
    ValueId, declare, declared,
};
use ferrograph_ops::{Call, Const, Iteration, Placeholder, While};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use hashbrown::HashMap;
use parking_lot::Mutex;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

declare! {
    trait EmitFolds;

    /// The state after `f` was applied to it and each element of `input_dataset` in turn; behind the first state stands
    /// what `f` captured.
    ReduceDataset: reduce_dataset(input_dataset: variant, initial_state_and_captures: [Tstate])
        -> (components: [output_types]), gradient Stops, effect World {
        /// Gives the next state.
        f: Arc<Graph>,
        /// How many tensors the state is.
        n_state: usize,
        /// The types of the components of the state.
        state as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };

    /// The only element of `dataset`.
    DatasetToSingleElement: dataset_to_single_element(dataset: variant)
        -> (components: [output_types]), gradient Missing, effect World {
        /// The types of the components of an element.
        element as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };

    /// How many elements `input_dataset` has: -1 for no end, -2 where it is not known before iterating.
    DatasetCardinality: dataset_cardinality(input_dataset: variant) -> (cardinality: int64 rank 0), gradient Stops;
}

/// Calls a function without state on each element.
fn for_effects(runner: &dyn Runner, handle: &DatasetHandle, function: Function) -> Result<()> {
    let _back = Iteration::here().resume();
    let (mut elements, mut caller) = (handle.dataset.clone().open()?, function.caller());
    while let Some(element) = elements.next(runner)? {
        pause()?;
        caller.call_next(runner, element)?;
    }
    Ok(())
}

impl Op for ReduceDataset {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.len() <= self.n_state || self.state.len() != self.n_state {
            bail!(
                Type,
                "a reduction of {} state tensors got {} inputs",
                self.n_state,
                inputs.len()
            );
        }
        for (i, spec) in self.state.iter().enumerate() {
            inputs.expect_dtype(i + 1, spec.dtype)?;
        }
        Ok(self.state.iter().cloned().collect())
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let handle = DatasetHandle::of(&inputs[0])?;
        if self.n_state == 0 {
            for_effects(runner, handle, Function::new(&self.f, &inputs[1..]))?;
            return Ok(Tensors::new());
        }
        let graph = reduction(&self.f, &self.state, &handle.specs)?;
        let state = runner.run(&graph, inputs.iter().cloned().collect())?;
        check_element(&self.state, &state)?;
        Ok(state)
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        smallvec![Region::function(&self.f)]
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
}

/// The loops that fold datasets by one function, by the types of their elements and states.
#[derive(Default)]
struct Loops(Mutex<HashMap<Vec<TensorSpec>, Arc<Graph>>>);

/// The graph that folds a dataset whose elements have these types by a function: it takes the dataset, the state, whose
/// types it keeps, and what the function captured, and gives the last state.
///
/// # Errors
/// `Type` where the function does not take such states and elements.
pub fn reduction(
    function: &Arc<Graph>,
    state: &[TensorSpec],
    element: &[TensorSpec],
) -> Result<Arc<Graph>> {
    let n_own = state.len() + element.len();
    if function.inputs.len() < n_own || function.outputs.len() != state.len() {
        bail!(
            Type,
            "a function of {} values cannot fold {} components into a state of {}",
            function.inputs.len(),
            element.len(),
            state.len()
        );
    }
    let loops = function.attachment(Loops::default);
    let key: Vec<TensorSpec> = element.iter().chain(state).cloned().collect();
    if let Some(found) = loops.0.lock().get(&key) {
        return Ok(found.clone());
    }
    let captured: Vec<TensorSpec> = function.input_specs().skip(n_own).cloned().collect();
    let looped = While {
        cond: condition(state.len())?,
        body: body(function, state, element, &captured)?,
        vars: state.to_vec(),
        recorded: None,
    };
    let made = whole(looped, element, &captured)?;
    loops.0.lock().insert(key, made.clone());
    Ok(made)
}

/// Whether the iterator behind so many variables has more.
fn condition(n_state: usize) -> Result<Branch> {
    let trace = Trace::new("reduce_cond", None);
    let iterator = add_input(&trace, &TensorSpec::scalar(DType::Resource))?;
    let value = Tensor::scalar(false)?;
    let no = add_node(&trace, Arc::new(Const { value }), &[])?;
    let more = add_node(&trace, Arc::new(IteratorHasNext), &[iterator, no[0]])?;
    Ok(Branch {
        graph: trace.seal(more)?.0,
        inputs: vec![number(n_state)?],
    })
}

/// The function of the variables and the next element of the iterator behind them.
fn body(
    function: &Arc<Graph>,
    state: &[TensorSpec],
    element: &[TensorSpec],
    captured: &[TensorSpec],
) -> Result<Branch> {
    let trace = Trace::new("reduce_body", None);
    let mut arguments = add_inputs(&trace, state)?;
    let iterator = add_input(&trace, &TensorSpec::scalar(DType::Resource))?;
    let captured = add_inputs(&trace, captured)?;
    let next = IteratorGetNext {
        element: element.to_vec(),
    };
    arguments.extend(add_node(&trace, Arc::new(next), &[iterator])?);
    arguments.extend(&captured);
    let graph = function.clone();
    let next = add_node(&trace, Arc::new(Call::of(graph)), &arguments)?;
    let inputs = 0..state.len() + 1 + captured.len();
    Ok(Branch {
        graph: trace.seal(next)?.0,
        inputs: inputs.map(number).collect::<Result<_>>()?,
    })
}

/// The loop over an iterator of its own.
fn whole(looped: While, element: &[TensorSpec], captured: &[TensorSpec]) -> Result<Arc<Graph>> {
    let trace = Trace::new("reduce", None);
    let dataset = add_input(&trace, &TensorSpec::scalar(DType::Variant))?;
    let mut inputs = add_inputs(&trace, &looped.vars)?;
    let captured = add_inputs(&trace, captured)?;
    let iterator = AnonymousIteratorV3 {
        element: element.to_vec(),
    };
    let iterator = add_node(&trace, Arc::new(iterator), &[])?;
    add_node(&trace, Arc::new(MakeIterator), &[dataset, iterator[0]])?;
    inputs.push(iterator[0]);
    inputs.extend(captured);
    let outputs = add_node(&trace, Arc::new(looped), &inputs)?;
    Ok(trace.seal(outputs)?.0)
}

fn number(i: usize) -> Result<u32> {
    u32::try_from(i).map_err(|_| err!(ResourceExhausted, "a loop of too many values"))
}

fn add_input(trace: &TraceRef, spec: &TensorSpec) -> Result<ValueId> {
    let spec = spec.clone();
    trace.add_arg(Arc::new(Placeholder::from(spec)), "input", None)
}

fn add_inputs(trace: &TraceRef, specs: &[TensorSpec]) -> Result<Vec<ValueId>> {
    specs.iter().map(|spec| add_input(trace, spec)).collect()
}

fn add_node(trace: &TraceRef, op: OpRef, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
    let value = |val: &Val| match val {
        Val::Sym(sym) => Ok(sym.value),
        Val::Eager(_) => Err(err!(Internal, "a trace gave a tensor")),
    };
    trace
        .add(op, inputs, None, None)?
        .iter()
        .map(value)
        .collect()
}

/// What an iteration over all elements counts as: worth running without locks.
const UNBOUNDED_FLOPS: f64 = 1e9;

impl Op for DatasetToSingleElement {
    declared!();
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let _back = Iteration::here().resume();
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
        check_element(&self.element, &element)?;
        Ok(element)
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
}

impl Op for DatasetCardinality {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = DatasetHandle::of(&inputs[0])?.dataset.cardinality();
        Ok(smallvec![Tensor::scalar(n.number())?])
    }
}
