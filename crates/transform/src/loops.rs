//! The gradient of a loop. The forward loop is extended to record, for each iteration, what its body's gradient needs;
//! a second loop walks the records backwards.

use crate::emit::TraceEmitter;
use crate::gradient::{GraphGradient, add_arg, apply_backward, gradient_for};
use crate::region::{Node, variable_in, zeros_of};
use crate::rewrite::with_outputs;
use ferrograph_graph::{
    Branch, Emitter, Grad, Grads, Graph, Op, Trace, Val, Vals, ValueId, VjpCall,
};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, LeafOps, While};
use ferrograph_tensor::{DType, Origin, Result, Tensor, TensorSpec, err};
use std::sync::Arc;

/// Where the backward body finds a value of the forward body.
enum Residual {
    /// In the record of that number.
    Recorded(usize),
    /// It is invariant: that input of the loop.
    Invariant(usize),
}

/// The gradient of a loop's body and what of it goes where.
struct Body {
    gradient: Arc<GraphGradient>,
    /// The loop variables that gradients flow through.
    carried: Vec<usize>,
    /// The invariant inputs that have a gradient.
    invariants: Vec<usize>,
    residuals: Vec<Residual>,
    /// Records made before, by earlier gradients, that have a gradient themselves.
    taught: Vec<usize>,
}

fn carries(dtype: DType) -> bool {
    dtype.is_differentiable() || dtype == DType::Variant
}

/// The gradients of a loop's inputs.
pub(crate) fn while_vjp(
    e: &mut dyn Emitter,
    node: &Node,
    op: &While,
    call: &VjpCall<'_>,
) -> Result<Grads> {
    let n = op.vars.len();
    let old = op.recorded.clone().unwrap_or_default();
    let body = analyse(op, &old, call)?;
    let (recording, fresh) = record(op, &old, &body)?;
    let mut outputs = node.extend(Arc::new(recording), &output_specs(op, &old, &fresh))?;
    let count = if op.recorded.is_some() {
        call.outputs[n].clone()
    } else {
        outputs.remove(0)
    };
    let backward = Backward {
        op,
        body: &body,
        call,
        count,
        lists: outputs,
        fresh,
        origin: node.origin.clone(),
    };
    backward.emit(e)
}

fn output_specs(op: &While, old: &[TensorSpec], fresh: &[TensorSpec]) -> Vec<TensorSpec> {
    let lists = old
        .iter()
        .chain(fresh)
        .map(|_| TensorSpec::scalar(DType::Variant));
    op.vars
        .iter()
        .cloned()
        .chain([TensorSpec::scalar(DType::Int32)])
        .chain(lists)
        .collect()
}

fn analyse(op: &While, old: &[TensorSpec], call: &VjpCall<'_>) -> Result<Body> {
    let n = op.vars.len();
    let carried: Vec<usize> = (0..n).filter(|&i| carries(op.vars[i].dtype)).collect();
    let taught: Vec<usize> = (0..old.len())
        .filter(|&j| call.grads.get(n + 1 + j).is_some_and(Option::is_some))
        .collect();
    let mask: Vec<bool> = (0..n)
        .map(|i| carried.contains(&i))
        .chain((0..old.len()).map(|j| taught.contains(&j)))
        .collect();
    // A variable may depend on what is needed in later iterations; what is invariant is what it is.
    let needs = |p: usize| {
        let input = op.body.inputs[p] as usize;
        input < n || call.needs.get(input).copied().unwrap_or(true)
    };
    let gradient = gradient_for(&op.body.graph, &mask, needs)?;
    let mut invariants: Vec<usize> = Vec::new();
    for (p, &input) in op.body.inputs.iter().enumerate() {
        let input = input as usize;
        if input >= n && gradient.inputs[p].is_some() && !invariants.contains(&input) {
            invariants.push(input);
        }
    }
    let mut n_recorded = 0;
    let residuals = gradient.forward.outputs[n + old.len()..]
        .iter()
        .map(|value| {
            let place = gradient.forward.inputs.iter().position(|v| v == value);
            match place
                .map(|p| op.body.inputs[p] as usize)
                .filter(|&i| i >= n)
            {
                Some(input) => Residual::Invariant(input),
                None => {
                    n_recorded += 1;
                    Residual::Recorded(n_recorded - 1)
                }
            }
        })
        .collect();
    Ok(Body {
        gradient,
        carried,
        invariants,
        residuals,
        taught,
    })
}

