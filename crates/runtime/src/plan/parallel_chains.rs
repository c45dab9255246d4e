//! Inter-op parallelism: runs of steps of which those that do not depend on one another run at once, over the pool.
//!
//! Steps of chains are kernels alone: they read the pointers of the frame and write each other's operands nowhere, so
//! that the frame itself stays as it is while they run. What they allocate is there before, what they drop goes
//! afterwards.

use super::{Action, Block, Frame, Plan, Step};
use ferrograph_graph::{Operands, verifies};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Error, Result};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds below which steps are not tried at once.
const WORTH: u64 = 40_000;

/// Runs that are measured of each way at first.
const TRIES: u32 = 4;

/// Every so many runs there is another try of the other way, for the machine may have been busy.
const AGAIN: u32 = 256;

/// A run of steps of a block. Each of them is in one of the lists, by its place in the block.
pub(crate) struct ParallelChains {
    pub steps: Range<usize>,
    /// Reads of variables, which come before all else.
    pub early: Box<[usize]>,
    /// What runs at once, each chain in program order.
    pub chains: Box<[Box<[usize]>]>,
    /// What depends on several chains, and what follows from it.
    pub late: Box<[usize]>,
    pace: Pace,
}

/// Which way was faster.
#[derive(Default)]
struct Pace {
    runs: AtomicU32,
    /// The least nanoseconds of a run step by step, and of one at once.
    in_order: AtomicU64,
    at_once: AtomicU64,
}

/// How to run, and whether to measure it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    InOrder(bool),
    AtOnce(bool),
}

impl Pace {
    fn new() -> Pace {
        Pace {
            runs: AtomicU32::new(0),
            in_order: AtomicU64::new(u64::MAX),
            at_once: AtomicU64::new(u64::MAX),
        }
    }

    fn way(&self) -> Way {
        let runs = self.runs.fetch_add(1, Ordering::Relaxed);
        let in_order = self.in_order.load(Ordering::Relaxed);
        let again = runs.is_multiple_of(AGAIN);
        match runs {
            _ if runs < TRIES => Way::InOrder(true),
            _ if in_order < WORTH => Way::InOrder(false),
            _ if runs < 2 * TRIES => Way::AtOnce(true),
            _ if self.at_once.load(Ordering::Relaxed) < in_order / 10 * 9 => match again {
                true => Way::InOrder(true),
                false => Way::AtOnce(false),
            },
            _ if again => Way::AtOnce(true),
            _ => Way::InOrder(false),
        }
    }

    fn took(&self, way: Way, nanos: u128) {
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        match way {
            Way::InOrder(_) => self.in_order.fetch_min(nanos, Ordering::Relaxed),
            Way::AtOnce(_) => self.at_once.fetch_min(nanos, Ordering::Relaxed),
        };
    }
}

/// The pointers of a frame, for all threads.
struct Pointers<'a>(&'a [*mut u8]);

// SAFETY: chains write different slots and read none that another chain writes; the pointers themselves are only read.
unsafe impl Sync for Pointers<'_> {}

impl ParallelChains {
    pub fn new(
        steps: Range<usize>,
        early: Vec<usize>,
        chains: Vec<Vec<usize>>,
        late: Vec<usize>,
    ) -> ParallelChains {
        ParallelChains {
            steps,
            early: early.into(),
            chains: chains.into_iter().map(Into::into).collect(),
            late: late.into(),
            pace: Pace::new(),
        }
    }
}

impl Plan {
    /// Steps of a block, at once where they are in chains and that is faster.
    pub(super) fn run_span(
        &self,
        block: &Block,
        span: Range<usize>,
        frame: &mut Frame,
    ) -> Result<()> {
        let mut at = span.start;
        let inside = |chains: &&ParallelChains| {
            span.start <= chains.steps.start && chains.steps.end <= span.end
        };
        for chains in block.chains.iter().filter(inside) {
            self.run_range(&block.steps[at..chains.steps.start], frame)?;
            self.run_chains(block, chains, frame)?;
            at = chains.steps.end;
        }
        self.run_range(&block.steps[at..span.end], frame)
    }

