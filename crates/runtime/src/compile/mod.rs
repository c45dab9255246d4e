//! From a graph and concrete input shapes to a plan, in stages. Each has a grammar, prints ([`Stage`]), and reads only
//! what the one before it made.
//!
//! 1. **specialise** (`facts`, `regions`): what is known of every value once the inputs are concrete. The graph stays as
//!    it is; what nothing needs is left out, and each node with graphs says whether they are compiled into the plan.
//!
//!    ```text
//!    scope   = "scope" string "(" values ")" "{" live* "return" values "}"
//!    live    = values "=" operation string "(" values ")" ":" fact,* [ region ]
//!    fact    = dtype shape [ "is" tensor ] [ "known" "[" known,* "]" ]
//!    region  = "inline" scope | "if" scope scope | "while" "cond" scope "body" scope
//!    ```
//!
//! 2. **lower** (`lower`, `blocks`): steps over slots. Kernels are bound where shapes are static; a slot has a type and
//!    a storage; moves carry what enters and leaves the blocks of branches and loops. The grammar is a plan's, with a
//!    storage in the place of a place, and without drops, last reads and allocations.
//! 3. **fuse** (`fuse`): fusion. Steps that compute row by row over as many rows become one step, whose values in
//!    between stay in the cache.
//! 4. **schedule** (`schedule`): liveness. The same steps in program order, with drops and last reads.
//! 5. **find machine code** (`machine`): the same steps; blocks say which runs of them can be machine code, and hold
//!    the programs (`ferrograph_machine`). Plans that are to run step by step do without.
//! 6. **find parallel chains** (`parallel_chains`): the same steps; blocks say which runs of them are independent
//!    chains, large enough to be run at once.
//! 7. **assign buffers** (`buffer_assignment`, `layout`): gives the plan. The slots of the slab have offsets, and what
//!    kernels allocate is said.

mod blocks;
mod buffer_assignment;
mod facts;
mod fuse;
mod layout;
mod lower;
mod machine;
mod parallel_chains;
mod print;
mod reads;
mod regions;
mod rows;
mod schedule;
mod scratch;
mod slice_inputs;
mod split_group;
mod tile;
mod totals;
mod update;
mod variables;
mod vectors;

pub(crate) use facts::live_nodes;
pub use print::{Stage, print_stage};

use crate::plan::{Plan, Tier, check_plan};
use buffer_assignment::assign_buffers;
use facts::{Budget, Fact, Scope, infer};
use ferrograph_graph::Graph;
use ferrograph_tensor::{Result, Tensor};
use fuse::fuse;
use lower::lower_graph;
use machine::find_parts;
use parallel_chains::find_chains;
use schedule::schedule;
use std::sync::Arc;

/// Nodes of regions that one plan may take in, and how deep they may nest.
const BUDGET: Budget = Budget {
    nodes: 20_000,
    depth: 16,
};

/// Compiles a graph for inputs of these shapes, step by step as it stands unless steps are to be fused.
pub(crate) fn compile(
    graph: &Arc<Graph>,
    inputs: &[Tensor],
    fuses: bool,
    tier: Tier,
) -> Result<Plan> {
    let scope = specialise(graph, inputs)?;
    let mut program = lower_graph(&scope)?;
    if fuses {
        fuse(&mut program, tier != Tier::Never);
    }
    schedule(&mut program);
    if tier != Tier::Never {
        find_parts(&mut program);
    }
    if fuses {
        find_chains(&mut program);
    }
    let plan = assign_buffers(&graph.name, program)?;
    check_plan(&plan)?;
    if tier == Tier::AtOnce {
        plan.compile_parts();
    }
    Ok(plan)
}

/// All that is known of a graph for inputs of these shapes.
fn specialise(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Scope> {
    let facts = inputs.iter().map(|t| Fact::of_spec(t.spec())).collect();
    let wanted = vec![true; graph.outputs.len()];
    infer(graph, facts, &wanted, &mut { BUDGET })
}
