//! Loops over many rows: one loop of all rows, as long as they all go on alike, or one that goes on with those rows that
//! are not done.

use super::regions::{Chosen, fed, marked};
use super::{BatchedGraph, Rowed, Site, batch_graph, rowed_spec, unbatchable};
use crate::emit::TraceEmitter;
use crate::gradient::add_arg;
use ferrograph_graph::{Branch, Emitter, Graph, Trace, Val, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, LeafOps, While};
use ferrograph_tensor::{DType, Dim, Result, TensorSpec};
use std::sync::Arc;

/// The outputs of a loop for all rows.
pub(crate) fn run(e: &mut TraceEmitter, site: &Site<'_>, op: &While) -> Result<Vec<Rowed>> {
    let n = op.vars.len();
    let mut vars: Vec<bool> = site.inputs[..n].iter().map(Rowed::is_each).collect();
    loop {
        let cond = made(site, &op.cond, &vars, Vec::new(), site.rows.dim)?;
        if cond.each[0] {
            return by_row(e, site, op);
        }
        let body = made(site, &op.body, &vars, vars.clone(), site.rows.dim)?;
        if body.each[..n] == vars[..] {
            return alike(e, site, op, &cond, &body);
        }
        vars = body.each[..n].to_vec();
    }
}

/// A graph of the loop, of whose variables these differ from row to row.
fn made(
    site: &Site<'_>,
    branch: &Branch,
    vars: &[bool],
    forced: Vec<bool>,
    rows: Dim,
) -> Result<BatchedGraph> {
    let is_each = |&i: &u32| {
        let i = i as usize;
        vars.get(i)
            .copied()
            .unwrap_or_else(|| site.inputs[i].is_each())
    };
    let each = branch.inputs.iter().map(is_each).collect();
    batch_graph(&branch.graph, &site.request(each, forced, rows))
}

/// All rows go on as long as one does.
fn alike(
    e: &mut TraceEmitter,
    site: &Site<'_>,
    op: &While,
    cond: &BatchedGraph,
    body: &BatchedGraph,
) -> Result<Vec<Rowed>> {
    let n = op.vars.len();
    let mut inputs = site.counted();
    let mut vars = op.vars.clone();
    for (i, var) in vars.iter_mut().enumerate().filter(|(i, _)| body.each[*i]) {
        inputs[i] = site.each(e, i)?;
        *var = rowed_spec(var, site.rows.dim);
    }
    let count = site.inputs.len();
    let recorded = body.graph.output_specs().skip(n).cloned().collect();
    let looped = While {
        cond: fed(&cond.graph, &op.cond.inputs, count),
        body: fed(&body.graph, &op.body.inputs, count),
        vars,
        recorded: op.recorded.as_ref().map(|_| recorded),
    };
    let outputs = e.emit(Arc::new(looped), &inputs)?;
    let mut each = body.each.clone();
    if op.recorded.is_some() {
        each.insert(n, false);
    }
    Ok(marked(outputs, &each))
}

/// Each row goes on as long as it does: an iteration takes the rows that are not done, and puts them back.
fn by_row(e: &mut TraceEmitter, site: &Site<'_>, op: &While) -> Result<Vec<Rowed>> {
    let n = op.vars.len();
    let is_list = |s: &TensorSpec| matches!(s.dtype, DType::Variant | DType::Resource);
    if op.recorded.is_some() || op.vars.iter().any(is_list) {
        return Err(unbatchable(
            "a loop that rows leave at different times, with a list,",
        ));
    }
    let all = vec![true; n];
    let first = made(site, &op.cond, &all, vec![true], site.rows.dim)?;
    let cond = made(site, &op.cond, &all, vec![true], Dim::UNKNOWN)?;
    let body = made(site, &op.body, &all, all.clone(), Dim::UNKNOWN)?;
    let mut inputs = site.counted();
    let mut values = site.inputs.to_vec();
    for i in 0..n {
        inputs[i] = site.each(e, i)?;
        values[i] = Rowed::Each(inputs[i].clone());
    }
    let mut asked: Vec<Val> = op
        .cond
        .inputs
        .iter()
        .map(|&i| inputs[i as usize].clone())
        .collect();
    asked.push(site.rows.val.clone());
    let going = e.emit(Arc::new(Call::of(first.graph)), &asked)?;
    inputs.truncate(site.inputs.len());
    inputs.insert(n, going[0].clone());
    let mut vars: Vec<TensorSpec> = (op.vars.iter())
        .map(|v| rowed_spec(v, site.rows.dim))
        .collect();
    vars.push(inputs[n].spec());
    let step = Step {
        op,
        cond: cond.graph,
        body: body.graph,
        values: &values,
        vars: &vars,
    };
    let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let looped = While {
        cond: Branch {
            graph: any_goes_on(e, &vars[n])?,
            inputs: vec![number(n)],
        },
        body: Branch {
            graph: step.graph(e, &inputs)?,
            inputs: (0..number(inputs.len())).collect(),
        },
        vars: vars.clone(),
        recorded: None,
    };
    let outputs = e.emit(Arc::new(looped), &inputs)?;
    Ok(outputs.into_iter().take(n).map(Rowed::Each).collect())
}

