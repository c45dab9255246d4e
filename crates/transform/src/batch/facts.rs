//! Operations that run for many rows by what is declared of them.

use super::{Rowed, Site};
use crate::emit::TraceEmitter;
use ferrograph_graph::Val;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Result, TensorSpec};

type Found = Result<Option<Vec<Rowed>>>;

/// Inputs broadcast: those of lower rank get axes of size 1 behind the rows.
pub(crate) fn broadcasts(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs.iter().any(Rowed::is_each) {
        return Ok(None);
    }
    let inputs = aligned(e, site)?;
    site.again(e, &inputs).map(Some)
}

fn aligned(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Vec<Val>> {
    let ranks: Option<Vec<usize>> = (0..site.inputs.len()).map(|i| site.rank(i)).collect();
    let most = ranks.as_ref().and_then(|r| r.iter().max().copied());
    let others = |i: usize| (0..site.inputs.len()).filter(move |j| *j != i);
    let widest = |i: usize| others(i).all(|j| site.rank(j) == Some(0));
    let mut to = None;
    let mut all = Vec::new();
    for (i, input) in site.inputs.iter().enumerate() {
        all.push(match (input, site.rank(i), most) {
            (Rowed::Same(val), ..) => val.clone(),
            (Rowed::Each(val), Some(rank), Some(most)) => e.widened(val, rank, most)?,
            (Rowed::Each(val), ..) if widest(i) => val.clone(),
            (Rowed::Each(val), ..) => {
                let rank = match &to {
                    Some(rank) => Val::clone(rank),
                    None => greatest_rank(e, site)?,
                };
                to = Some(rank.clone());
                e.widened_to(val, &rank)?
            }
        });
    }
    Ok(all)
}

/// The greatest rank of an input in one row, as a vector of one.
fn greatest_rank(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Val> {
    let mut most: Option<Val> = None;
    for input in site.inputs {
        let mut rank = e.rank(input.val())?;
        if input.is_each() {
            let one = e.scalar(1.0, DType::Int32)?;
            rank = e.sub(&rank, &one)?;
        }
        most = Some(match most {
            Some(most) => e.maximum(&most, &rank)?,
            None => rank,
        });
    }
    let shape = e.int_vector(&[1])?;
    let most = most.unwrap_or_else(|| shape.clone());
    e.reshape(&most, &shape)
}

/// The first inputs for each row, and whether the others are the same for all.
fn first_for_each(e: &mut TraceEmitter, site: &Site<'_>, n: usize) -> Result<Option<Vec<Val>>> {
    let n = n.min(site.inputs.len());
    let (first, rest) = site.inputs.split_at(n);
    if !first.iter().any(Rowed::is_each) || rest.iter().any(Rowed::is_each) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for (i, input) in site.inputs.iter().enumerate() {
        all.push(match i < n {
            true => e.each(input, site.rows)?,
            false => input.val().clone(),
        });
    }
    Ok(Some(all))
}

/// Leading axes of the first inputs are one more.
pub(crate) fn leads(e: &mut TraceEmitter, site: &Site<'_>, n: usize) -> Found {
    if site.outputs.iter().any(|o| o.dtype == DType::Variant) {
        return Ok(None);
    }
    let Some(inputs) = first_for_each(e, site, n)? else {
        return Ok(None);
    };
    let found = site.again(e, &inputs)?.into_iter().zip(&site.outputs);
    Ok(Some(found.map(|(v, row)| with_rows(v, row)).collect()))
}

/// An output that stays as it is in one row, as what was not asked for does, is the same for all.
fn with_rows(output: Rowed, row: &TensorSpec) -> Rowed {
    let own = output.val().spec();
    match own.shape.rank().is_some() && own == *row {
        true => Rowed::Same(output.val().clone()),
        false => output,
    }
}

/// Axes of input 0 that input `at` names move up.
pub(crate) fn axes(e: &mut TraceEmitter, site: &Site<'_>, at: usize) -> Found {
    let rest = site.inputs.iter().skip(1);
    if !site.inputs[0].is_each() || rest.clone().any(Rowed::is_each) {
        return Ok(None);
    }
    let mut inputs: Vec<Val> = site.inputs.iter().map(|v| v.val().clone()).collect();
    inputs[at] = e.moved_axes(&inputs[at])?;
    site.again(e, &inputs).map(Some)
}

/// The rows are folded into the first axis of the first inputs, and the outputs are unfolded.
pub(crate) fn folds(e: &mut TraceEmitter, site: &Site<'_>, n: usize) -> Found {
    let items = |i: usize| site.specs[i].shape.dim(0);
    let fit = (1..n).all(|i| items(i).is_compatible(items(0)));
    if !fit || (0..n).any(|i| site.rank(i) == Some(0)) {
        return Ok(None);
    }
    let Some(mut inputs) = first_for_each(e, site, n)? else {
        return Ok(None);
    };
    let shape = e.shape_of(&inputs[0])?;
    for input in &mut inputs[..n] {
        *input = folded(e, input)?;
    }
    let outputs = site.again(e, &inputs)?;
    let unfolded = |output: Rowed| Ok(Rowed::Each(unfolded(e, output.val(), &shape)?));
    outputs
        .into_iter()
        .map(unfolded)
        .collect::<Result<_>>()
        .map(Some)
}

/// The product of the first two of a shape, in front of the others.
pub(crate) fn folded(e: &mut TraceEmitter, val: &Val) -> Result<Val> {
    let shape = e.shape_of(val)?;
    let front = first_two(e, &shape)?;
    let axes = e.int_vector(&[0])?;
    let items = e.prod(&front, &axes, true)?;
    let rest = e.tail(&shape, 2)?;
    let all = e.joined(&[&items, &rest])?;
    e.reshape(val, &all)
}

/// What was folded, its first axis the first two of `shape` again.
pub(crate) fn unfolded(e: &mut TraceEmitter, val: &Val, shape: &Val) -> Result<Val> {
    let front = first_two(e, shape)?;
    let own = e.shape_of(val)?;
    let rest = e.tail(&own, 1)?;
    let all = e.joined(&[&front, &rest])?;
    e.reshape(val, &all)
}

fn first_two(e: &mut TraceEmitter, shape: &Val) -> Result<Val> {
    if let Some(known) = super::build::ints(shape) {
        return e.ints(&known[..2], shape.dtype());
    }
    let (begin, end, step) = (
        e.int_vector(&[0])?,
        e.int_vector(&[2])?,
        e.int_vector(&[1])?,
    );
    e.strided_slice(shape, &begin, &end, &step, 0, 0, 0, 0, 0)
}
