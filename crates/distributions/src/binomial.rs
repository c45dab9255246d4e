//! Samples of the binomial distribution.

use crate::numbers::Numbers;
use ferrograph_kernels::stop::poll_cancellation;

/// Blocks of the stream that each sample has for itself where it is made by waiting: it takes some ten numbers, 42 at
/// ten standard deviations.
const WAITING_BLOCKS: u64 = 42;

/// How many of `count` trials succeed, each with that probability; NaN where either is none.
pub(crate) fn binomial(count: f64, probability: f64, numbers: &mut Numbers) -> f64 {
    if !count.is_finite() || probability.is_nan() || count < 0.0 {
        return f64::NAN;
    }
    if count <= 0.0 || probability <= 0.0 {
        return 0.0;
    }
    if probability >= 1.0 {
        return count;
    }
    match probability <= 0.5 {
        true => of_few(count, probability, numbers),
        false => count - of_few(count, 1.0 - probability, numbers),
    }
}

/// For probabilities up to a half.
fn of_few(count: f64, probability: f64, numbers: &mut Numbers) -> f64 {
    match count * probability >= 10.0 {
        true => by_rejection(count, probability, numbers),
        false => by_waiting(count, probability, &mut numbers.of_blocks(WAITING_BLOCKS)),
    }
}

/// The waits for successes are geometric: as many as fit into the trials.
fn by_waiting(count: f64, probability: f64, numbers: &mut Numbers) -> f64 {
    let (mut waited, mut successes) = (0.0, 0.0);
    loop {
        poll_cancellation();
        waited += (numbers.uniform().ln() / (-probability).ln_1p()).ceil();
        if waited > count {
            return successes;
        }
        successes += 1.0;
    }
}

/// What Stirling's formula lacks of the logarithm of `k!`.
fn tail(k: f64) -> f64 {
    const FIRST: [f64; 10] = [
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_29,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_09,
        0.016_644_691_189_821_19,
        0.013_876_128_823_070_75,
        0.011_896_709_945_891_77,
        0.010_411_265_261_972_09,
        0.009_255_462_182_712_733,
        0.008_330_563_433_362_87,
    ];
    if k <= 9.0 {
        return FIRST[k as usize];
    }
    let square = (k + 1.0) * (k + 1.0);
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
}

/// Transformed rejection (Hörmann, J. Statist. Comput. Simul. 46 (1993), 101: BTRS).
fn by_rejection(count: f64, probability: f64, numbers: &mut Numbers) -> f64 {
    let deviation = (count * probability * (1.0 - probability)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * probability;
    let c = count * probability + 0.5;
    let tight = 0.92 - 4.2 / b;
    let odds = probability / (1.0 - probability);
    let alpha = (2.83 + 5.1 / b) * deviation;
    let mode = ((count + 1.0) * probability).floor();
    loop {
        poll_cancellation();
        let u = numbers.uniform() - 0.5;
        let v = numbers.uniform();
        let shifted = 0.5 - u.abs();
        let k = ((2.0 * a / shifted + b) * u + c).floor();
        if shifted >= 0.07 && v <= tight {
            return k;
        }
        if k < 0.0 || k > count {
            continue;
        }
        let v = (v * alpha / (a / (shifted * shifted) + b)).ln();
        let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (count - mode + 1.0))).ln()
            + (count + 1.0) * ((count - mode + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + tail(mode)
            + tail(count - mode)
            - tail(k)
            - tail(count - k);
        if v <= bound {
            return k;
        }
    }
}
