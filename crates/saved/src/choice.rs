//! A choice among many functions by number, as choices between two.

use crate::nodes::{Body, emitted};
use crate::region::{expect_args, number};
use ferrograph_formats::messages::{AttrContent, NodeDef};
use ferrograph_graph::{Branch, Emitter, Graph, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, If};
use ferrograph_tensor::{DType, Result, TensorSpec, bail, err};
use ferrograph_transform::traced;
use std::sync::Arc;

/// How many values all branches together may take.
const MAX_TAKEN: usize = 1 << 20;

/// A choice among the functions that attribute `branches` lists: the last of them where the number is none of theirs.
pub fn choice(body: &mut Body<'_, '_>, node: &NodeDef, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
    let Some((&picked, rest)) = inputs.split_first() else {
        bail!(InvalidArgument, "it has no number of a branch");
    };
    let spec = &body.scope.builder.value(picked).spec;
    if spec.dtype != DType::Int32 {
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
    let mut all = inputs.to_vec();
    for f in names {
        let graph = body.functions.graph(&f.name)?;
        let further = body.further(&f.name)?;
        expect_args(
            &body.scope.builder,
            &graph,
            &[rest, &further].concat(),
            &f.name,
        )?;
        let inputs = (1..inputs.len()).chain(all.len()..all.len() + further.len());
        let inputs = inputs.map(number).collect::<Result<_>>()?;
        all.extend(further);
        branches.push(Branch { graph, inputs });
    }
    let builder = &mut body.scope.builder;
    let specs = all.iter().map(|v| builder.value(*v).spec.clone());
    let graph = chosen(&branches, &specs.collect::<Vec<_>>())?;
    emitted(builder, Arc::new(Call::of(graph)), &all, node)
}

/// The graph of a choice: it takes the number, then what the branches take.
fn chosen(branches: &[Branch], specs: &[TensorSpec]) -> Result<Arc<Graph>> {
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
fn tree(branches: &[Branch], first: u32, specs: &[TensorSpec]) -> Result<Branch> {
    let n = number(specs.len())?;
    if let [branch] = branches {
        return Ok(branch.clone());
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
