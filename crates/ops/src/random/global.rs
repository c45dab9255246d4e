//! The global seed of the program, and what operations take from it while they run.

use super::stream::Stream;
use super::twister::Twister;
use ferrograph_tensor::DType;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;

/// The seeds of a stream: the program's, and the operation's own.
pub(super) type Seeds = (i64, i64);

/// What a stream is kept under: the operation's name, the dtype of its numbers, its seeds.
type Key = (Cow<'static, str>, DType, Seeds);

#[derive(Default)]
struct Global {
    /// The seed, and the generator of seeds for operations that have none of their own.
    seed: Option<(i64, Twister)>,
    /// Where operations with a seed of their own go on.
    streams: HashMap<Key, Stream>,
}

static GLOBAL: Mutex<Option<Global>> = Mutex::new(None);

/// Seeds are reduced by it.
pub const SEED_MODULUS: i64 = i32::MAX as i64;
/// The program's seed where only operations have one.
const DEFAULT: i64 = 87_654_321;

/// Sets the global seed, a number reduced by [`SEED_MODULUS`], and the words of its magnitude, the lowest first; or takes it
/// away. All streams begin anew.
pub fn set_global_seed(seed: Option<(i64, &[u32])>) {
    *GLOBAL.lock() = Some(Global {
        seed: seed.map(|(seed, words)| (seed, Twister::of_key(words))),
        streams: HashMap::new(),
    });
}

/// The seeds of an operation that runs now; none where neither the program nor it has one.
pub(super) fn seeds(own: Option<i64>) -> Option<Seeds> {
    let mut global = GLOBAL.lock();
    let global = global.get_or_insert_default();
    Some(usable(match (&mut global.seed, own) {
        (None, None) => return None,
        (None, Some(own)) => (DEFAULT, own),
        (Some((seed, _)), Some(own)) => (*seed, own),
        (Some((seed, twister)), None) => (*seed, i64::from(twister.bits31()) % SEED_MODULUS),
    }))
}

/// The seeds of an operation that has its number in a graph for a seed; none where the program has none.
pub(super) fn numbered(number: i64) -> Option<Seeds> {
    let mut global = GLOBAL.lock();
    let (seed, _) = global.get_or_insert_default().seed.as_ref()?;
    Some(usable((*seed, number)))
}

/// Two zeros would ask for a seed from the system.
fn usable(seeds: Seeds) -> Seeds {
    match seeds {
        (0, 0) => (0, SEED_MODULUS),
        seeds => seeds,
    }
}

/// The stream that an operation with these seeds goes on in, wherever it runs.
pub(super) fn stream(name: Cow<'static, str>, dtype: DType, seeds: Seeds) -> Stream {
    let mut global = GLOBAL.lock();
    let streams = &mut global.get_or_insert_default().streams;
    let new = || Stream::new(seeds.0, seeds.1);
    streams
        .entry((name, dtype, seeds))
        .or_insert_with(new)
        .clone()
}