fn any_goes_on(e: &TraceEmitter, going: &TensorSpec) -> Result<Arc<Graph>> {
    let mut inner = e.inner("while_rows_cond");
    let going = add_arg(&inner.trace, going.clone(), "going")?;
    let axes = inner.int_vector(&[0])?;
    let any = inner.any(&going, &axes, false)?;
    let id = inner.trace.resolve(&any, &LeafOps)?;
    Ok(inner.trace.seal(vec![id])?.0)
}

/// One iteration of the rows that are not done.
struct Step<'a> {
    op: &'a While,
    /// The condition for some of the rows.
    cond: Arc<Graph>,
    /// The body for some of the rows.
    body: Arc<Graph>,
    /// The inputs of the loop for one row; its variables are one for each.
    values: &'a [Rowed],
    /// The types of the variables, and of which rows go on.
    vars: &'a [TensorSpec],
}

impl Step<'_> {
    /// Takes the variables, which rows go on, and what is invariant.
    fn graph(&self, e: &TraceEmitter, inputs: &[Val]) -> Result<Arc<Graph>> {
        let n = self.op.vars.len();
        let mut inner = e.inner("while_rows_body");
        let mut args = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            let spec = self.vars.get(i).cloned().unwrap_or_else(|| input.spec());
            args.push(add_arg(&inner.trace, spec, "arg")?);
        }
        let going = args.remove(n);
        let chosen = Chosen::of(&mut inner, &going)?;
        let each: Vec<bool> = self.values.iter().map(Rowed::is_each).collect();
        let mut rows = chosen.rows(&mut inner, &marked(args.iter().cloned(), &each))?;
        let next = self.call(&mut inner, &self.body, &self.op.body, &rows, &chosen)?;
        rows.splice(..n, next.iter().cloned());
        let more = self.call(&mut inner, &self.cond, &self.op.cond, &rows, &chosen)?;
        let mut outputs: Vec<ValueId> = Vec::new();
        let old = args[..n].iter().chain([&going]);
        for ((old, new), spec) in old.zip(next.iter().chain(&more)).zip(self.vars) {
            let put = inner.tensor_scatter_update(old, &chosen.places, new)?;
            inner.known_shape(&put, &spec.shape)?;
            outputs.push(inner.trace.resolve(&put, &LeafOps)?);
        }
        Ok(inner.trace.seal(outputs)?.0)
    }

    fn call(
        &self,
        e: &mut TraceEmitter,
        graph: &Arc<Graph>,
        branch: &Branch,
        rows: &[Val],
        chosen: &Chosen,
    ) -> Result<Vec<Val>> {
        let inputs = branch.inputs.iter().map(|&i| rows[i as usize].clone());
        let inputs: Vec<Val> = inputs.chain([chosen.count.clone()]).collect();
        Ok(e.emit(Arc::new(Call::of(graph.clone())), &inputs)?
            .into_vec())
    }
}

impl TraceEmitter {
    /// An emitter into a new graph, of the same line.
    pub(super) fn inner(&self, name: &str) -> TraceEmitter {
        TraceEmitter {
            trace: Trace::new(name, None),
            origin: self.origin.clone(),
        }
    }
}
