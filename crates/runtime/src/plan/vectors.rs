//! Vector code of fused steps: runs of members as loops that take each element through all of them.

use super::repeated::Rows;
use super::tiled::At;
use super::total::TotalStream;
use ferrograph_machine::vector::{Loop, Program, Width};
use smallvec::SmallVec;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Elements that a step reads and makes for which loops are made at its first run.
const MANY: usize = 32 << 10;

/// The run of a step at which loops are made for fewer elements.
const LATER: u32 = 3;

/// Elements that a step reads and makes for which vectors are as wide as the machine has them: few fill no wide one.
const WIDE: usize = 4 << 10;

/// Members that become one loop.
pub(crate) struct Run {
    /// What is done to each element.
    pub program: Program,
    /// The values that its pointers point to.
    pub values: Box<[u32]>,
    /// Elements of a row.
    pub width: usize,
    /// How the rows of a tile are taken.
    pub rows: Rows,
    /// The operations that the members do, by their numbers in the fused step.
    pub operations: Box<[usize]>,
    /// The members and a total that is fed what they make, as one.
    pub summed: Option<Summed>,
}

/// A run that adds what it makes to a total, where each tile is of so many elements that it can.
pub(crate) struct Summed {
    /// As the run's; its last pointer is to the sums of blocks of the total.
    pub program: Program,
    pub values: Box<[u32]>,
    /// The member that feeds the total otherwise.
    pub member: usize,
    /// The total, by its number.
    pub total: usize,
    /// Whether the rows of all that it reads and writes follow one another, or are one for all.
    pub follows: bool,
}

/// One thing to do with a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// What that member does.
    Member(usize),
    /// What that run does.
    Run(usize),
}

/// What is done with a tile, and where values are meanwhile.
pub(crate) struct Order {
    pub tasks: Vec<Task>,
    /// The place of each value that is somewhere.
    pub places: Vec<At>,
    pub scratch_bytes: usize,
    /// The head of the scratch memory, in which bools are.
    pub bool_bytes: usize,
}

/// The order of tasks with vector code.
pub(crate) struct Vectors {
    order: Order,
    runs: Vec<Run>,
    /// Elements that a run of the step reads and makes.
    elements: usize,
    calls: AtomicU32,
    loops: OnceLock<Vec<Code>>,
}

/// The loop of a run, and the one that also sums, where there is one.
struct Code {
    plain: Loop,
    summing: Option<Loop>,
}

impl Vectors {
    pub fn new(order: Order, runs: Vec<Run>, elements: usize) -> Vectors {
        Vectors {
            order,
            runs,
            elements,
            calls: AtomicU32::new(0),
            loops: OnceLock::new(),
        }
    }

    /// For each run the operations that it takes in.
    pub fn operations(&self) -> Box<[Box<[usize]>]> {
        self.runs.iter().map(|run| run.operations.clone()).collect()
    }

    /// How a run of the step goes by vector code; none where the system or the machine refuses it, and for few elements
    /// as long as the step did not run often.
    pub fn way(&self) -> Option<Way<'_>> {
        let is_worth =
            || self.elements >= MANY || self.calls.fetch_add(1, Ordering::Relaxed) + 1 >= LATER;
        if self.loops.get().is_none() && !is_worth() {
            return None;
        }
        let width = match self.elements {
            WIDE.. => Width::Wide,
            _ => Width::Narrow,
        };
        let loops = self.loops.get_or_init(|| {
            let codes = self.runs.iter().map(|run| {
                let summing = run.summed.as_ref();
                Loop::compile(&run.program, width).map(|plain| Code {
                    plain,
                    summing: summing.and_then(|s| Loop::compile(&s.program, width).ok()),
                })
            });
            codes.collect::<Result<_, _>>().unwrap_or_default()
        });
        if loops.is_empty() {
            return None;
        }
        let mut bytes = self.order.scratch_bytes.next_multiple_of(super::ALIGN);
        let mut loaded = Vec::with_capacity(loops.len());
        let mut room = |n: usize| {
            let at = bytes;
            bytes = (bytes + n).next_multiple_of(super::ALIGN);
            at
        };
        for (run, code) in self.runs.iter().zip(loops) {
            let repeated = run.rows.repeated().map(|(_, r)| r.room()).sum::<usize>();
            let frame = code.plain.frame_bytes().next_multiple_of(super::ALIGN);
            let (plain, summing) = (&code.plain, code.summing.as_ref());
            loaded.push(Loaded {
                run,
                code: plain,
                frame: room(frame + repeated),
                summing: run
                    .summed
                    .as_ref()
                    .zip(summing)
                    .map(|(summed, code)| Summing {
                        summed,
                        code,
                        frame: room(code.frame_bytes()),
                    }),
            });
        }
        Some(Way {
            order: &self.order,
            loops: loaded,
            bytes,
        })
    }
}

