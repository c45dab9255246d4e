//! Plans as text, for people and tests.
//!
//! ```text
//! plan    = "plan" string "slab" bytes "{" slot* block "return" slots "}"
//! slot    = "s" number ":" dtype "x" (length | "?") "," place
//! place   = "input" | "constant" tensor | "slab" offset ["as" shape] | "tensor" | "unused"
//! block   = ["drops" slots] machine* chains* step* record* move*
//! machine = "machine code" "steps" range | "no machine code" "loop" number ":" text
//! chains  = "parallel" "steps" range ":" [places "first"] places ("|" places)* ["then" places]
//! step    = slots "=" operation string ("kernel" | "eval" | "object" | "update" | "alias") "(" reads ")" ["as" shape]
//!           [fused] ["new" slot shape,*] ["drops" slots]
//!         | "if" slot "{" block "}" "else" "{" block "}" ["drops" slots]
//!         | "while" "{" move* "cond" slot "{" block "}" "body" "{" block "}" ["exit drops" slots]
//!           ["records" slots] "}" ["drops" slots]
//! fused   = "of" number "operations over" number "rows by" number "reads" number "writes" number
//!           "fusing" operation,* ("in a vector loop" number,*)*
//! record  = "record" read ["as" shape]
//! move    = slot "<-" read ["bytes" number]
//! read    = slot ["!"]
//! ```
//!
//! A slot followed by `!` is read by the last that needs its tensor, which takes it out of the frame. The object that
//! an operation reads or changes, and the variables of an update, stand before a semicolon. What is `new` is allocated before the kernel runs.

use super::place::places;
use super::{
    Action, Block, Conditional, Fused, Loop, Move, Native, ParallelChains, Plan, Record, Slot,
    Step, Taken, UNKNOWN_LEN,
};
use ferrograph_graph::{Graph, SlotType, text};
use ferrograph_tensor::{DType, Shape, Tensor};
use std::fmt::{self, Display, Formatter, Write};
use std::sync::Weak;

/// The values of constants up to this many elements are part of the text.
const SHOWN_ELEMENTS: usize = 16;

/// Steps over slots, as text.
pub(crate) struct Listing<'a> {
    /// What this is, with its name.
    pub head: String,
    pub types: &'a [SlotType],
    /// Where each slot lives, in words.
    pub places: Vec<String>,
    pub graphs: &'a [Weak<Graph>],
    pub block: &'a Block,
    pub outputs: &'a [Slot],
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name.as_bytes().escape_ascii();
        let listing = Listing {
            head: format!("plan \"{name}\" slab {}", self.slab_bytes),
            types: &self.types,
            places: described(self),
            graphs: &self.graphs,
            block: &self.block,
            outputs: &self.outputs,
        };
        listing.fmt(f)
    }
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {{", self.head)?;
        for (slot, (t, place)) in self.types.iter().zip(&self.places).enumerate() {
            writeln!(f, "  s{slot}: {} x {}, {place}", t.dtype, Length(t.len))?;
        }
        let mut printer = Printer {
            graphs: self.graphs,
            indent: 1,
            out: f,
        };
        printer.block(self.block)?;
        match self.outputs {
            [] => writeln!(f, "  return")?,
            outputs => writeln!(f, "  return {}", Slots(outputs))?,
        }
        f.write_str("}\n")
    }
}

impl Listing<'_> {
    /// The place of a constant, in words.
    pub fn constant(tensor: &Tensor) -> String {
        format!("constant {}", Listing::tensor(tensor))
    }

    /// A small tensor with its elements; of others, and of objects, the type.
    pub fn tensor(tensor: &Tensor) -> String {
        if tensor.as_object().is_ok() {
            return format!("{} object", tensor.dtype());
        }
        match tensor.n_elements() {
            n if n <= SHOWN_ELEMENTS => text::print_tensor(tensor),
            _ => format!("{} {} {{...}}", tensor.dtype(), tensor.shape()),
        }
    }
}

/// A number of elements, as far as known.
struct Length(usize);

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            UNKNOWN_LEN => f.write_str("?"),
            n => write!(f, "{n}"),
        }
    }
}

struct Slots<'a>(&'a [Slot]);

impl Display for Slots<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        listed(f, self.0.iter().map(|slot| format!("s{slot}")))
    }
}

