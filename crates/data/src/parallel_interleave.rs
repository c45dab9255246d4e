//! Datasets of datasets by turns, several of which compute elements at a time.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::interleave::{Interleave, Places};
use crate::op::{Maker, datasets, positive};
use crate::parallel::{in_order, parallel_calls};
use crate::worker::caught;
use crate::worker_pool::{RunJob, WorkerPool};
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{ErrorKind, Result, Tensor};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

datasets! {
    trait EmitParallelInterleave;

    /// As `InterleaveDataset`, with up to `num_parallel_calls` of the datasets (-1: as many as serve the machine) computing
    /// elements before they are asked for, as far as theirs commute; `f` is called for one element after the other.
    ParallelInterleaveDatasetV4: parallel_interleave_dataset(
        input_dataset: variant, cycle_length: int64, block_length: int64, num_parallel_calls: int64,
        other_arguments: [Targuments],
    ) {
        /// Gives a dataset for an element and what it captured.
        f: Arc<Graph>,
        /// As that of `ParallelMapDatasetV2`. Elements that need not keep their order keep it all the same.
        deterministic: String = "default".to_owned(),
    };
}

impl Maker for ParallelInterleaveDatasetV4 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let interleave = Interleave {
            input: dataset_of(&inputs[0])?,
            cycle: positive(&inputs[1], "cycle_length")?,
            block: positive(&inputs[2], "block_length")?,
            function: Function::new(&self.f, &inputs[4..]),
        };
        Ok(match parallel_calls(&inputs[3])? {
            1 => Arc::new(interleave),
            calls => Arc::new(Parallel { interleave, calls }),
        })
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.f]
    }
    fn check(&self) -> Result<()> {
        in_order(&self.deterministic).map(drop)
    }
}

#[derive(Debug)]
struct Parallel {
    interleave: Interleave,
    calls: usize,
}

impl Dataset for Parallel {
    fn inputs(&self) -> Vec<&DatasetRef> {
        self.interleave.inputs()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let of = &self.interleave;
        let ahead = self.calls.min(of.cycle);
        let block = of.block;
        let opened = Opened {
            input: Some(of.input.clone().open()?),
            function: of.function.caller(),
            workers: WorkerPool::new(ahead, move || computing(block)),
            ahead: VecDeque::new(),
            n_ahead: ahead,
        };
        Ok(Box::new(Cycle {
            places: Places::new(of.cycle, of.block),
            opened,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.interleave.cardinality()
    }
}

/// Computes a run of elements of a dataset, and gives both back.
fn computing(block: usize) -> RunJob<BoxedElements, Run> {
    Box::new(move |mut elements| {
        let mut found = VecDeque::new();
        let begin = Instant::now();
        while found.len() < block || (found.len() < LONGEST_RUN && begin.elapsed() < SHORT) {
            let element = caught(|| elements.next(&PlanRunner));
            let goes_on = matches!(element, Ok(Some(_)));
            found.push_back(element);
            if !goes_on {
                break;
            }
        }
        Run { elements, found }
    })
}

/// Elements that are quick to compute are computed this many at a time,
const LONGEST_RUN: usize = 64;
/// as long as they take no longer than this.
const SHORT: Duration = Duration::from_millis(1);

/// What a thread computed of a dataset.
struct Run {
    elements: BoxedElements,
    found: VecDeque<Result<Option<Tensors>>>,
}

/// The rest of a dataset.
enum Rest {
    /// Computed when it is asked for, since its elements do not commute with others.
    Here(BoxedElements),
    /// Computed by the job with that number.
    Job(u64),
    /// There is nothing behind what was computed.
    Nothing,
}

/// A dataset whose elements are taken by turns.
struct Place {
    found: VecDeque<Result<Option<Tensors>>>,
    rest: Rest,
}

impl Place {
    fn next(&mut self, workers: &mut Jobs, runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.found.is_empty() {
            match &mut self.rest {
                Rest::Here(elements) => return elements.next(runner),
                Rest::Nothing => return Ok(None),
                Rest::Job(number) => {
                    let run = workers.result(*number)?;
                    self.found = run.found;
                    let ended = matches!(self.found.back(), Some(Ok(None)));
                    self.rest = match ended {
                        true => Rest::Nothing,
                        false => Rest::Job(workers.give(run.elements)?),
                    };
                }
            }
        }
        self.found.pop_front().unwrap_or(Ok(None))
    }
}

type Jobs = WorkerPool<BoxedElements, Run>;

/// The datasets that were opened before their turn came, in the order of the input.
struct Opened {
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    function: Caller,
    workers: Jobs,
    ahead: VecDeque<Result<Place>>,
    n_ahead: usize,
}

impl Opened {
    /// Opens datasets as far ahead as it may; none behind one that fails.
    fn fill(&mut self, runner: &dyn Runner) -> Result<()> {
        while self.ahead.len() < self.n_ahead && !matches!(self.ahead.back(), Some(Err(_))) {
            match self.open(runner) {
                Ok(None) => break,
                Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
                Ok(Some(place)) => self.ahead.push_back(Ok(place)),
                Err(e) => self.ahead.push_back(Err(e)),
            }
        }
        Ok(())
    }

    fn open(&mut self, runner: &dyn Runner) -> Result<Option<Place>> {
        let Some(input) = &mut self.input else {
            return Ok(None);
        };
        let Some(element) = input.next(runner)? else {
            self.input = None;
            return Ok(None);
        };
        let inner = dataset_of(&self.function.next_one(runner, element)?)?;
        let commutes = inner.commutes();
        let elements = inner.open()?;
        let rest = match commutes {
            true => Rest::Job(self.workers.give(elements)?),
            false => Rest::Here(elements),
        };
        Ok(Some(Place {
            found: VecDeque::new(),
            rest,
        }))
    }

    /// The dataset whose turn comes next; `None` where there is none.
    fn take(&mut self, runner: &dyn Runner) -> Result<Option<Place>> {
        self.fill(runner)?;
        self.ahead.pop_front().transpose()
    }

    fn has_ended(&self) -> bool {
        self.input.is_none() && self.ahead.is_empty()
    }
}

struct Cycle {
    places: Places<Place>,
    opened: Opened,
}

impl Elements for Cycle {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if let Some(place) = self.places.now() {
                if let Some(element) = place.next(&mut self.opened.workers, runner)? {
                    self.places.took_one(self.opened.has_ended());
                    return Ok(Some(element));
                }
                self.places.close(self.opened.has_ended());
            } else if let Some(place) = self.opened.take(runner)? {
                self.places.open(place);
            } else if !self.places.turn_to_open() {
                break;
            }
        }
        Ok(None)
    }
}