/// How a run of a step goes.
pub(crate) struct Way<'a> {
    pub order: &'a Order,
    pub loops: Vec<Loaded<'a>>,
    /// Bytes of memory that each thread needs.
    pub bytes: usize,
}

impl Way<'_> {
    /// The loop that does all there is to do, where that sums what it makes and may take any number of rows.
    pub fn alone(&self) -> Option<&Loaded<'_>> {
        let [Task::Run(run), Task::Member(member)] = self.order.tasks[..] else {
            return None;
        };
        let is_all =
            |summing: &Summing<'_>| summing.summed.member == member && summing.summed.follows;
        let code = &self.loops[run];
        code.summing.as_ref().is_some_and(is_all).then_some(code)
    }
}

/// A loop with the place of its frame in the memory of a thread.
pub(crate) struct Loaded<'a> {
    run: &'a Run,
    code: &'a Loop,
    frame: usize,
    summing: Option<Summing<'a>>,
}

/// A loop that sums, with the place of its frame.
struct Summing<'a> {
    summed: &'a Summed,
    code: &'a Loop,
    frame: usize,
}

impl Loaded<'_> {
    /// Makes the memory of a thread ready.
    ///
    /// # Safety
    /// It has room for frames, which only these write from here on.
    pub unsafe fn prepare(&self, scratch: *mut u8) {
        // SAFETY: promised by the caller.
        unsafe {
            self.code.prepare(scratch.add(self.frame));
            if let Some(summing) = &self.summing {
                summing.code.prepare(scratch.add(summing.frame));
            }
        }
    }

    /// Takes so many rows, the first of which is that one, through the loop and adds what it makes to the total, where they
    /// are whole turns of it and blocks of the total; says which member need not run then.
    ///
    /// # Safety
    /// As [`Loaded::run`] and [`TotalStream::feed`].
    pub unsafe fn sum(
        &self,
        values: &[*mut u8],
        (first, rows): (usize, usize),
        scratch: *mut u8,
        streams: &[Box<dyn TotalStream + '_>],
    ) -> Option<usize> {
        let Summing {
            summed,
            code,
            frame,
        } = self.summing.as_ref()?;
        let width = self.run.width;
        let n = rows * width;
        if !n.is_multiple_of(code.unit()) {
            return None;
        }
        let sums = streams[summed.total].sums(first * width, n)?;
        let pointers = summed.values.iter().map(|&value| values[value as usize]);
        let pointers: SmallVec<[*mut u8; 16]> = pointers.chain([sums]).collect();
        // SAFETY: promised by the caller; the total has these sums.
        unsafe { code.run(&pointers, n, scratch.add(*frame)) };
        Some(summed.member)
    }

    /// Takes so many rows through the loop; whether they are the first with this memory.
    ///
    /// # Safety
    /// As the kernels of the members: the values are at these pointers; the memory of the thread is
    /// [ready](Loaded::prepare) and has room for what is written out, which only this writes after the first rows.
    pub unsafe fn run(&self, values: &[*mut u8], rows: usize, scratch: *mut u8, is_first: bool) {
        let pointers = self.run.values.iter().map(|&value| values[value as usize]);
        let mut pointers: SmallVec<[*mut u8; 16]> = pointers.collect();
        let width = self.run.width;
        // SAFETY: promised by the caller.
        unsafe {
            let frame = scratch.add(self.frame);
            match &self.run.rows {
                Rows::AsOne => self.code.run(&pointers, rows * width, frame),
                Rows::OneByOne(steps) => {
                    self.code.run_rows(&mut pointers, steps, rows, width, frame);
                }
                Rows::Together(together) => {
                    let behind = self.code.frame_bytes().next_multiple_of(super::ALIGN);
                    for (at, repeated) in self.run.rows.repeated() {
                        let to = frame.add(behind + at);
                        let from = std::mem::replace(&mut pointers[repeated.pointer], to);
                        if is_first || repeated.changes {
                            repeated.write(from, to, rows, width);
                        }
                    }
                    let (steps, count) = (&together.steps, together.count);
                    let code = self.code;
                    code.run_rows(&mut pointers, steps, rows / count, count * width, frame);
                    let rest = rows % count;
                    if rest > 0 {
                        code.run(&pointers, rest * width, frame);
                    }
                }
            }
        }
    }
}
