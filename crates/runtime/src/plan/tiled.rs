//! A fused step: several steps as one, over the rows that their values have in common: a tile of rows goes through all
//! of them while it is in the cache. The kernels are those of the steps, bound anew to as many rows as a tile has.

use super::ALIGN;
use super::total::{Total, TotalStream};
use super::traversal::{BroadcastIndex, Chunk, Traversal};
use super::vectors::{Loaded, Order, Task, Vectors, Way};
use ferrograph_graph::{Kernel, Operands, SlotType};
use ferrograph_kernels::pool;
use ferrograph_kernels::stop::undisturbed;
use ferrograph_tensor::{Buffer, Error, Result, err};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::ops::Range;

/// Where a value of a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// In that input of the step; each row is so many bytes behind the one before.
    Input(usize, usize),
    /// In that input, at the row of so many bytes that the broadcast index gives.
    Broadcast(usize, usize, BroadcastIndex),
    /// In that input, from this byte on; rows are so many bytes behind one another.
    Slice(usize, usize, usize),
    /// In that output.
    Output(usize, usize),
    /// In that variable.
    Variable(usize, usize),
    /// In the memory of the thread, from this byte on.
    Scratch(usize),
}

/// What one of the fused steps reads and writes, by the numbers of the values.
#[derive(Clone)]
pub(crate) struct Member {
    pub ins: Box<[u32]>,
    pub outs: Box<[u32]>,
}

/// What a member does with a tile.
pub(crate) enum Work {
    Compute(Kernel),
    /// TotalStream that one of the totals with its input, of which a row has so many elements.
    Feed(usize, usize),
}

/// What the members do with tiles of so many rows, and what the values are then.
pub(crate) struct Binding {
    pub work: Vec<Work>,
    pub types: Vec<SlotType>,
}

/// Fused steps.
pub(crate) struct Tiled {
    /// How many rows there are.
    pub rows: usize,
    /// Rows of a tile.
    pub tile: usize,
    /// For whole tiles.
    pub whole: Binding,
    /// For tiles of fewer rows, which are as many wherever there are some.
    pub rest: Option<Binding>,
    pub members: Vec<Member>,
    /// Reductions of all rows, with the outputs that they are.
    pub totals: Vec<(Total, usize)>,
    /// In which order tiles are taken.
    pub traversal: Traversal,
    /// What is done with a tile by kernels alone.
    pub order: Order,
    /// What is done by vector code, where there may be some.
    pub vectors: Option<Vectors>,
    /// A rough cost of a row.
    pub row_ns: f64,
}

/// Where operands begin, for all threads.
struct Bases(Vec<*mut u8>);

// SAFETY: threads reach different rows of what is written, and what is read by all is written by none.
unsafe impl Sync for Bases {}

impl Tiled {
    /// The operations that vector code does, by their numbers, for each of its loops.
    pub fn in_vectors(&self) -> Box<[Box<[usize]>]> {
        self.vectors
            .as_ref()
            .map(Vectors::operations)
            .unwrap_or_default()
    }

    /// The kernel of the fused step.
    pub fn into_kernel(self) -> Kernel {
        Box::new(move |o| self.run(o, &[]))
    }

    /// Runs all tiles, with variables that are at these places.
    pub fn run(&self, o: &mut Operands<'_>, variables: &[*mut u8]) -> Result<()> {
        let base = |at: &At| match *at {
            At::Input(i, _) | At::Broadcast(i, ..) => o.input_bytes(i).as_ptr().cast_mut(),
            // SAFETY: the first element of a slice is one of its input.
            At::Slice(i, start, _) => unsafe { o.input_bytes(i).as_ptr().cast_mut().add(start) },
            At::Output(i, _) => o.output_bytes(i).as_mut_ptr(),
            At::Variable(i, _) => variables[i],
            At::Scratch(_) => std::ptr::null_mut(),
        };
        let vectors = self.vectors.as_ref();
        let way = vectors.and_then(Vectors::way).unwrap_or_else(|| Way {
            order: &self.order,
            loops: Vec::new(),
            bytes: self.order.scratch_bytes,
        });
        let bases = Bases(way.order.places.iter().map(base).collect());
        let n = self.traversal.chunks(self.rows, self.tile);
        let may_stop = variables.is_empty();
        if n == 1 && self.totals.is_empty() {
            let mut scratch = scratch(&way)?;
            let mut run = || self.chunks(0..1, &way, &bases, &[], &mut scratch);
            return if may_stop { run() } else { undisturbed(run) };
        }
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let spare = Mutex::new(scratch(&way)?);
        let mut running: Vec<_> = self.totals.iter().map(|(total, _)| total()).collect();
        let streams: Vec<_> = running.iter_mut().map(|total| total.streams()).collect();
        #[allow(clippy::cast_precision_loss)]
        let part_ns = self.row_ns * (self.tile * self.traversal.longest()) as f64;
        pool::par_chunks(n, part_ns, |chunks| {
            let run = || match scratch(&way) {
                Ok(mut scratch) => self.chunks(chunks, &way, &bases, &streams, &mut scratch),
                Err(_) => self.chunks(chunks, &way, &bases, &streams, &mut spare.lock()),
            };
            let done = if may_stop { run() } else { undisturbed(run) };
            if let Err(e) = done {
                failed.lock().get_or_insert(e);
            }
        });
        drop(streams);
        if let Some(e) = failed.into_inner() {
            return Err(e);
        }
        for (total, &(_, output)) in running.into_iter().zip(&self.totals) {
            total.finish(o, output);
        }
        Ok(())
    }

