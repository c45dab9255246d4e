//! Parts of a block that run as machine code, once they are worth it.

use super::{Action, Block, Frame, Loop, Move, Plan, Slot, Step};
use ferrograph_machine::{ASK, Code, Program};
use ferrograph_ops::{TensorList, Watch, empty_records};
use ferrograph_tensor::{DType, Error, Result, Shape, err};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Instant;

/// When what machine code can do is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tier {
    /// Once it has run for a while.
    #[default]
    Warm,
    /// With the plan.
    AtOnce,
    /// Not at all.
    Never,
}

/// Nanoseconds that a part runs step by step before it is compiled.
const WARM: u64 = 300_000;

/// Nanoseconds that a step takes, where that is not measured.
const STEP: u64 = 15;

/// What machine code can do of a block.
#[derive(Default)]
pub(crate) struct Native {
    /// Runs of steps, in order.
    pub parts: Vec<Part>,
    /// The loops among the other steps, and why each stays as it is.
    pub refused: Vec<(usize, String)>,
}

/// A run of steps that can run as machine code.
pub(crate) struct Part {
    pub steps: Range<usize>,
    pub program: Program,
    /// What the code asks its host for, by number.
    pub hosts: Vec<HostCall>,
    /// Slots that the code writes and that are tensors of their own.
    pub fresh: Box<[(Slot, DType, Shape)]>,
    /// Tensors that nothing needs behind it.
    pub drops: Box<[Slot]>,
    /// Whether there is a loop in it, so that its time is measured.
    pub loops: bool,
    code: OnceLock<Option<Code>>,
    spent: AtomicU64,
}

/// What code leaves to the plan.
pub(crate) struct HostCall {
    pub what: HostWork,
    /// The way to the step: its place in the part's block, then for each block it is in, which side of the step around
    /// and the place there.
    pub path: Path,
    /// Tensors that nothing needs after it.
    pub drops: Box<[Slot]>,
}

pub(crate) type Path = SmallVec<[u32; 5]>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostWork {
    /// To run the step.
    Run,
    /// To carry out a move of a block of the step: which side, and which move.
    Move(u32, usize),
    /// To drop tensors, and nothing else.
    Drop,
    /// To begin the records of a loop.
    Begin,
    /// To record an iteration.
    Record,
    /// To hand the records out.
    End,
}

/// Tells people something.
type Tell = fn(&str);

static TELL: OnceLock<Tell> = OnceLock::new();
static TOLD: Once = Once::new();

/// Sets, once, how people learn that there is no machine code.
pub fn set_warning(tell: Tell) {
    // A second call keeps the first: there is one host language.
    let _ = TELL.set(tell);
}

/// Says, once, why plans run step by step.
fn refused(why: &str) {
    TOLD.call_once(|| {
        if let Some(tell) = TELL.get() {
            tell(&format!(
                "no machine code is made, functions run step by step: {why}"
            ));
        }
    });
}

impl Part {
    pub fn new(
        steps: Range<usize>,
        program: Program,
        hosts: Vec<HostCall>,
        fresh: Box<[(Slot, DType, Shape)]>,
        drops: Box<[Slot]>,
        loops: bool,
    ) -> Part {
        Part {
            steps,
            program,
            hosts,
            fresh,
            drops,
            loops,
            code: OnceLock::new(),
            spent: AtomicU64::new(0),
        }
    }

    /// The machine code, made now where there is none yet; nothing where the system gives no memory for code.
    pub fn compile(&self) -> Option<&Code> {
        let made = self
            .code
            .get_or_init(|| match Code::compile(&self.program) {
                Ok(code) => Some(code),
                Err(e) => {
                    refused(&e.to_string());
                    None
                }
            });
        made.as_ref()
    }

    fn code(&self) -> Option<&Code> {
        self.code.get()?.as_ref()
    }

    /// Says that it ran step by step, in so many nanoseconds.
    fn ran(&self, time: u64) {
        let spent = self.spent.fetch_add(time, Ordering::Relaxed) + time;
        if spent >= WARM {
            self.compile();
        }
    }
}

impl Plan {
    /// Compiles all that can be machine code.
    pub(crate) fn compile_parts(&self) {
        compile_block(&self.block);
    }

    /// The steps of a block, in which parts may run as machine code.
    pub(super) fn run_parts(
        &self,
        block: &Block,
        native: &Native,
        frame: &mut Frame,
    ) -> Result<()> {
        let mut at = 0;
        for part in &native.parts {
            self.run_span(block, at..part.steps.start, frame)?;
            match part.code() {
                Some(code) if frame.is_recorded => {
                    self.in_recorded_part(block, part, || self.run_code(block, part, code, frame))?
                }
                Some(code) => self.run_code(block, part, code, frame)?,
                None => self.run_cold(block, part, frame)?,
            }
            at = part.steps.end;
        }
        self.run_span(block, at..block.steps.len(), frame)
    }

