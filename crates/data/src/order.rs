//! Seeds that iterations begin with.

use crate::dataset::DatasetRef;
use crate::history::{History, SEEDS, another};
use crate::source::Words;
use ferrograph_ops::Stream;
use ferrograph_tensor::{Result, bail};
use parking_lot::Mutex;

/// Two seeds, and how many pairs were drawn from their stream.
pub(crate) type Place = [i64; 3];

/// Where the orders of a dataset and of those it is made from are, in the order of a walk.
pub(crate) fn places(dataset: &DatasetRef) -> Vec<Place> {
    all_orders(dataset).into_iter().map(Orders::words).collect()
}

/// Puts the orders of a dataset and of those it is made from where others were.
///
/// # Errors
/// `FailedPrecondition` where there were more or fewer.
pub(crate) fn go_to_places(dataset: &DatasetRef, places: &[Place]) -> Result<()> {
    let all = all_orders(dataset);
    if all.len() != places.len() {
        bail!(
            FailedPrecondition,
            "the position that was saved is that of an iterator over another dataset: it draws {} orders, this one {}",
            places.len(),
            all.len()
        );
    }
    let pairs = all.into_iter().zip(places);
    pairs.for_each(|(orders, place)| orders.go_to(*place));
    Ok(())
}

fn all_orders(dataset: &DatasetRef) -> Vec<&Orders> {
    let (mut found, mut left) = (Vec::new(), vec![dataset]);
    while let Some(dataset) = left.pop() {
        found.extend(dataset.orders());
        left.extend(dataset.inputs());
    }
    found
}

/// Where iterations over a dataset take their seeds from.
#[derive(Debug)]
pub struct Orders {
    /// Whether each iteration gets seeds of its own.
    again: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    seeds: (i64, i64),
    words: Words,
    /// How many pairs were drawn.
    n_drawn: u64,
}

impl State {
    fn new(seeds: (i64, i64), n_drawn: u64) -> State {
        let words = Words::of(seeds).behind(n_drawn.wrapping_mul(2));
        State {
            seeds,
            words,
            n_drawn,
        }
    }
}

impl Orders {
    /// Those of two seeds; two zeros are any.
    pub fn new(mut seeds: (i64, i64), again: bool) -> Orders {
        if seeds == (0, 0) {
            // No seed was given: the order is anyone's, but one that can be repeated.
            let anywhere = Stream::new(0, 0).reserve(1).block();
            seeds = (i64::from(anywhere[0]) + 1, i64::from(anywhere[1]));
        }
        let state = Mutex::new(State::new(seeds, 0));
        Orders { again, state }
    }

    fn words(&self) -> Place {
        let state = self.state.lock();
        let (a, b) = state.seeds;
        [a, b, state.n_drawn.cast_signed()]
    }

    fn go_to(&self, [a, b, n]: Place) {
        *self.state.lock() = State::new((a, b), n.cast_unsigned());
    }

    /// The seeds of an iteration that begins; `what` is for errors. What nobody will take moves no order on.
    ///
    /// # Errors
    /// `FailedPrecondition` where the iteration repeats one of another dataset.
    pub fn next(&self, what: &str) -> Result<(i64, i64)> {
        let mut state = self.state.lock();
        let history = History::here();
        if history.is_over() {
            return Ok(State::new(state.seeds, state.n_drawn).words.pair());
        }
        let mut found = (0, 0);
        history.choose(|known| {
            match known {
                None => {}
                Some([SEEDS, a, b, n]) => *state = State::new((a, b), n.cast_unsigned()),
                Some(_) => return Err(another(what)),
            }
            let (a, b) = state.seeds;
            let made = [SEEDS, a, b, state.n_drawn.cast_signed()];
            found = (a, b);
            if self.again {
                found = state.words.pair();
                state.n_drawn += 1;
            }
            Ok(made)
        })?;
        Ok(found)
    }
}