impl Display for Taken {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mark = if self.last { "!" } else { "" };
        write!(f, "s{}{mark}", self.slot)
    }
}

fn listed(f: &mut Formatter<'_>, items: impl Iterator<Item = String>) -> fmt::Result {
    for (i, item) in items.enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

/// Where each slot lives, in words.
fn described(plan: &Plan) -> Vec<String> {
    let (places, _) = places(plan);
    let mut described: Vec<String> = places.iter().map(ToString::to_string).collect();
    for &slot in &plan.inputs {
        "input".clone_into(&mut described[slot as usize]);
    }
    for (slot, shape) in &plan.slab_shapes {
        let _ = write!(described[*slot as usize], " as {shape}"); // writing to a string never fails
    }
    for (slot, tensor) in &plan.constants {
        described[*slot as usize] = Listing::constant(tensor);
    }
    described
}

struct Printer<'a, 'b, 'c> {
    graphs: &'a [Weak<Graph>],
    indent: usize,
    out: &'b mut Formatter<'c>,
}

impl Printer<'_, '_, '_> {
    fn line(&mut self, text: impl Display) -> fmt::Result {
        for _ in 0..self.indent {
            self.out.write_str("  ")?;
        }
        writeln!(self.out, "{text}")
    }

    fn block(&mut self, block: &Block) -> fmt::Result {
        if !block.entry_drops.is_empty() {
            self.line(format_args!("drops {}", Slots(&block.entry_drops)))?;
        }
        if let Some(native) = &block.native {
            self.native(native)?;
        }
        for chains in &block.chains {
            self.chains(chains)?;
        }
        block.steps.iter().try_for_each(|step| self.step(step))?;
        block.records.iter().try_for_each(|r| self.record(r))?;
        self.moves(&block.moves)
    }

    /// Which steps can be machine code, and which loops cannot.
    fn native(&mut self, native: &Native) -> fmt::Result {
        for part in &native.parts {
            self.line(format_args!("machine code steps {:?}", part.steps))?;
        }
        for (at, why) in &native.refused {
            self.line(format_args!("no machine code loop {at}: {why}"))?;
        }
        Ok(())
    }

    /// Which steps may run at once.
    fn chains(&mut self, chains: &ParallelChains) -> fmt::Result {
        let words = |steps: &[usize]| {
            let words: Vec<String> = steps.iter().map(ToString::to_string).collect();
            words.join(" ")
        };
        let mut text = format!("parallel steps {:?}:", chains.steps);
        if !chains.early.is_empty() {
            write!(text, " {} first", words(&chains.early))?;
        }
        for (i, chain) in chains.chains.iter().enumerate() {
            let before = if i > 0 { " |" } else { "" };
            write!(text, "{before} {}", words(chain))?;
        }
        if !chains.late.is_empty() {
            write!(text, " then {}", words(&chains.late))?;
        }
        self.line(text)
    }

    /// A block one level deeper.
    fn inner(&mut self, block: &Block) -> fmt::Result {
        self.indent += 1;
        self.block(block)?;
        self.indent -= 1;
        Ok(())
    }

    fn step(&mut self, step: &Step) -> fmt::Result {
        match &step.action {
            Action::If(branch) => self.branch(branch, &drops(step)),
            Action::While(repeat) => self.repeat(repeat, &drops(step)),
            action => {
                let text = operation(&self.node(step), action) + &drops(step);
                self.line(text)
            }
        }
    }

    /// The operation and name of the node that a step runs.
    fn node(&self, step: &Step) -> String {
        match self.graphs[step.site.graph as usize].upgrade() {
            Some(graph) => {
                let node = graph.node(step.site.node);
                let name = node.name.as_bytes().escape_ascii();
                format!("{} \"{name}\"", node.op.name())
            }
            None => "?".to_owned(),
        }
    }

    fn branch(&mut self, branch: &Conditional, drops: &str) -> fmt::Result {
        self.line(format_args!("if s{} {{", branch.condition))?;
        self.inner(&branch.then_block)?;
        self.line("} else {")?;
        self.inner(&branch.else_block)?;
        self.line(format_args!("}}{drops}"))
    }

    fn repeat(&mut self, repeat: &Loop, drops: &str) -> fmt::Result {
        self.line("while {")?;
        self.indent += 1;
        self.moves(&repeat.entry)?;
        self.line(format_args!("cond s{} {{", repeat.condition))?;
        self.inner(&repeat.cond_block)?;
        self.line("} body {")?;
        self.inner(&repeat.body)?;
        self.line("}")?;
        if !repeat.exit_drops.is_empty() {
            self.line(format_args!("exit drops {}", Slots(&repeat.exit_drops)))?;
        }
        if let Some((_, slots)) = &repeat.recorded {
            self.line(format_args!("records {}", Slots(slots)))?;
        }
        self.indent -= 1;
        self.line(format_args!("}}{drops}"))
    }

    fn record(&mut self, record: &Record) -> fmt::Result {
        let shape = record.small.as_ref();
        let shape = shape.map_or_else(String::new, |shape| format!(" as {shape}"));
        self.line(format_args!("record {}{shape}", record.from))
    }

    fn moves(&mut self, moves: &[Move]) -> fmt::Result {
        moves.iter().try_for_each(|step| match step {
            Move::Bytes { from, to, len } => {
                self.line(format_args!("s{to} <- s{from} bytes {len}"))
            }
            Move::Tensor { from, to } => self.line(format_args!("s{to} <- {from}")),
        })
    }
}