    /// Runs the tiles of consecutive chunks.
    fn chunks(
        &self,
        chunks: Range<usize>,
        way: &Way<'_>,
        bases: &Bases,
        streams: &[Box<dyn TotalStream + '_>],
        scratch: &mut Buffer,
    ) -> Result<()> {
        let scratch = scratch.as_mut_ptr();
        let scratch = scratch.ok_or_else(|| err!(Internal, "fresh memory cannot be written"))?;
        // SAFETY: bools are at the head of the scratch memory, to which nothing refers yet.
        unsafe { scratch.write_bytes(0, way.order.bool_bytes) };
        // SAFETY: the scratch memory has room for all frames.
        let prepare = |code: &Loaded<'_>| unsafe { code.prepare(scratch) };
        way.loops.iter().for_each(prepare);
        let mut pointers = bases.0.clone();
        let mut prepared = 0;
        let alone = way
            .alone()
            .filter(|_| self.traversal == Traversal::Along(1));
        let (tile, begin) = (self.tile, chunks.start);
        let whole = chunks.end.min(self.rows / tile) - begin.min(self.rows / tile);
        let mut done = 0;
        if let Some(code) = alone
            && whole > 1
        {
            self.place(way, bases, scratch, begin * tile, &mut pointers);
            let rows = (begin * tile, whole * tile);
            // SAFETY: the rows of these tiles follow one another.
            let summed = unsafe { code.sum(&pointers, rows, scratch, streams) };
            done = summed.map_or(0, |_| whole);
        }
        for at in begin + done..chunks.end {
            let chunk = self.traversal.chunk(at, self.rows, self.tile);
            for tile in self.tiles_of(chunk) {
                self.place(way, bases, scratch, tile.start, &mut pointers);
                let is_first = tile.len() > prepared;
                prepared = prepared.max(tile.len());
                let mut done: SmallVec<[usize; 4]> = SmallVec::new();
                for task in &way.order.tasks {
                    match *task {
                        Task::Member(member) if done.contains(&member) => {}
                        Task::Member(member) => {
                            self.member(member, &pointers, tile.clone(), streams)?;
                        }
                        // SAFETY: as for members; the scratch memory has room for all frames.
                        Task::Run(run) => unsafe {
                            let (code, n) = (&way.loops[run], tile.len());
                            match code.sum(&pointers, (tile.start, n), scratch, streams) {
                                Some(member) => done.push(member),
                                None => code.run(&pointers, n, scratch, is_first),
                            }
                        },
                    }
                }
            }
        }
        Ok(())
    }

    /// The rows of the tiles of a chunk.
    fn tiles_of(&self, chunk: Chunk) -> impl Iterator<Item = Range<usize>> {
        let n = self.rows;
        (0..chunk.count).map(move |i| {
            let first = chunk.first + i * chunk.step;
            first..n.min(first + chunk.rows)
        })
    }

    /// Says where the values of the tile from row `first` on are.
    fn place(
        &self,
        way: &Way<'_>,
        bases: &Bases,
        scratch: *mut u8,
        first: usize,
        pointers: &mut [*mut u8],
    ) {
        for ((at, &base), pointer) in way.order.places.iter().zip(&bases.0).zip(pointers) {
            // SAFETY: the row is within the operand, or the place within the scratch memory.
            *pointer = unsafe {
                match *at {
                    At::Input(_, row)
                    | At::Slice(_, _, row)
                    | At::Output(_, row)
                    | At::Variable(_, row) => base.add(first * row),
                    At::Broadcast(_, row, index) => base.add(index.row(first) * row),
                    At::Scratch(offset) => scratch.add(offset),
                }
            };
        }
    }

    /// Does what a member does with the tile of those rows.
    fn member(
        &self,
        at: usize,
        pointers: &[*mut u8],
        tile: Range<usize>,
        streams: &[Box<dyn TotalStream + '_>],
    ) -> Result<()> {
        let rest = self.rest.as_ref().filter(|_| tile.len() < self.tile);
        let binding = rest.unwrap_or(&self.whole);
        let member = &self.members[at];
        // SAFETY: values that are alive together have places of their own, with room for what the types say.
        let mut operands =
            unsafe { Operands::new(pointers, &binding.types, &member.ins, &member.outs) };
        match &binding.work[at] {
            Work::Compute(kernel) => kernel(&mut operands)?,
            // SAFETY: the tiles of a block, or those of a block that are below one another, are one chunk, which one
            // thread takes in its order.
            Work::Feed(total, width) => unsafe {
                streams[*total].feed(tile.start * width, &operands);
            },
        }
        Ok(())
    }
}

/// Memory for a thread.
fn scratch(way: &Way<'_>) -> Result<Buffer> {
    Buffer::new(way.bytes.max(ALIGN))
}
