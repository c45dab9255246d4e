//! Plans as data, for tools that draw them.

use super::place::{Place, places};
use super::recorded::kind;
use super::{Action, Block, Conditional, Fused, Loop, Move, Plan, Site, Slot, Step, UNKNOWN_LEN};
use ferrograph_tensor::{DType, Origin};
use std::sync::Arc;

/// A plan as data.
pub struct Outline {
    /// The bytes that intermediate values share.
    pub slab_bytes: usize,
    /// The floating-point operations of a call, with one iteration of each loop.
    pub flops: f64,
    /// The slots by their numbers.
    pub slots: Vec<SlotOutline>,
    /// The steps in order.
    pub steps: Vec<StepOutline>,
    /// The slots that are given back.
    pub outputs: Vec<u32>,
}

/// A slot of a plan.
pub struct SlotOutline {
    /// The type of its elements.
    pub dtype: DType,
    /// Its size, where that is known before it is made.
    pub bytes: Option<usize>,
    /// Where it lives: `input`, `constant`, `slab`, `tensor` or `unused`.
    pub place: &'static str,
    /// Where in the slab.
    pub offset: Option<usize>,
}

/// A node that a step runs.
pub struct NodeOutline {
    /// The operation.
    pub operation: String,
    /// The name of the node in the graph that was compiled; none for what is no node.
    pub name: Option<String>,
    /// The line of the program that it comes from.
    pub origin: Option<Arc<Origin>>,
}

/// A step of a plan.
pub struct StepOutline {
    /// What it runs; of a fused step, the last of its nodes.
    pub node: NodeOutline,
    /// How it runs, in words.
    pub kind: &'static str,
    /// The slots that it reads.
    pub reads: Vec<u32>,
    /// The slots that it writes.
    pub writes: Vec<u32>,
    /// What a fused step does.
    pub fused: Option<FusedOutline>,
    /// The blocks of a branch or loop, with what each is.
    pub blocks: Vec<(&'static str, Vec<StepOutline>)>,
}

/// A fusion group.
pub struct FusedOutline {
    /// The nodes in their order.
    pub members: Vec<NodeOutline>,
    /// Rows that go through all of them.
    pub rows: usize,
    /// Rows at a time.
    pub tile: usize,
    /// Bytes that are read from memory.
    pub bytes_read: usize,
    /// Bytes that are written there.
    pub bytes_written: usize,
}

impl Plan {
    /// The plan as data. Nodes have names where their graphs are still there.
    pub fn outline(&self) -> Outline {
        Outline {
            slab_bytes: self.slab_bytes(),
            flops: self.flops_of_one_iteration(),
            slots: self.slot_outlines(),
            steps: self.block_outline(&self.block),
            outputs: self.outputs.clone(),
        }
    }

    fn slot_outlines(&self) -> Vec<SlotOutline> {
        let (places, _) = places(self);
        let mut slots: Vec<SlotOutline> = (self.types.iter().zip(places))
            .map(|(of, place)| {
                let (place, offset) = match place {
                    Place::Nowhere => ("unused", None),
                    Place::Constant => ("constant", None),
                    Place::Tensor => ("tensor", None),
                    Place::Slab(offset) => ("slab", Some(offset)),
                };
                let is_known = of.len != UNKNOWN_LEN && of.dtype.is_dense();
                SlotOutline {
                    dtype: of.dtype,
                    bytes: is_known.then(|| of.len * of.dtype.size()),
                    place,
                    offset,
                }
            })
            .collect();
        for &slot in &self.inputs {
            slots[slot as usize].place = "input";
        }
        slots
    }

    fn block_outline(&self, block: &Block) -> Vec<StepOutline> {
        let mut steps: Vec<StepOutline> =
            block.steps.iter().map(|s| self.step_outline(s)).collect();
        if !block.moves.is_empty() {
            let (reads, writes) = moved(&block.moves);
            steps.push(StepOutline {
                node: NodeOutline {
                    operation: "move".to_owned(),
                    name: None,
                    origin: None,
                },
                kind: "move",
                reads,
                writes,
                fused: None,
                blocks: Vec::new(),
            });
        }
        steps
    }

    fn step_outline(&self, step: &Step) -> StepOutline {
        let (reads, writes) = operands(&step.action);
        let fused = match &step.action {
            Action::Kernel(bound) => bound.fused.as_deref(),
            Action::Update { bound, .. } => bound.fused.as_deref(),
            _ => None,
        };
        let blocks = match &step.action {
            Action::If(branch) => self.branches(branch),
            Action::While(repeat) => self.parts(repeat),
            _ => Vec::new(),
        };
        StepOutline {
            node: self.node_outline(step.site),
            kind: kind(&step.action).0.in_words(),
            reads,
            writes,
            fused: fused.map(|fused| self.fused_outline(fused)),
            blocks,
        }
    }

    fn branches(&self, branch: &Conditional) -> Vec<(&'static str, Vec<StepOutline>)> {
        vec![
            ("then", self.block_outline(&branch.then_block)),
            ("else", self.block_outline(&branch.else_block)),
        ]
    }

    fn parts(&self, repeat: &Loop) -> Vec<(&'static str, Vec<StepOutline>)> {
        vec![
            ("condition", self.block_outline(&repeat.cond_block)),
            ("body", self.block_outline(&repeat.body)),
        ]
    }

    fn fused_outline(&self, fused: &Fused) -> FusedOutline {
        FusedOutline {
            members: fused.sites.iter().map(|&s| self.node_outline(s)).collect(),
            rows: fused.rows,
            tile: fused.tile,
            bytes_read: fused.bytes_read,
            bytes_written: fused.bytes_written,
        }
    }

    fn node_outline(&self, site: Site) -> NodeOutline {
        let Some(graph) = self.graphs[site.graph as usize].upgrade() else {
            return NodeOutline {
                operation: "?".to_owned(),
                name: None,
                origin: None,
            };
        };
        let node = graph.node(site.node);
        NodeOutline {
            operation: node.op.name().to_owned(),
            name: Some(node.name.to_string()),
            origin: node.origin.clone(),
        }
    }
}

/// The slots that a step reads and writes, without those of its blocks.
fn operands(action: &Action) -> (Vec<Slot>, Vec<Slot>) {
    match action {
        Action::Kernel(bound) => (bound.ins.to_vec(), bound.outs.to_vec()),
        Action::Object { object, bound, to } => (
            [&[object.slot], &bound.ins[..]].concat(),
            [&[*to], &bound.outs[..]].concat(),
        ),
        Action::Update { variables, bound } => {
            ([variables, &bound.ins[..]].concat(), bound.outs.to_vec())
        }
        Action::Eval { ins, outs, .. } => (ins.iter().map(|t| t.slot).collect(), outs.to_vec()),
        Action::Alias { from, to, .. } => (vec![*from], vec![*to]),
        Action::If(branch) => (vec![branch.condition], Vec::new()),
        Action::While(repeat) => {
            let (reads, mut writes) = moved(&repeat.entry);
            writes.extend(repeat.recorded.iter().flat_map(|(_, slots)| slots.iter()));
            (reads, writes)
        }
    }
}

fn moved(moves: &[Move]) -> (Vec<Slot>, Vec<Slot>) {
    let pairs = moves.iter().map(|step| match step {
        Move::Bytes { from, to, .. } => (*from, *to),
        Move::Tensor { from, to } => (from.slot, *to),
    });
    pairs.unzip()
}
