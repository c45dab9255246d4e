//! Functions mapped over several elements at a time.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of};
use crate::function::{Function, at};
use crate::map::mapped;
use crate::op::{Maker, datasets, int};
use crate::worker::caught;
use crate::worker_pool::WorkerPool;
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_kernels::pool::n_threads;
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{Error, ErrorKind, Result, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::Arc;

datasets! {
    trait EmitParallel;

    /// What `f` gives for each element of `input_dataset`, computed for up to `num_parallel_calls` of them at a time (-1:
    /// as many as serve the machine). A function whose calls do not commute is called for one after the other.
    ParallelMapDatasetV2: parallel_map_dataset(
        input_dataset: variant, num_parallel_calls: int64, other_arguments: [Targuments],
    ) {
        /// Takes an element and what it captured.
        f: Arc<Graph>,
        /// Whether the elements come in the order of the input: `true`, `false`, or `default`, which is true.
        deterministic: String = "default".to_owned(),
    };
}

/// How many elements are in progress for each thread that computes, and how many calls there are for each thread of the
/// machine where the program leaves that open: one is computed, one waits to be.
const CALLS_PER_THREAD: usize = 2;

/// The most active calls, whatever the program asks for: each holds an element.
const MOST_CALLS: usize = 1024;

/// A number of parallel calls.
pub(crate) fn parallel_calls(t: &Tensor) -> Result<usize> {
    match int(t)? {
        -1 => Ok(CALLS_PER_THREAD * n_threads()),
        n => match usize::try_from(n) {
            Ok(n) if n > 0 => Ok(n.min(MOST_CALLS)),
            _ => bail!(
                InvalidArgument,
                "num_parallel_calls must be positive or AUTOTUNE (-1), got {n}"
            ),
        },
    }
}

/// Whether elements keep the order of the input, by the attribute `deterministic`.
pub(crate) fn in_order(deterministic: &str) -> Result<bool> {
    match deterministic {
        "true" | "default" => Ok(true),
        "false" => Ok(false),
        other => bail!(
            InvalidArgument,
            "deterministic must be true, false or default, got {other:?}"
        ),
    }
}

impl Maker for ParallelMapDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let (input, calls) = (dataset_of(&inputs[0])?, parallel_calls(&inputs[1])?);
        let function = Function::new(&self.f, &inputs[2..]);
        if calls == 1 || !function.commutes() {
            return Ok(mapped(input, function));
        }
        Ok(Arc::new(Parallel {
            input,
            function,
            calls,
            in_order: in_order(&self.deterministic)?,
        }))
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
    input: DatasetRef,
    function: Function,
    calls: usize,
    in_order: bool,
}

impl Parallel {
    /// How many threads call the function. One that waits for the host takes no processor meanwhile.
    fn n_threads(&self) -> usize {
        match self.function.calls_host() {
            true => self.calls,
            false => self.calls.min(n_threads()),
        }
    }

    /// How many elements of the input are in progress: a thread that is done finds the next one waiting, so that it
    /// does not wait for who takes the results.
    fn n_under_way(&self) -> usize {
        match self.function.calls_host() {
            true => self.calls,
            false => self.calls.max(CALLS_PER_THREAD * self.n_threads()),
        }
    }
}

impl Dataset for Parallel {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let function = self.function.clone();
        let workers = WorkerPool::new(self.n_threads(), move || {
            let mut caller = function.caller();
            Box::new(move |element| caught(|| caller.call(&PlanRunner, element)))
        });
        let workers = match self.function.calls_host() {
            true => workers,
            false => {
                let mut caller = self.function.caller();
                workers.helped(Box::new(move |element| {
                    caller.call(&PlanRunner, element.clone())
                }))
            }
        };
        Ok(Box::new(ParallelElements {
            input: Some(self.input.clone().open()?),
            n_asked: 0,
            n_under_way: self.n_under_way(),
            workers,
            under_way: VecDeque::new(),
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
    fn is_map(&self) -> bool {
        true
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
}

/// What became of an element of the input.
enum Call {
    /// It is the argument of the job with that number.
    Job { number: u64, element: u64 },
    /// There was none: the input failed.
    Failed(Error),
}

struct ParallelElements {
    dataset: Arc<Parallel>,
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    /// How many elements the input was asked for.
    n_asked: u64,
    /// How many calls may be active.
    n_under_way: usize,
    workers: WorkerPool<Tensors, Result<Tensors>>,
    /// The calls whose results were not taken yet, in the order of the input.
    under_way: VecDeque<Call>,
}

impl ParallelElements {
    /// Takes elements from the input for as many calls as there may be.
    fn fill(&mut self, runner: &dyn Runner) -> Result<()> {
        while self.under_way.len() < self.n_under_way
            && let Some(input) = &mut self.input
        {
            let call = match input.next(runner) {
                Ok(Some(element)) => Call::Job {
                    number: self.workers.give(element)?,
                    element: self.n_asked,
                },
                Ok(None) => {
                    self.input = None;
                    break;
                }
                Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
                Err(e) => Call::Failed(e),
            };
            self.n_asked += 1;
            self.under_way.push_back(call);
        }
        Ok(())
    }

    /// What came of a call: the first one, or any one that is done.
    fn taken(&mut self) -> Result<Option<Tensors>> {
        let Some(first) = self.under_way.front() else {
            return Ok(None);
        };
        let failed = |call: &Call| matches!(call, Call::Failed(_));
        let result = match first {
            Call::Job { number, element } if self.dataset.in_order => {
                let result = self.workers.result(*number)?;
                result.map_err(|e| at(*element, e))
            }
            _ if self.dataset.in_order || self.under_way.iter().all(failed) => Err(self.failure()),
            _ => {
                let (number, result) = self.workers.any_result()?;
                return self.done(number, result).map(Some);
            }
        };
        self.under_way.pop_front();
        result.map(Some)
    }

    /// What came of that job, which is no longer in progress.
    fn done(&mut self, job: u64, result: Result<Tensors>) -> Result<Tensors> {
        let is_it = |call: &Call| matches!(call, Call::Job { number, .. } if *number == job);
        let place = self.under_way.iter().position(is_it);
        match place.and_then(|place| self.under_way.remove(place)) {
            Some(Call::Job { element, .. }) => result.map_err(|e| at(element, e)),
            _ => result,
        }
    }

    /// What the first call failed with, which is no job.
    fn failure(&self) -> Error {
        match self.under_way.front() {
            Some(Call::Failed(e)) => e.clone(),
            _ => ferrograph_tensor::err!(Internal, "a call has no result"),
        }
    }
}

impl Elements for ParallelElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        self.fill(runner)?;
        self.taken()
    }
    fn has_more(&mut self) -> Option<bool> {
        match (&mut self.input, self.under_way.is_empty()) {
            (_, false) => Some(true),
            (Some(input), true) => input.has_more(),
            (None, true) => Some(false),
        }
    }
}