    fn run_cold(&self, block: &Block, part: &Part, frame: &mut Frame) -> Result<()> {
        let steps = &block.steps[part.steps.clone()];
        if !part.loops {
            self.run_range(steps, frame)?;
            part.ran(STEP * steps.len() as u64);
            return Ok(());
        }
        let begin = Instant::now();
        self.run_range(steps, frame)?;
        part.ran(begin.elapsed().as_nanos() as u64);
        Ok(())
    }

    fn run_code(&self, block: &Block, part: &Part, code: &Code, frame: &mut Frame) -> Result<()> {
        frame.allocate(&part.fresh)?;
        let pointers = frame.pointers.as_ptr();
        let mut run = HostRun {
            plan: self,
            block,
            part,
            frame,
            watch: None,
            recording: Vec::new(),
        };
        let mut failure = None;
        let mut host = |number| match run.answer(number) {
            Ok(()) => true,
            Err(e) => {
                failure = Some(e);
                false
            }
        };
        // SAFETY: the program names slots of this plan that hold elements of its types while their steps run: those it
        // reads first hold values when the part is entered, the others are in the slab or are fresh tensors.
        let ended = unsafe { code.run(pointers, &mut host) };
        if !ended {
            let e = failure.unwrap_or_else(|| err!(Internal, "machine code stopped by itself"));
            return Err(self.located(e, block.steps[part.steps.start].site));
        }
        frame.drop_all(&part.drops);
        Ok(())
    }
}

fn compile_block(block: &Block) {
    let Some(native) = &block.native else { return };
    for part in &native.parts {
        part.compile();
    }
    for (at, _) in &native.refused {
        if let Action::While(repeat) = &block.steps[*at].action {
            compile_block(&repeat.cond_block);
            compile_block(&repeat.body);
        }
    }
}

/// The plan as the host of machine code.
struct HostRun<'a> {
    plan: &'a Plan,
    block: &'a Block,
    part: &'a Part,
    frame: &'a mut Frame,
    watch: Option<Watch>,
    /// What loops around record, and how many iterations they did.
    recording: Vec<(Vec<TensorList>, i32)>,
}

impl HostRun<'_> {
    fn answer(&mut self, number: u32) -> Result<()> {
        if number == ASK {
            return self.watch.get_or_insert_with(Watch::start).tick();
        }
        let call = &self.part.hosts[number as usize];
        let step = found(self.block, &call.path)?;
        let located = |e: Error| self.plan.located(e, step.site);
        match (call.what, &step.action) {
            (HostWork::Run, action) => self.plan.run_step(action, self.frame).map_err(located),
            (HostWork::Move(side, at), action) => {
                let moves = moves(action, side)?;
                self.frame.apply(self.plan, &moves[at..=at])
            }
            (HostWork::Drop, _) => Ok(()),
            (HostWork::Begin, Action::While(repeat)) => self.begin(repeat),
            (HostWork::Record, Action::While(repeat)) => self.record(repeat),
            (HostWork::End, Action::While(repeat)) => self.end(repeat),
            _ => Err(err!(Internal, "only loops record")),
        }?;
        self.frame.drop_all(&call.drops);
        Ok(())
    }

    fn begin(&mut self, repeat: &Loop) -> Result<()> {
        let specs = repeat.recorded.as_ref().map_or(&[][..], |(specs, _)| specs);
        self.recording.push((empty_records(specs)?, 0));
        Ok(())
    }

    fn record(&mut self, repeat: &Loop) -> Result<()> {
        let (lists, n) = self.recording.last_mut().ok_or_else(not_recording)?;
        *n = n.saturating_add(1);
        for (list, record) in lists.iter_mut().zip(&repeat.body.records) {
            self.plan.record(record, list, self.frame)?;
        }
        Ok(())
    }

    fn end(&mut self, repeat: &Loop) -> Result<()> {
        let (lists, n) = self.recording.pop().ok_or_else(not_recording)?;
        self.plan.hand_out(repeat, n, lists, self.frame)
    }
}

fn not_recording() -> Error {
    err!(Internal, "a loop records before it begins")
}

/// The side of a loop that leads into it.
pub(crate) const ENTRY: u32 = 2;

/// The block on a side of a step.
fn side(action: &Action, side: u32) -> Result<&Block> {
    match action {
        Action::If(branch) if side == 0 => Ok(&branch.then_block),
        Action::If(branch) => Ok(&branch.else_block),
        Action::While(repeat) if side == 0 => Ok(&repeat.cond_block),
        Action::While(repeat) => Ok(&repeat.body),
        _ => Err(err!(Internal, "there is no block on the way to a step")),
    }
}

fn moves(action: &Action, of: u32) -> Result<&[Move]> {
    match action {
        Action::While(repeat) if of == ENTRY => Ok(&repeat.entry),
        action => side(action, of).map(|block| &block.moves[..]),
    }
}

/// The step at the end of a path.
fn found<'a>(block: &'a Block, path: &[u32]) -> Result<&'a Step> {
    let mut step = block.steps.get(path[0] as usize);
    for way in path[1..].chunks_exact(2) {
        let around = step.ok_or_else(|| err!(Internal, "a way leads past a step"))?;
        step = side(&around.action, way[0])?.steps.get(way[1] as usize);
    }
    step.ok_or_else(|| err!(Internal, "there is no step at the end of the way"))
}