/// The loop that also records the residuals, and their specs.
fn record(op: &While, old: &[TensorSpec], body: &Body) -> Result<(While, Vec<TensorSpec>)> {
    let forward = &body.gradient.forward;
    let kept = op.vars.len() + old.len();
    let mut outputs = forward.outputs[..kept].to_vec();
    let mut fresh = Vec::new();
    for (residual, value) in body.residuals.iter().zip(&forward.outputs[kept..]) {
        if matches!(residual, Residual::Recorded(_)) {
            outputs.push(*value);
            fresh.push(forward.spec(*value).clone());
        }
    }
    let graph = with_outputs(forward, outputs)?;
    let recorded = Some(old.iter().chain(&fresh).cloned().collect());
    let looped = While {
        cond: op.cond.clone(),
        body: Branch {
            graph,
            inputs: op.body.inputs.clone(),
        },
        vars: op.vars.clone(),
        recorded,
    };
    Ok((looped, fresh))
}

/// The backward loop under construction.
struct Backward<'a> {
    op: &'a While,
    body: &'a Body,
    call: &'a VjpCall<'a>,
    /// How many iterations there were.
    count: Val,
    /// The records of the residuals.
    lists: Vec<Val>,
    fresh: Vec<TensorSpec>,
    /// The line of the loop.
    origin: Option<Arc<Origin>>,
}

