//! Calls and branches over many rows: they run graphs that were made for these.

use super::{BatchedGraph, Request, Rowed, Site, batch_graph, custom, loops, unbatchable};
use crate::emit::TraceEmitter;
use ferrograph_graph::{Branch, Emitter, Graph, Region, Role, Val};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, CustomGradient, While};
use ferrograph_tensor::{DType, Dim, ErrorKind, Result, bail};
use std::sync::Arc;

/// The outputs for all rows; `None` where the graphs cannot run for many rows, but the operation by itself may, row by row.
pub(crate) fn run(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Option<Vec<Rowed>>> {
    match all_rows(e, site) {
        Ok(outputs) => Ok(Some(outputs)),
        Err(error) if error.kind() == ErrorKind::Unimplemented => Ok(None),
        Err(error) => Err(error),
    }
}

fn all_rows(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Vec<Rowed>> {
    if let Some(op) = site.op.downcast::<CustomGradient>() {
        return custom::run(e, site, op);
    }
    if let Some(op) = site.op.downcast::<While>() {
        return loops::run(e, site, op);
    }
    let regions = site.op.regions();
    match &regions[..] {
        [region] if region.role == Role::Call => called(e, site, region),
        [first, ..] if first.role == Role::Branch => match &site.inputs[0] {
            Rowed::Same(_) => chosen(e, site, &regions),
            Rowed::Each(condition) => chosen_by_row(e, site, condition, &regions),
        },
        _ => Err(unbatchable("a recursive call")),
    }
}

impl Site<'_> {
    /// Every input as it is, then the number of rows.
    pub(super) fn counted(&self) -> Vec<Val> {
        let inputs = self.inputs.iter().map(|v| v.val().clone());
        inputs.chain([self.rows.val.clone()]).collect()
    }

    /// What a graph that takes these is asked to become.
    pub(super) fn request(&self, each: Vec<bool>, forced: Vec<bool>, rows: Dim) -> Request {
        Request {
            each,
            forced,
            rows,
            may_loop: self.rows.may_loop,
        }
    }

    /// A graph for all rows, fed by this operation.
    fn made(&self, region: &Region<'_>, forced: Vec<bool>, rows: Dim) -> Result<BatchedGraph> {
        let each = region.inputs.iter();
        let each = each.map(|&i| self.inputs[i as usize].is_each()).collect();
        batch_graph(region.graph, &self.request(each, forced, rows))
    }
}

/// Values, one for each row where `each` says so.
pub(super) fn marked(values: impl IntoIterator<Item = Val>, each: &[bool]) -> Vec<Rowed> {
    let mark = |(val, &each): (Val, &bool)| match each {
        true => Rowed::Each(val),
        false => Rowed::Same(val),
    };
    values.into_iter().zip(each).map(mark).collect()
}

/// A graph that is fed what the one it was made of was, and the input of that number, the number of rows.
pub(super) fn fed(graph: &Arc<Graph>, inputs: &[u32], count: usize) -> Branch {
    let mut inputs = inputs.to_vec();
    inputs.push(u32::try_from(count).unwrap_or(u32::MAX));
    Branch {
        graph: graph.clone(),
        inputs,
    }
}

fn called(e: &mut TraceEmitter, site: &Site<'_>, region: &Region<'_>) -> Result<Vec<Rowed>> {
    let made = site.made(region, Vec::new(), site.rows.dim)?;
    let outputs = e.emit(Arc::new(Call::of(made.graph)), &site.counted())?;
    Ok(marked(outputs, &made.each))
}

/// The same branch for all rows.
fn chosen(e: &mut TraceEmitter, site: &Site<'_>, regions: &[Region<'_>]) -> Result<Vec<Rowed>> {
    let make = |forced: &[bool]| -> Result<Vec<BatchedGraph>> {
        let made = |r| site.made(r, forced.to_vec(), site.rows.dim);
        regions.iter().map(made).collect()
    };
    let mut made = make(&[])?;
    let n = site.outputs.len();
    let either: Vec<bool> = (0..n).map(|i| made.iter().any(|m| m.each[i])).collect();
    if made.iter().any(|m| m.each != either) {
        made = make(&either)?;
    }
    let count = site.inputs.len();
    let branches = made.iter().zip(regions);
    let branches = branches
        .map(|(m, r)| fed(&m.graph, &r.inputs, count))
        .collect();
    let op = site.op.with_regions(branches);
    let op = op.ok_or_else(|| unbatchable("an operation whose graphs cannot change"))?;
    let outputs = e.emit(op, &site.counted())?;
    Ok(marked(outputs, &either))
}

/// Each branch for the rows that choose it, put back in order.
fn chosen_by_row(
    e: &mut TraceEmitter,
    site: &Site<'_>,
    condition: &Val,
    regions: &[Region<'_>],
) -> Result<Vec<Rowed>> {
    let all = vec![true; site.outputs.len()];
    let mut made = Vec::new();
    for region in regions {
        made.push(site.made(region, all.clone(), Dim::UNKNOWN)?);
    }
    let not = e.logical_not(condition)?;
    let mut parts = Vec::new();
    for ((holds, region), made) in [condition, &not].into_iter().zip(regions).zip(made) {
        let chosen = Chosen::of(e, holds)?;
        let inputs: Vec<Rowed> = region.fed(site.inputs);
        let mut inputs = chosen.rows(e, &inputs)?;
        inputs.push(chosen.count);
        parts.push(e.emit(Arc::new(Call::of(made.graph)), &inputs)?);
    }
    let [yes, no] = &parts[..] else {
        bail!(Internal, "a choice by row of {} branches", parts.len());
    };
    if yes.iter().any(|val| val.dtype() == DType::Variant) {
        return Err(unbatchable("a list that some rows make"));
    }
    let merged = yes.iter().zip(no).map(|(yes, no)| {
        let merged = e.merge_rows(condition, yes, no)?;
        Ok(Rowed::Each(merged))
    });
    merged.collect()
}

/// Some of the rows.
pub(super) struct Chosen {
    /// Their numbers, a matrix of one column.
    pub places: Val,
    /// Their numbers.
    pub numbers: Val,
    /// How many they are.
    pub count: Val,
}

impl Chosen {
    /// The rows for which a vector holds.
    pub fn of(e: &mut TraceEmitter, holds: &Val) -> Result<Chosen> {
        let places = e.where_true(holds)?;
        let flat = e.int_vector(&[-1])?;
        let numbers = e.reshape(&places, &flat)?;
        let count = e.size(&numbers, DType::Int32)?;
        Ok(Chosen {
            places,
            numbers,
            count,
        })
    }

    /// What these rows have of values.
    pub fn rows(&self, e: &mut TraceEmitter, values: &[Rowed]) -> Result<Vec<Val>> {
        let axis = e.scalar(0.0, DType::Int32)?;
        let mut rows = Vec::new();
        for value in values {
            rows.push(match value {
                Rowed::Same(val) => val.clone(),
                Rowed::Each(val) if val.dtype() == DType::Variant => {
                    return Err(unbatchable("a list that some rows go on with"));
                }
                Rowed::Each(val) => e.gather_v2(val, &self.numbers, &axis, 0)?,
            });
        }
        Ok(rows)
    }
}
