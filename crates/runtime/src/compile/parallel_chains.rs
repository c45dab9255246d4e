//! Inter-op parallelism: which steps may run at once. Runs of kernels in a block, between steps with effects, are split
//! into chains that do not depend on one another. A step that reads what two chains made comes after them; reads of
//! variables come before.

use super::lower::{Program, SlotInfo};
use crate::plan::{Action, Block, ParallelChains, Slot, Step, Taken};
use ferrograph_graph::{Effect, Graph, ObjectKernel};
use ferrograph_kernels::pool;
use ferrograph_tensor::DType;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cell::Cell;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Weak;

/// Bytes that a chain reads and writes, at least: some ten microseconds.
const LEAST: usize = 64 << 10;

/// Bytes that a step reads and writes, at most: larger ones share the pool by themselves.
const MOST: usize = 2 << 20;

/// Steps that are looked at together, at most.
const LONGEST: usize = 256;

/// Beginnings that are tried for one run of steps, at most.
const BEGINNINGS: usize = 8;

/// Steps that are looked at in all, at most, each time that one is: some milliseconds.
const LOOKS: usize = 20_000;

/// Chains for each thread, at most: more than one, so that threads that are done early take over.
const PER_THREAD: usize = 2;

/// Finds the chains of all blocks, outside of what is machine code.
pub(super) fn find_chains(program: &mut Program) {
    let mut block = std::mem::take(&mut program.block);
    let finder = Finder {
        slots: &program.slots,
        graphs: &program.graphs,
        looks: Cell::new(LOOKS),
    };
    finder.block(&mut block);
    program.block = block;
}

struct Finder<'a> {
    slots: &'a [SlotInfo],
    graphs: &'a [Weak<Graph>],
    /// How many steps may still be looked at.
    looks: Cell<usize>,
}

/// What a step can be in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A kernel that reads and writes so many bytes.
    Kernel(usize),
    /// A read of variables.
    Read,
    /// Something that stands by itself.
    Other,
}

impl Finder<'_> {
    fn block(&self, block: &mut Block) {
        block.chains = self.chains(block).into();
        for step in &mut block.steps {
            match &mut step.action {
                Action::If(branch) => {
                    self.block(&mut branch.then_block);
                    self.block(&mut branch.else_block);
                }
                Action::While(repeat) => {
                    self.block(&mut repeat.cond_block);
                    self.block(&mut repeat.body);
                }
                _ => {}
            }
        }
    }

    /// The chains among the steps of a block itself.
    fn chains(&self, block: &Block) -> Vec<ParallelChains> {
        let mut found = Vec::new();
        let bytes = block.steps.iter().filter_map(|step| self.bytes(step));
        // What asks the system for its threads comes last: most plans are too small for that.
        if bytes.fold(0, usize::saturating_add) < 2 * LEAST || pool::n_threads() < 2 {
            return found;
        }
        let parts: Vec<Part> = block.steps.iter().map(|step| self.part(step)).collect();
        for run in runs(&parts, block) {
            self.run(&block.steps, &parts, run, &mut found);
        }
        found
    }

    /// What a kernel reads and writes, where its shapes say it.
    fn bytes(&self, step: &Step) -> Option<usize> {
        let Action::Kernel(bound) = &step.action else {
            return None;
        };
        let operands = bound.ins.iter().chain(&bound.outs);
        operands.map(|&s| self.slots[s as usize].bytes()).sum()
    }

    fn part(&self, step: &Step) -> Part {
        let effect = || {
            let graph = self.graphs[step.site.graph as usize].upgrade();
            graph.map(|graph| graph.node(step.site.node).op.effect())
        };
        let is_handle = |taken: &Taken| self.slots[taken.slot as usize].dtype == DType::Resource;
        match &step.action {
            Action::Kernel(_) => match self.bytes(step) {
                Some(bytes) if bytes <= MOST && effect() == Some(Effect::Pure) => {
                    Part::Kernel(bytes)
                }
                _ => Part::Other,
            },
            Action::Eval { ins, .. } if effect() == Some(Effect::Reads) => {
                match ins.iter().all(is_handle) {
                    true => Part::Read,
                    false => Part::Other,
                }
            }
            Action::Object { object, bound, .. } if effect() == Some(Effect::Reads) => {
                match is_handle(object) && matches!(bound.kernel, ObjectKernel::Reads(_)) {
                    true => Part::Read,
                    false => Part::Other,
                }
            }
            _ => Part::Other,
        }
    }

    /// Finds chains in a run, from its beginning or after one of the steps whose results several steps read; then in
    /// what is left before and behind.
    fn run(
        &self,
        steps: &[Step],
        parts: &[Part],
        run: Range<usize>,
        found: &mut Vec<ParallelChains>,
    ) {
        let bytes = parts[run.clone()].iter().map(|part| part.bytes());
        if bytes.sum::<usize>() < 2 * LEAST {
            return;
        }
        let window = |begin: usize| begin..run.end.min(begin + LONGEST);
        let (begins, next) = beginnings(steps, run.clone());
        let best = begins
            .into_iter()
            .map(window)
            .filter(|window| self.may_look(window.len()))
            .map(|window| Split::of(steps, parts, window))
            .max_by_key(|split| (split.gain, Reverse(split.steps.start)));
        let Some(best) = best.filter(|split| split.gain >= LEAST) else {
            return self.run(steps, parts, next..run.end, found);
        };
        let (begin, end) = (best.steps.start, best.steps.end);
        self.run(steps, parts, run.start..begin, found);
        found.push(best.chains(PER_THREAD * pool::n_threads()));
        self.run(steps, parts, end..run.end, found);
    }
}