fn drops(step: &Step) -> String {
    match &step.drops[..] {
        [] => String::new(),
        drops => format!(" drops {}", Slots(drops)),
    }
}

/// A step without blocks; `node` names what it runs.
fn operation(node: &str, action: &Action) -> String {
    match action {
        Action::Kernel(bound) => {
            let (outs, ins) = (results(&bound.outs), Slots(&bound.ins));
            let fused = fused(bound.fused.as_deref());
            format!("{outs}{node} kernel({ins}){fused}{}", fresh(&bound.fresh))
        }
        Action::Object { object, bound, to } => {
            let outs: Vec<Slot> = (object.slot != *to).then_some(*to).into_iter().collect();
            let outs = results(&[&outs[..], &bound.outs].concat());
            let ins = Slots(&bound.ins);
            format!(
                "{outs}{node} object({object}; {ins}){}",
                fresh(&bound.fresh)
            )
        }
        Action::Update { variables, bound } => {
            let (outs, ins) = (results(&bound.outs), Slots(&bound.ins));
            let (fused, fresh) = (fused(bound.fused.as_deref()), fresh(&bound.fresh));
            format!(
                "{outs}{node} update({}; {ins}){fused}{fresh}",
                Slots(variables)
            )
        }
        Action::Eval { ins, outs, .. } => {
            let mut reads = String::new();
            for (i, taken) in ins.iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                let _ = write!(reads, "{comma}{taken}"); // writing to a string never fails
            }
            format!("{}{node} eval({reads})", results(outs))
        }
        Action::Alias { from, shape, to } => format!("s{to} = {node} alias(s{from}) as {shape}"),
        Action::If(_) | Action::While(_) => node.to_owned(),
    }
}

/// What a fused step does: which operations, over how many rows, how many at a time, and the bytes that are read and
/// written.
fn fused(fused: Option<&Fused>) -> String {
    let Some(j) = fused else {
        return String::new();
    };
    let mut text = format!(
        " of {} operations over {} rows by {} reads {} writes {} fusing {}",
        j.operations.len(),
        j.rows,
        j.tile,
        j.bytes_read,
        j.bytes_written,
        j.operations.join(", ")
    );
    for operations in &j.vectors {
        let numbers: Vec<String> = operations.iter().map(ToString::to_string).collect();
        let _ = write!(text, " in a vector loop {}", numbers.join(", ")); // writing to a string never fails
    }
    text
}

fn results(outs: &[Slot]) -> String {
    match outs {
        [] => String::new(),
        outs => format!("{} = ", Slots(outs)),
    }
}

fn fresh(fresh: &[(Slot, DType, Shape)]) -> String {
    let mut text = String::new();
    for (i, (slot, _, shape)) in fresh.iter().enumerate() {
        let before = if i > 0 { ", " } else { " new " };
        let _ = write!(text, "{before}s{slot} {shape}"); // writing to a string never fails
    }
    text
}