    fn run_chains(&self, block: &Block, chains: &ParallelChains, frame: &mut Frame) -> Result<()> {
        let in_order =
            |frame: &mut Frame| self.run_range(&block.steps[chains.steps.clone()], frame);
        if frame.is_recorded {
            return in_order(frame);
        }
        if verifies() {
            return self.run_at_once(block, chains, frame);
        }
        let way = chains.pace.way();
        let begin = Instant::now();
        match way {
            Way::InOrder(_) => in_order(frame)?,
            Way::AtOnce(_) => self.run_at_once(block, chains, frame)?,
        }
        if matches!(way, Way::InOrder(true) | Way::AtOnce(true)) {
            chains.pace.took(way, begin.elapsed().as_nanos());
        }
        Ok(())
    }

    /// Runs what is early, then all chains at once, then what is late. The error is that of the first step that fails
    /// in program order.
    pub(super) fn run_at_once(
        &self,
        block: &Block,
        chains: &ParallelChains,
        frame: &mut Frame,
    ) -> Result<()> {
        let steps = &block.steps[..];
        let mut failed = None;
        for &at in &chains.early {
            if let Err(e) = self.run_step(&steps[at].action, frame) {
                failed = Some((at, e));
                break;
            }
        }
        let end = failed.as_ref().map_or(chains.steps.end, |(at, _)| *at);
        if let Err(other) = self.run_kernels(steps, chains, end, frame) {
            failed = Some(other);
        }
        match failed {
            Some((at, e)) => Err(self.located(e, steps[at].site)),
            None => {
                let steps = &steps[chains.steps.clone()];
                steps.iter().for_each(|step| frame.drop_all(&step.drops));
                Ok(())
            }
        }
    }

    /// Runs the kernels of chains and what is late, of the steps before `end`.
    fn run_kernels(
        &self,
        steps: &[Step],
        chains: &ParallelChains,
        end: usize,
        frame: &mut Frame,
    ) -> std::result::Result<(), (usize, Error)> {
        let before = |at: &&usize| **at < end;
        for &at in chains.chains.iter().flatten().filter(before) {
            if let Action::Kernel(bound) = &steps[at].action {
                frame.allocate(&bound.fresh).map_err(|e| (at, e))?;
            }
        }
        let failed = self.run_each_chain(steps, chains, end, frame);
        let end = failed.as_ref().map_or(end, |(at, _)| *at);
        for &at in chains.late.iter().filter(|at| **at < end) {
            self.run_step(&steps[at].action, frame)
                .map_err(|e| (at, e))?;
        }
        failed.map_or(Ok(()), Err)
    }

    /// Runs all chains at once, as far as the steps before `end`; the first step of them that fails, with its error.
    fn run_each_chain(
        &self,
        steps: &[Step],
        chains: &ParallelChains,
        end: usize,
        frame: &Frame,
    ) -> Option<(usize, Error)> {
        let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        let pointers = Pointers(&frame.pointers);
        let pointers = &pointers;
        pool::par_tasks(chains.chains.len(), &|chain| {
            for &at in chains.chains[chain].iter().take_while(|at| **at < end) {
                if let Err(e) = self.run_kernel(&steps[at].action, pointers) {
                    let mut failed = failed.lock();
                    if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                        *failed = Some((at, e));
                    }
                    return;
                }
            }
        });
        failed.into_inner()
    }

    fn run_kernel(&self, action: &Action, pointers: &Pointers<'_>) -> Result<()> {
        let Action::Kernel(bound) = action else {
            return Err(ferrograph_tensor::err!(
                Internal,
                "a parallel chain has a step that is no kernel"
            ));
        };
        // SAFETY: values that are alive together are apart, also while chains run at once; the outputs are there.
        let mut operands =
            unsafe { Operands::new(pointers.0, &self.types, &bound.ins, &bound.outs) };
        (bound.kernel)(&mut operands)
    }
}

#[cfg(test)]
mod tests;