impl Finder<'_> {
    /// Whether so many steps may be looked at, which counts.
    fn may_look(&self, n: usize) -> bool {
        let left = self.looks.get().checked_sub(n);
        left.inspect(|&left| self.looks.set(left)).is_some()
    }
}

impl Part {
    fn bytes(self) -> usize {
        match self {
            Part::Kernel(bytes) => bytes,
            Part::Read | Part::Other => 0,
        }
    }
}

/// The runs of steps that can be in chains.
fn runs(parts: &[Part], block: &Block) -> Vec<Range<usize>> {
    let native = block.native.iter().flat_map(|native| &native.parts);
    let mut is_in = vec![true; parts.len()];
    for part in native {
        is_in[part.steps.clone()].fill(false);
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if *part == Part::Other || !is_in[at] {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// What a step of a run reads and writes.
fn operands(step: &Step) -> (Vec<Slot>, &[Slot]) {
    match &step.action {
        Action::Kernel(bound) => (bound.ins.to_vec(), &bound.outs),
        Action::Eval { ins, outs, .. } => (ins.iter().map(|taken| taken.slot).collect(), outs),
        Action::Object { object, bound, .. } => {
            let ins = std::iter::once(object.slot).chain(bound.ins.iter().copied());
            (ins.collect(), &bound.outs)
        }
        _ => (Vec::new(), &[]),
    }
}

/// Where chains may begin: with the run, and behind steps whose results several steps read; and where to look on.
fn beginnings(steps: &[Step], run: Range<usize>) -> (Vec<usize>, usize) {
    let mut writer: HashMap<Slot, usize, FixedState> = HashMap::default();
    let mut n_readers = vec![0; run.len()];
    for at in run.clone() {
        let (ins, outs) = operands(&steps[at]);
        let mut read: Vec<usize> = ins.iter().filter_map(|s| writer.get(s).copied()).collect();
        read.sort_unstable();
        read.dedup();
        read.into_iter()
            .for_each(|writer| n_readers[writer - run.start] += 1);
        writer.extend(outs.iter().map(|&slot| (slot, at)));
    }
    let forks = run.clone().filter(|at| n_readers[at - run.start] > 1);
    let mut found: Vec<usize> = forks.map(|at| at + 1).collect();
    let next = match found.get(BEGINNINGS) {
        Some(&next) => next,
        None => run.end.min(run.start + LONGEST),
    };
    found.truncate(BEGINNINGS);
    found.insert(0, run.start);
    (found, next)
}

/// A run of steps, taken apart.
struct Split {
    steps: Range<usize>,
    early: Vec<usize>,
    /// For each chain its bytes and its steps.
    chains: Vec<(usize, Vec<usize>)>,
    late: Vec<usize>,
    /// Bytes outside the largest chain.
    gain: usize,
}

/// Where the value of a slot comes from in a run.
#[derive(Clone, Copy)]
enum Home {
    Early,
    Chain(usize),
    Late,
}

/// Steps as they are taken apart, one after the other.
#[derive(Default)]
struct Splitter {
    home: HashMap<Slot, Home, FixedState>,
    /// The chain that took a chain in, or itself.
    merged_into: Vec<usize>,
    bytes: Vec<usize>,
    place: Vec<(usize, Home)>,
    total: usize,
    /// The most that was gained, and how many steps that took.
    best: (usize, usize),
}

impl Split {
    /// The chains of the steps from the beginning of a window on, as far as more of them is gained.
    fn of(steps: &[Step], parts: &[Part], window: Range<usize>) -> Split {
        let mut splitter = Splitter::default();
        for at in window.clone() {
            if !splitter.add(at, &steps[at], parts[at]) {
                break;
            }
        }
        let (gain, n) = splitter.best;
        // Chains that were merged behind the best end would not be apart before it.
        let mut again = Splitter::default();
        let steps_in = window.start..window.start + n;
        for at in steps_in.clone() {
            again.add(at, &steps[at], parts[at]);
        }
        again.split(steps_in, gain)
    }

    /// The chains, of which the smallest share one until there are at most so many.
    fn chains(mut self, most: usize) -> ParallelChains {
        self.chains.sort_by_key(|(bytes, _)| Reverse(*bytes));
        let mut shared: Vec<(usize, Vec<usize>)> = Vec::new();
        for (bytes, steps) in self.chains {
            if shared.len() < most {
                shared.push((bytes, steps));
            } else if let Some(least) = shared.iter_mut().min_by_key(|(bytes, _)| *bytes) {
                least.0 += bytes;
                least.1.extend(steps);
            }
        }
        let mut chains: Vec<Vec<usize>> = shared.into_iter().map(|(_, steps)| steps).collect();
        chains.iter_mut().for_each(|chain| chain.sort_unstable());
        ParallelChains::new(self.steps, self.early, chains, self.late)
    }
}

impl Splitter {
    /// Says where a step belongs; false where it can be nowhere.
    fn add(&mut self, at: usize, step: &Step, part: Part) -> bool {
        let (ins, outs) = operands(step);
        let home = match part {
            Part::Read if ins.iter().any(|slot| self.is_made(*slot)) => return false,
            Part::Read => Home::Early,
            _ => self.kernel(&ins, part.bytes()),
        };
        self.home.extend(outs.iter().map(|&slot| (slot, home)));
        self.place.push((at, home));
        let gain = self.total - self.bytes.iter().max().copied().unwrap_or(0);
        if gain > self.best.0 {
            self.best = (gain, self.place.len());
        }
        true
    }

    fn is_made(&self, slot: Slot) -> bool {
        matches!(self.home.get(&slot), Some(Home::Chain(_) | Home::Late))
    }

    /// The chain of a kernel, or none where it depends on two that are worth being apart.
    fn kernel(&mut self, ins: &[Slot], bytes: usize) -> Home {
        let mut chains: Vec<usize> = Vec::new();
        for slot in ins {
            match self.home.get(slot) {
                Some(Home::Late) => return Home::Late,
                Some(Home::Chain(chain)) => chains.push(self.root(*chain)),
                Some(Home::Early) | None => {}
            }
        }
        chains.sort_unstable();
        chains.dedup();
        if chains
            .iter()
            .filter(|&&chain| self.bytes[chain] >= LEAST)
            .count()
            > 1
        {
            return Home::Late;
        }
        let first = chains.first().copied().unwrap_or_else(|| {
            self.merged_into.push(self.merged_into.len());
            self.bytes.push(0);
            self.merged_into.len() - 1
        });
        for &other in chains.iter().skip(1) {
            self.merged_into[other] = first;
            self.bytes[first] += std::mem::take(&mut self.bytes[other]);
        }
        self.bytes[first] += bytes;
        self.total += bytes;
        Home::Chain(first)
    }

    fn root(&self, mut chain: usize) -> usize {
        while self.merged_into[chain] != chain {
            chain = self.merged_into[chain];
        }
        chain
    }

    fn split(self, steps: Range<usize>, gain: usize) -> Split {
        let mut split = Split {
            steps,
            early: Vec::new(),
            chains: self
                .bytes
                .iter()
                .map(|&bytes| (bytes, Vec::new()))
                .collect(),
            late: Vec::new(),
            gain,
        };
        for &(at, home) in &self.place {
            match home {
                Home::Early => split.early.push(at),
                Home::Chain(chain) => split.chains[self.root(chain)].1.push(at),
                Home::Late => split.late.push(at),
            }
        }
        split.chains.retain(|(_, steps)| !steps.is_empty());
        split
    }
}
