//! From a graph and concrete input shapes to a plan: infer every shape, fold what is constant, drop what nothing
//! needs, bind kernels, compile the graphs of branches, loops and small calls into the same plan, and place values.

mod blocks;
mod facts;
mod layout;
mod liveness;
mod lower;
mod regions;

pub(crate) use facts::live_nodes;

use crate::plan::{Action, Block, Plan, Slot, UNKNOWN_LEN};
use facts::{Budget, Fact, infer};
use ferrograph_graph::{Graph, SlotType};
use ferrograph_tensor::{DType, Result, Shape, Tensor, err};
use layout::{Lifetime, assign};
use liveness::{SlabLiveness, Slots, TensorLiveness};
use lower::{Lowering, Storage};
use parking_lot::Mutex;
use std::sync::Arc;

/// Nodes of regions that one plan may take in, and how deep they may nest.
const BUDGET: Budget = Budget {
    nodes: 20_000,
    depth: 16,
};

/// Compiles a graph for inputs of these shapes.
pub(crate) fn compile(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Plan> {
    let facts = inputs.iter().map(|t| Fact::of_spec(t.spec())).collect();
    let wanted = vec![true; graph.outputs.len()];
    let scope = infer(graph, facts, &wanted, &mut { BUDGET })?;
    let mut lowering = Lowering::default();
    let inputs: Vec<Slot> = inputs
        .iter()
        .map(|t| lowering.slot(&t.spec(), Storage::Boxed))
        .collect::<Result<_>>()?;
    let (steps, outputs) = lowering.scope(&scope, &inputs, &wanted)?;
    let outputs: Vec<Slot> = outputs.into_iter().flatten().collect();
    for slot in &outputs {
        lowering.boxed(*slot);
    }
    let mut block = Block {
        steps,
        ..Block::default()
    };
    let mut after = Slots::new(lowering.slots.len());
    outputs.iter().for_each(|&slot| after.add(slot));
    let tensors = TensorLiveness {
        lowering: &lowering,
    };
    tensors.block(&mut block, &after);
    allocate(&lowering, &mut block)?;
    Ok(assemble(graph, lowering, block, inputs, outputs))
}

/// Says of each kernel which outputs are tensors of their own.
fn allocate(lowering: &Lowering, block: &mut Block) -> Result<()> {
    for step in &mut block.steps {
        match &mut step.action {
            Action::Kernel(bound) => bound.fresh = fresh(lowering, &bound.outs)?,
            Action::Object { bound, .. } => bound.fresh = fresh(lowering, &bound.outs)?,
            Action::If(branch) => {
                allocate(lowering, &mut branch.then_block)?;
                allocate(lowering, &mut branch.else_block)?;
            }
            Action::While(repeat) => {
                allocate(lowering, &mut repeat.cond_block)?;
                allocate(lowering, &mut repeat.body)?;
            }
            Action::Eval { .. } | Action::Alias { .. } => {}
        }
    }
    Ok(())
}

fn fresh(lowering: &Lowering, outs: &[Slot]) -> Result<Box<[(Slot, DType, Shape)]>> {
    let info = |slot: Slot| &lowering.slots[slot as usize];
    let boxed = outs
        .iter()
        .filter(|slot| info(**slot).storage == Storage::Boxed);
    let typed = boxed.map(|&slot| {
        let shape = info(slot).shape.clone();
        let shape = shape.ok_or_else(|| err!(Internal, "a bound output has no static shape"))?;
        Ok((slot, info(slot).dtype, shape))
    });
    typed.collect()
}

fn assemble(
    graph: &Arc<Graph>,
    mut lowering: Lowering,
    mut block: Block,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
) -> Plan {
    let (placed, lifetimes): (Vec<Slot>, Vec<Lifetime>) =
        SlabLiveness::of(&lowering, &block, &outputs)
            .into_iter()
            .unzip();
    let (offsets, slab_bytes) = assign(&lifetimes);
    lowering.constants.shrink_to_fit();
    lowering.graphs.shrink_to_fit();
    block.steps.shrink_to_fit();
    let infos = || (0..).zip(&lowering.slots);
    Plan {
        name: graph.name.clone(),
        types: infos()
            .map(|(_, info)| SlotType {
                dtype: info.dtype,
                len: info.shape.as_ref().map_or(UNKNOWN_LEN, |s| s.n_elements()),
            })
            .collect(),
        in_slab: placed.into_iter().zip(offsets).collect(),
        slab_shapes: infos()
            .filter(|(_, info)| info.storage == Storage::Pinned)
            .filter_map(|(slot, info)| Some((slot, info.shape.clone()?)))
            .collect(),
        boxed: infos()
            .filter(|(_, info)| info.storage == Storage::Boxed)
            .map(|(slot, _)| slot)
            .collect(),
        slab_bytes,
        constants: lowering.constants,
        inputs,
        outputs,
        block,
        flops: lowering.flops,
        graphs: lowering.graphs,
        frames: Mutex::new(Vec::new()),
    }
}
