//! What a whole dataset comes to: a fold over it, its only element, how many there are.

use crate::dataset::{DatasetHandle, dataset_of, pause};
use crate::function::{Function, n_attr};
use crate::iterator_ops::{GetNext, HasNext, MakeIterator, NewIterator};
use crate::op::{check_element, element_specs};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Branch, Differentiability, Effect, Graph, Inputs, Op, OpRef, Region,
    Registry, Runner, Specs, Tensors, Trace, TraceRef, Val, ValueId, op_object,
};
use ferrograph_ops::{Call, Const, Placeholder, While, specs_attrs};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use hashbrown::HashMap;
use parking_lot::Mutex;
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

/// Calls a function without state on each element.
fn for_effects(runner: &dyn Runner, handle: &DatasetHandle, function: Function) -> Result<()> {
    let (mut elements, mut caller) = (handle.dataset.clone().open()?, function.caller());
    while let Some(element) = elements.next(runner)? {
        pause()?;
        caller.call(runner, element)?;
    }
    Ok(())
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
        let handle = DatasetHandle::of(&inputs[0])?;
        if self.n_state == 0 {
            for_effects(runner, handle, Function::new(&self.function, &inputs[1..]))?;
            return Ok(Tensors::new());
        }
        let graph = reduction(&self.function, &self.specs, &handle.specs)?;
        let state = runner.run(&graph, inputs.iter().cloned().collect())?;
        check_element(&self.specs, &state)?;
        Ok(state)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        smallvec![Region::function(&self.function)]
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
    let more = add_node(&trace, Arc::new(HasNext), &[iterator, no[0]])?;
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
    let specs = element.to_vec();
    arguments.extend(add_node(&trace, Arc::new(GetNext { specs }), &[iterator])?);
    arguments.extend(&captured);
    let graph = function.clone();
    let next = add_node(&trace, Arc::new(Call { graph }), &arguments)?;
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
    let specs = element.to_vec();
    let iterator = add_node(&trace, Arc::new(NewIterator { specs }), &[])?;
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
