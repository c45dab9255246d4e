//! A choice among many functions by number, as choices between two.

use crate::import::Functions;
use crate::nodes::emitted;
use crate::region::expect_args;
use ferrograph_formats::messages::{AttrContent, NodeDef};
use ferrograph_graph::{Branch, Emitter, Graph, GraphBuilder, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, If};
use ferrograph_tensor::{DType, Result, TensorSpec, bail, err};
use ferrograph_transform::traced;
use std::sync::Arc;

/// How many values all branches together may take.
const MAX_TAKEN: usize = 1 << 20;

/// A choice among the functions that attribute `branches` lists: the last of them where the number is none of theirs.
pub fn choice(
    builder: &mut GraphBuilder,
    functions: &mut Functions<'_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let Some((&number, rest)) = inputs.split_first() else {
        bail!(InvalidArgument, "it has no number of a branch");
    };
    if builder.value(number).spec.dtype != DType::Int32 {
        let spec = &builder.value(number).spec;
        bail!(
            InvalidArgument,
            "the number of a branch is a {spec}, not an int32"
        );
    }
    let names = match node.attr.get("branches").and_then(|a| a.value.as_ref()) {
        Some(AttrContent::List(all)) if !all.func.is_empty() => &all.func,
        _ => bail!(InvalidArgument, "attribute branches lists no functions"),
    };
    if names.len().saturating_mul(inputs.len()) > MAX_TAKEN {
        let (n, taken) = (names.len(), inputs.len());
        bail!(Unimplemented, "{n} branches of {taken} values are too many");
    }
    let mut branches = Vec::with_capacity(names.len());
    for f in names {
        let graph = functions.graph(&f.name)?;
        expect_args(builder, &graph, rest, &f.name)?;
        branches.push(graph);
    }
    let specs: Vec<TensorSpec> = inputs
        .iter()
        .map(|v| builder.value(*v).spec.clone())
        .collect();
    let graph = chosen(&branches, &specs)?;
    emitted(builder, Arc::new(Call::of(graph)), inputs, node)
}

/// The graph of a choice: it takes the number, then what the branches take.
fn chosen(branches: &[Arc<Graph>], specs: &[TensorSpec]) -> Result<Arc<Graph>> {
    let last = f64::from(
        u32::try_from(branches.len() - 1)
            .map_err(|_| err!(InvalidArgument, "too many branches"))?,
    );
    let tree = tree(branches, 0, specs)?;
    traced("choice", specs, |e, args| {
        let zero = e.scalar(0.0, DType::Int32)?;
        let last = e.scalar(last, DType::Int32)?;
        let is_none = e.less(&args[0], &zero)?;
        let mut args = args.to_vec();
        args[0] = e.select(&is_none, &last, &args[0])?;
        let fed: Vec<_> = tree
            .inputs
            .iter()
            .map(|&i| args[i as usize].clone())
            .collect();
        Ok(e.emit(Arc::new(Call::of(tree.graph)), &fed)?.into_vec())
    })
}

/// A choice among branches of which the first has that number, by halves.
fn tree(branches: &[Arc<Graph>], first: u32, specs: &[TensorSpec]) -> Result<Branch> {
    let n = u32::try_from(specs.len()).map_err(|_| err!(InvalidArgument, "too many inputs"))?;
    if let [graph] = branches {
        return Ok(Branch {
            graph: graph.clone(),
            inputs: (1..n).collect(),
        });
    }
    let (low, high) = branches.split_at(branches.len() / 2);
    let middle =
        first + u32::try_from(low.len()).map_err(|_| err!(InvalidArgument, "too many branches"))?;
    // The condition comes before what the branches take.
    let behind = |branch: Branch| Branch {
        inputs: branch.inputs.iter().map(|i| i + 1).collect(),
        ..branch
    };
    let op = If {
        then_branch: behind(tree(low, first, specs)?),
        else_branch: behind(tree(high, middle, specs)?),
    };
    let graph = traced("choice_half", specs, |e, args| {
        let middle = e.scalar(f64::from(middle), DType::Int32)?;
        let mut given = vec![e.less(&args[0], &middle)?];
        given.extend_from_slice(args);
        Ok(e.emit(Arc::new(op), &given)?.into_vec())
    })?;
    Ok(Branch {
        graph,
        inputs: (0..n).collect(),
    })
}
