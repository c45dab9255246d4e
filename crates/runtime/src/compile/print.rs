//! What each stage of compilation makes, as text.

use super::buffer_assignment::{assign_buffers, slot_type};
use super::facts::{Fact, Scope};
use super::fuse::fuse;
use super::lower::{Program, SlotInfo, Storage, lower_graph};
use super::machine::find_parts;
use super::regions::Region;
use super::schedule::schedule;
use super::specialise;
use crate::plan::Listing;
use ferrograph_graph::{Graph, Node, ValueId};
use ferrograph_tensor::{Result, Tensor};
use std::fmt::{Display, Write};
use std::sync::Arc;

/// A stage of compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What is known of every value.
    Specialise,
    /// Steps over slots.
    Lower,
    /// Fewer steps, where fusion makes one of several.
    Fuse,
    /// Steps with drops and last reads.
    Schedule,
    /// The plan.
    AssignBuffers,
}

/// What a stage makes of a graph for inputs of these shapes, as text.
///
/// # Errors
/// What compiling the graph refuses.
pub fn print_stage(graph: &Arc<Graph>, inputs: &[Tensor], stage: Stage) -> Result<String> {
    let scope = specialise(graph, inputs)?;
    if stage == Stage::Specialise {
        let mut printer = Printer::default();
        printer.scope("", &scope);
        return Ok(printer.out);
    }
    let mut program = lower_graph(&scope)?;
    if stage == Stage::Lower {
        return Ok(listing("lowered", &graph.name, &program));
    }
    fuse(&mut program, false);
    if stage == Stage::Fuse {
        return Ok(listing("fused", &graph.name, &program));
    }
    schedule(&mut program);
    if stage == Stage::Schedule {
        return Ok(listing("scheduled", &graph.name, &program));
    }
    find_parts(&mut program);
    Ok(assign_buffers(&graph.name, program)?.to_string())
}

fn listing(kind: &'static str, name: &str, program: &Program) -> String {
    let mut places: Vec<String> = program.slots.iter().map(storage).collect();
    for &slot in &program.inputs {
        "input".clone_into(&mut places[slot as usize]);
    }
    for (slot, tensor) in &program.constants {
        places[*slot as usize] = Listing::constant(tensor);
    }
    let types: Vec<_> = program.slots.iter().map(slot_type).collect();
    Listing {
        head: format!("{kind} \"{}\"", name.as_bytes().escape_ascii()),
        types: &types,
        places,
        graphs: &program.graphs,
        block: &program.block,
        outputs: &program.outputs,
    }
    .to_string()
}

fn storage(info: &SlotInfo) -> String {
    let name = match info.storage {
        Storage::Slab => "slab",
        Storage::Pinned => "pinned",
        Storage::Boxed => "tensor",
        Storage::Constant => "constant",
    };
    name.to_owned()
}

/// Prints what is known of graphs.
#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: impl Display) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
        let _ = writeln!(self.out, "{text}"); // writing to a string never fails
    }

    fn scope(&mut self, role: &str, scope: &Scope) {
        let graph = &scope.graph;
        let (name, inputs) = (graph.name.as_bytes().escape_ascii(), values(&graph.inputs));
        self.line(format_args!("{role}scope \"{name}\" ({inputs}) {{"));
        self.indent += 1;
        for (id, node) in graph.iter().filter(|(id, _)| scope.live[id.index()]) {
            self.line(live(scope, node));
            if let Some(region) = scope.regions.get(&id.index()) {
                self.indent += 1;
                self.region(region);
                self.indent -= 1;
            }
        }
        self.line(format_args!("return {}", values(&graph.outputs)));
        self.indent -= 1;
        self.line("}");
    }

    fn region(&mut self, region: &Region) {
        match region {
            Region::Inline(entry) => self.scope("inline ", &entry.scope),
            Region::If {
                then_side,
                else_side,
            } => {
                self.scope("if ", &then_side.scope);
                self.scope("else ", &else_side.scope);
            }
            Region::While { cond, body, .. } => {
                self.scope("while cond ", &cond.scope);
                self.scope("while body ", &body.scope);
            }
        }
    }
}

fn values(values: &[ValueId]) -> String {
    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn live(scope: &Scope, node: &Node) -> String {
    let facts = node.outputs.iter().map(|v| fact(&scope.facts[v.index()]));
    let facts: Vec<String> = facts.collect();
    let outputs = match &node.outputs[..] {
        [] => String::new(),
        outputs => format!("{} = ", values(outputs)),
    };
    let name = node.name.as_bytes().escape_ascii();
    let (op, inputs, facts) = (node.op.name(), values(&node.inputs), facts.join(", "));
    format!("{outputs}{op} \"{name}\" ({inputs}) : {facts}")
}

fn fact(fact: &Fact) -> String {
    let mut text = format!("{} {}", fact.spec.dtype, fact.spec.shape);
    if let Some(constant) = &fact.constant {
        let _ = write!(text, " is {}", Listing::tensor(constant)); // writing to a string never fails
    }
    if let Some(known) = &fact.known {
        let known: Vec<String> = known
            .iter()
            .map(|k| k.map_or_else(|| "?".to_owned(), |k| k.to_string()))
            .collect();
        let _ = write!(text, " known [{}]", known.join(", "));
    }
    text
}
