//! Work in stages on the bands of a picture, by one thread or several.
//!
//! A stage does one band after another, each once the stage before has done it; the last stage once the one before has done
//! the next band, too. Of what can be done the latest stage comes first: so few bands are at work at a time, and what one
//! stage has written is still in the cache when the next one reads it.

use ferrograph_kernels::pool::{n_threads, par_tasks};
use ferrograph_tensor::{Error, Result, vec_of};
use parking_lot::{Condvar, Mutex};

/// How much there is to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub stages: usize,
    pub bands: usize,
    /// How many bands may be at work at a time: three at least.
    pub room: usize,
}

/// A stage: the band that it does next, and whether a thread is at it.
#[derive(Clone, Copy, Default)]
struct Stage {
    next: usize,
    is_taken: bool,
}

struct Turns {
    stages: Vec<Stage>,
    /// Whether the rest is left undone.
    is_over: bool,
    error: Option<Error>,
}

struct Pipeline {
    size: Size,
    turns: Mutex<Turns>,
    changed: Condvar,
}

/// Calls `work(stage, band)` for each stage and band. Bands whose numbers are `room` apart are never at work together.
pub(super) fn run(
    size: Size,
    is_shared: bool,
    work: &(dyn Fn(usize, usize) -> Result<()> + Sync),
) -> Result<()> {
    let pipeline = Pipeline {
        size,
        turns: Mutex::new(Turns {
            stages: vec_of(Stage::default(), size.stages)?,
            is_over: false,
            error: None,
        }),
        changed: Condvar::new(),
    };
    if is_shared {
        par_tasks(n_threads().min(size.stages), &|_| pipeline.serve(work));
    } else {
        pipeline.serve(work);
    }
    pipeline.turns.into_inner().error.map_or(Ok(()), Err)
}

impl Pipeline {
    /// Does what can be done until nothing is left.
    fn serve(&self, work: &(dyn Fn(usize, usize) -> Result<()> + Sync)) {
        while let Some((stage, band)) = self.take() {
            let turn = Turn {
                pipeline: self,
                stage,
                result: None,
            };
            turn.end(work(stage, band));
        }
    }

    /// The next thing to do; waits for it. None when all is done.
    fn take(&self) -> Option<(usize, usize)> {
        let mut turns = self.turns.lock();
        loop {
            let last = turns.stages.last()?;
            if turns.is_over || last.next == self.size.bands {
                return None;
            }
            let mut stages = (0..self.size.stages).rev();
            if let Some(i) = stages.find(|i| self.is_ready(&turns.stages, *i)) {
                turns.stages[i].is_taken = true;
                return Some((i, turns.stages[i].next));
            }
            // Nothing is ready only while a thread is at some stage.
            self.changed.wait(&mut turns);
        }
    }

    /// Whether a stage can do its next band.
    fn is_ready(&self, stages: &[Stage], i: usize) -> bool {
        let Size { bands, room, .. } = self.size;
        let (Stage { next, is_taken }, last) = (stages[i], stages.len() - 1);
        let has_room = i > 0 || next + 1 < stages[last].next + room;
        let needed = match i {
            0 => 0,
            _ if i == last => (next + 2).min(bands),
            _ => next + 1,
        };
        let is_fed = i == 0 || stages[i - 1].next >= needed;
        !is_taken && next < bands && has_room && is_fed
    }
}

/// What a thread does. Where it unwinds, the others do no more.
struct Turn<'a> {
    pipeline: &'a Pipeline,
    stage: usize,
    result: Option<Result<()>>,
}

impl Turn<'_> {
    fn end(mut self, result: Result<()>) {
        self.result = Some(result);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = self.pipeline.turns.lock();
        match self.result.take() {
            Some(Ok(())) => {
                let stage = &mut turns.stages[self.stage];
                *stage = Stage {
                    next: stage.next + 1,
                    is_taken: false,
                };
            }
            failed => {
                turns.is_over = true;
                turns.error = turns.error.take().or(failed.and_then(Result::err));
            }
        }
        self.pipeline.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::err;

    /// The turns of a run, in order of their ends.
    fn turns(size: Size, is_shared: bool) -> Vec<(usize, usize)> {
        let turns = Mutex::new(Vec::new());
        let work = |stage, band| {
            turns.lock().push((stage, band));
            Ok(())
        };
        run(size, is_shared, &work).unwrap();
        turns.into_inner()
    }

    #[test]
    fn each_stage_does_each_band_behind_the_one_before() {
        for (stages, bands) in [(1, 1), (1, 5), (2, 1), (2, 7), (5, 3), (4, 20)] {
            for (room, is_shared) in [(3, false), (3, true), (5, true), (bands.max(3), true)] {
                let size = Size {
                    stages,
                    bands,
                    room,
                };
                let found = turns(size, is_shared);
                assert_eq!(found.len(), stages * bands, "{size:?}");
                let place = |turn| found.iter().position(|t| *t == turn).unwrap();
                for band in 0..bands {
                    for stage in 1..stages {
                        assert!(place((stage - 1, band)) < place((stage, band)), "{size:?}");
                    }
                    if stages > 1 && band + 1 < bands {
                        let ahead = place((stages - 2, band + 1));
                        assert!(ahead < place((stages - 1, band)), "{size:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_thread_keeps_few_bands_at_work() {
        let size = Size {
            stages: 2,
            bands: 4,
            room: 9,
        };
        let found = turns(size, false);
        let want = [0, 0, 1, 0, 1, 0, 1, 1];
        assert_eq!(found.iter().map(|t| t.0).collect::<Vec<_>>(), want);
    }

    #[test]
    fn errors_and_panics_end_the_work() {
        let size = Size {
            stages: 3,
            bands: 50,
            room: 4,
        };
        let bad = |stage, band| match (stage, band) {
            (1, 7) => Err(err!(InvalidArgument, "the seventh")),
            _ => Ok(()),
        };
        let e = run(size, true, &bad).unwrap_err();
        assert!(e.message().contains("the seventh"));
        let panics = |stage, band| {
            assert_ne!((stage, band), (1, 7));
            Ok(())
        };
        let caught = std::panic::catch_unwind(|| run(size, true, &panics));
        assert!(caught.is_err());
    }
}
