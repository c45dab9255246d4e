//! Bytes of long files in large blocks, read ahead by a thread.

use ferrograph_tensor::{DType, Result, Shape, Tensor, bail};
use std::io::{ErrorKind, Read, Result as IoResult};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// What is read at once: the system copies most quickly what is long and begins at a multiple of its size.
pub(crate) const BLOCK: usize = 1 << 20;
/// The room in front of a block for what is left of the one before.
pub(crate) const ROOM: usize = 256 << 10;
/// How many blocks are read before the file counts as long.
const N_ALONE: usize = 4;
/// How many blocks wait to be taken.
const N_WAITING: usize = 2;

/// Memory to read to, recycled as that of tensors is; it begins at a multiple of 64 bytes.
#[derive(Debug)]
pub struct Block(Option<Tensor>);

impl Block {
    /// No memory.
    pub(crate) const EMPTY: Block = Block(None);

    /// A block with arbitrary contents.
    pub(crate) fn new(size: usize) -> Result<Block> {
        let tensor = Tensor::empty(DType::UInt8, Shape::new(&[size]))?;
        Ok(Block(Some(tensor)))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], Tensor::bytes)
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        (self.0.as_mut().and_then(Tensor::bytes_mut)).unwrap_or_default()
    }
}

/// What records are read from: anything that can be read, or a file that a thread reads ahead.
pub trait Source {
    /// Reads what comes next, as [`Read::read`] does.
    ///
    /// # Errors
    /// Those of the system.
    fn read_some(&mut self, to: &mut [u8]) -> IoResult<usize>;

    /// What comes next where it was read ahead: a block, and how many bytes stand in it behind the room in front; none
    /// at the end.
    ///
    /// # Errors
    /// Those of the system; `FailedPrecondition` in a process that does not have the thread.
    fn next_block(&mut self) -> Result<Option<IoResult<(Block, usize)>>> {
        Ok(None)
    }
}

impl<R: Read> Source for R {
    fn read_some(&mut self, to: &mut [u8]) -> IoResult<usize> {
        self.read(to)
    }
}

/// What a thread takes and drops shared memory within, where a host has something around it.
pub type Passage = fn(&mut dyn FnMut());

/// Bytes that a thread reads ahead where they are many.
pub struct Ahead {
    from: From,
    passage: Passage,
    /// How many blocks were asked for.
    n_blocks: usize,
    /// How many such threads there may be.
    most: usize,
}

enum From {
    Here(Box<dyn Read + Send>),
    Thread {
        blocks: Option<Receiver<IoResult<(Block, usize)>>>,
        /// The process that the thread is in.
        process: u32,
    },
}

/// How many threads read ahead.
static N_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread that reads ahead, until it ends.
struct Counted;

impl Counted {
    /// One of `most` threads.
    fn begin(most: usize) -> Option<Counted> {
        let counted = (N_THREADS.fetch_add(1, Ordering::Relaxed) < most).then_some(Counted);
        if counted.is_none() {
            N_THREADS.fetch_sub(1, Ordering::Relaxed);
        }
        counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        N_THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Ahead {
    /// Bytes that a thread reads ahead, where they are many and no more than `most` threads are at such work.
    pub fn new(from: Box<dyn Read + Send>, most: usize, passage: Passage) -> Ahead {
        Ahead {
            from: From::Here(from),
            passage,
            n_blocks: 0,
            most,
        }
    }

    /// Lets a thread read on, where there may be one more.
    fn start(&mut self) {
        let From::Here(from) = &mut self.from else {
            return;
        };
        let Some(counted) = Counted::begin(self.most) else {
            return;
        };
        let (give, blocks) = sync_channel(N_WAITING);
        let (hand_over, handed_over) = sync_channel::<Box<dyn Read + Send>>(1);
        let passage = self.passage;
        let worker = thread::Builder::new().name("ferrograph-files".into());
        let started = worker.spawn(move || {
            let _counted = counted;
            if let Ok(from) = handed_over.recv() {
                read_on(from, &give, passage);
            }
        });
        // Where no thread starts it is read here, as before.
        if started.is_ok() {
            let from = std::mem::replace(from, Box::new(std::io::empty()));
            // The thread waits for it.
            let _ = hand_over.send(from);
            self.from = From::Thread {
                blocks: Some(blocks),
                process: std::process::id(),
            };
        }
    }
}

/// Reads blocks until the end, an error, or until nobody wants more.
fn read_on(
    mut from: Box<dyn Read + Send>,
    give: &SyncSender<IoResult<(Block, usize)>>,
    passage: Passage,
) {
    let mut is_over = false;
    while !is_over {
        let mut block = None;
        passage(&mut || block = Block::new(ROOM + BLOCK).ok());
        let (n, end) = match &mut block {
            Some(block) => fill(&mut *from, &mut block.bytes_mut()[ROOM..]),
            None => (0, Some(Err(ErrorKind::OutOfMemory.into()))),
        };
        is_over = end.is_some();
        if n > 0 {
            let sent = block
                .take()
                .map_or(Ok(()), |block| give.send(Ok((block, n))));
            if let Err(unsent) = sent {
                is_over = true;
                let mut unsent = Some(unsent);
                passage(&mut || drop(unsent.take()));
            }
        }
        passage(&mut || drop(block.take()));
        if let Some(Err(e)) = end {
            // Where nobody wants more nobody hears of it.
            let _ = give.send(Err(e));
        }
    }
}

/// Reads until all is full, the end or an error; how much was read, and the end or the error that came then.
fn fill(from: &mut dyn Read, to: &mut [u8]) -> (usize, Option<IoResult<()>>) {
    let mut n = 0;
    while n < to.len() {
        match from.read(&mut to[n..]) {
            Ok(0) => return (n, Some(Ok(()))),
            Ok(more) => n += more,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return (n, Some(Err(e))),
        }
    }
    (n, None)
}

impl Source for Ahead {
    fn read_some(&mut self, to: &mut [u8]) -> IoResult<usize> {
        match &mut self.from {
            From::Here(from) => from.read(to),
            From::Thread { .. } => Ok(0),
        }
    }

    fn next_block(&mut self) -> Result<Option<IoResult<(Block, usize)>>> {
        self.n_blocks += 1;
        if self.n_blocks == N_ALONE + 1 {
            self.start();
        }
        match &self.from {
            From::Here(_) => Ok(None),
            From::Thread { process, .. } if *process != std::process::id() => bail!(
                FailedPrecondition,
                "the thread that reads ahead stayed in the process that was forked: begin another iteration here"
            ),
            // A thread that ended came to the end, or gave an error before.
            From::Thread { blocks, .. } => {
                let block = blocks.as_ref().and_then(|blocks| blocks.recv().ok());
                Ok(Some(block.unwrap_or(Ok((Block::EMPTY, 0)))))
            }
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let From::Thread { blocks, process } = &mut self.from
            && *process != std::process::id()
        {
            // The thread that a forked process does not have may have held a lock of the channel.
            std::mem::forget(blocks.take());
        }
    }
}