impl Backward<'_> {
    fn emit(&self, e: &mut dyn Emitter) -> Result<Grads> {
        let (inputs, vars) = self.inputs(e)?;
        let (graph, n_inputs) = self.body_graph(&vars, &inputs)?;
        let all = (0..n_inputs).collect();
        let looped = While {
            cond: Branch {
                graph: not_done(self.origin.clone())?,
                inputs: vec![0],
            },
            body: Branch { graph, inputs: all },
            vars,
            recorded: None,
        };
        let results: Vals = e.emit(Arc::new(looped), &inputs)?;
        let mut grads: Grads = (0..self.call.inputs.len()).map(|_| None).collect();
        let places = self.body.carried.iter().chain(&self.body.invariants);
        for (&place, value) in places.zip(results.into_iter().skip(1)) {
            grads[place] = Some(Grad::Dense(value));
        }
        Ok(grads)
    }

    /// The loop's inputs (index, gradients of variables, sums for invariants; then what is invariant) and the types of
    /// its variables.
    fn inputs(&self, e: &mut dyn Emitter) -> Result<(Vec<Val>, Vec<TensorSpec>)> {
        let one = e.scalar(1.0, DType::Int32)?;
        let mut inputs = vec![e.sub(&self.count, &one)?];
        let mut vars = vec![TensorSpec::scalar(DType::Int32)];
        for &v in &self.body.carried {
            inputs.push(match &self.call.grads[v] {
                Some(grad) => grad.clone(),
                None => e.zeros_like(&self.call.outputs[v])?,
            });
            vars.push(self.op.vars[v].clone());
        }
        for &i in &self.body.invariants {
            let input = &self.call.inputs[i];
            let held = variable_in(&self.op.regions(), i);
            vars.push(held.clone().unwrap_or_else(|| input.spec()));
            let zero = zeros_of(e, input, held)?;
            inputs.push(zero);
        }
        inputs.extend(self.lists.iter().cloned());
        for residual in &self.body.residuals {
            if let Residual::Invariant(i) = residual {
                inputs.push(self.call.inputs[*i].clone());
            }
        }
        for &j in &self.body.taught {
            let grad = self.call.grads[self.op.vars.len() + 1 + j].clone();
            inputs.push(grad.ok_or_else(|| err!(Internal, "a record lost its gradient"))?);
        }
        Ok((inputs, vars))
    }

    fn body_graph(&self, vars: &[TensorSpec], inputs: &[Val]) -> Result<(Arc<Graph>, u32)> {
        let trace = Trace::new("while_grad_body", None);
        let mut e = TraceEmitter {
            trace: trace.clone(),
            origin: self.origin.clone(),
        };
        let mut args = Vec::new();
        for (k, input) in inputs.iter().enumerate() {
            let spec = vars.get(k).cloned().unwrap_or_else(|| input.spec());
            args.push(add_arg(&trace, spec, "arg")?);
        }
        let n_carried = self.body.carried.len();
        let index = args[0].clone();
        let grads = &args[1..=n_carried];
        let sums = &args[1 + n_carried..vars.len()];
        let (lists, rest) = args[vars.len()..].split_at(self.lists.len());
        let n_direct = self.body.residuals.len() - self.lists.len();
        let (direct, taught) = rest.split_at(n_direct);
        let residuals = self.residuals(&mut e, &index, lists, direct)?;
        let mut seeds = grads.to_vec();
        let old = self.op.recorded.clone().unwrap_or_default();
        for (list, &j) in taught.iter().zip(&self.body.taught) {
            seeds.push(item(&mut e, list, &index, &old[j])?);
        }
        let call = Call::of(self.body.gradient.backward.clone());
        let found = apply_backward(&mut e, &self.body.gradient, call, seeds, &residuals)?;
        let one = e.scalar(1.0, DType::Int32)?;
        let mut outputs = vec![e.sub(&index, &one)?];
        for (&v, grad) in self.body.carried.iter().zip(grads) {
            outputs.push(match self.sum_for(&mut e, v, &found)? {
                Some(sum) => sum,
                None => e.zeros_like(grad)?,
            });
        }
        for (&i, sum) in self.body.invariants.iter().zip(sums) {
            let more = self.sum_for(&mut e, i, &found)?;
            outputs.push(match more {
                Some(more) => plus(&mut e, sum, &more)?,
                None => sum.clone(),
            });
        }
        let ids: Vec<ValueId> = outputs
            .iter()
            .map(|v| trace.resolve(v, &LeafOps))
            .collect::<Result<_>>()?;
        let n = u32::try_from(args.len()).map_err(|_| err!(Internal, "too many inputs"))?;
        Ok((trace.seal(ids)?.0, n))
    }

    fn residuals(
        &self,
        e: &mut TraceEmitter,
        index: &Val,
        lists: &[Val],
        direct: &[Val],
    ) -> Result<Vec<Val>> {
        let mut direct = direct.iter();
        let mut values = Vec::new();
        for residual in &self.body.residuals {
            values.push(match residual {
                Residual::Recorded(j) => item(e, &lists[*j], index, &self.fresh[*j])?,
                Residual::Invariant(_) => direct
                    .next()
                    .cloned()
                    .ok_or_else(|| err!(Internal, "an invariant is missing"))?,
            });
        }
        Ok(values)
    }

    /// The gradients of all the body's inputs that one of the loop's inputs feeds.
    fn sum_for(
        &self,
        e: &mut TraceEmitter,
        input: usize,
        found: &[Option<Val>],
    ) -> Result<Option<Val>> {
        let mut sum: Option<Val> = None;
        for (p, grad) in found.iter().enumerate() {
            if let (true, Some(grad)) = (self.op.body.inputs[p] as usize == input, grad) {
                sum = Some(match sum {
                    Some(sum) => plus(e, &sum, grad)?,
                    None => grad.clone(),
                });
            }
        }
        Ok(sum)
    }
}

fn plus(e: &mut dyn Emitter, a: &Val, b: &Val) -> Result<Val> {
    if a.dtype() == DType::Variant {
        e.add_n(&[a.clone(), b.clone()])
    } else {
        e.add(a, b)
    }
}

/// Element `index` of a list.
fn item(e: &mut TraceEmitter, list: &Val, index: &Val, spec: &TensorSpec) -> Result<Val> {
    let shape = match spec.shape.dims() {
        Some(dims) => {
            let dims: Vec<i64> = dims
                .iter()
                .map(|d| d.known().map_or(-1, |n| i64::try_from(n).unwrap_or(-1)))
                .collect();
            e.int_vector(&dims)?
        }
        None => e.constant(Tensor::scalar(-1i32)?)?,
    };
    e.tensor_list_get_item(list, index, &shape, spec.dtype)
}

/// Whether the index has not run below zero.
fn not_done(origin: Option<Arc<Origin>>) -> Result<Arc<Graph>> {
    let trace = Trace::new("while_grad_cond", None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin,
    };
    let index = add_arg(&trace, TensorSpec::scalar(DType::Int32), "index")?;
    let zero = e.scalar(0.0, DType::Int32)?;
    let more = e.greater_equal(&index, &zero)?;
    let id = trace.resolve(&more, &LeafOps)?;
    Ok(trace.seal(vec![id])?.0)
}
