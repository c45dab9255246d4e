//! Distributions.

use half::{bf16, f16};

use super::{PhiloxState, RESERVED_PER_NUMBER};
use crate::isa::{Isa, Job, dispatch};
use crate::pool;
use crate::vmath;

/// Words drawn at once.
const WORDS: usize = 1024;

/// Numbers below this are replaced by it before their logarithm is taken.
const TINY: f64 = 1e-7;

/// A number made of `n_words()` words of the stream.
fn fill_by_words<T: Send>(
    state: PhiloxState,
    n_words: usize,
    cost: f64,
    out: &mut [T],
    make: impl Fn(&[u32], &mut [T]) + Sync,
) {
    pool::par_chunks_mut(out, cost, |at, out| {
        let mut words = [0u32; WORDS];
        let per_piece = WORDS / n_words;
        for (i, piece) in out.chunks_mut(per_piece).enumerate() {
            let first = (at + i * per_piece) * n_words;
            let words = &mut words[..(piece.len() * n_words).next_multiple_of(4)];
            state.skip((first / 4) as u64).words(words);
            make(words, piece);
        }
    });
}

/// A float type with uniform numbers in `[0, 1)`.
pub trait Uniform: Copy + Send {
    /// Words that a number takes.
    const WORDS: usize;
    /// The number of these words.
    fn from_words(words: &[u32]) -> Self;
}

impl Uniform for f32 {
    const WORDS: usize = 1;
    #[inline(always)]
    fn from_words(words: &[u32]) -> f32 {
        f32::from_bits(127 << 23 | words[0] & 0x7f_ffff) - 1.0
    }
}

impl Uniform for f64 {
    const WORDS: usize = 2;
    #[inline(always)]
    fn from_words(words: &[u32]) -> f64 {
        f64::from_bits(1023 << 52 | ((words[0] & 0xf_ffff) as u64) << 32 | words[1] as u64) - 1.0
    }
}

impl Uniform for f16 {
    const WORDS: usize = 1;
    #[inline(always)]
    fn from_words(words: &[u32]) -> f16 {
        f16::from_f32(f16::from_bits(15 << 10 | words[0] as u16 & 0x3ff).to_f32() - 1.0)
    }
}

impl Uniform for bf16 {
    const WORDS: usize = 1;
    #[inline(always)]
    fn from_words(words: &[u32]) -> bf16 {
        bf16::from_f32(bf16::from_bits(127 << 7 | words[0] as u16 & 0x7f).to_f32() - 1.0)
    }
}

/// Uniform numbers in `[0, 1)`.
pub fn fill_uniform<T: Uniform>(state: PhiloxState, out: &mut [T]) {
    fill_by_words(state, T::WORDS, 1.0, out, |words, out| {
        out.iter_mut()
            .zip(words.chunks_exact(T::WORDS))
            .for_each(|(o, w)| *o = T::from_words(w));
    });
}

/// An integer type with uniform numbers.
pub trait UniformInt: Copy + Send + Sync {
    /// Words that a number takes.
    const WORDS: usize;
    /// The words as a number.
    fn raw(words: &[u32]) -> Self;
    /// `low + raw % (high - low)`, unsigned and wrapping.
    fn within(self, low: Self, high: Self) -> Self;
}

macro_rules! uniform_int {
    ($($t:ty, $unsigned:ty, $n:expr, |$w:ident| $raw:expr;)*) => {$(
        impl UniformInt for $t {
            const WORDS: usize = $n;
            #[inline(always)]
            fn raw($w: &[u32]) -> $t {
                $raw as $t
            }
            #[inline(always)]
            fn within(self, low: $t, high: $t) -> $t {
                let range = high.wrapping_sub(low) as $unsigned;
                low.wrapping_add((self as $unsigned % range) as $t)
            }
        }
    )*};
}
uniform_int! {
    i32, u32, 1, |w| w[0];
    u32, u32, 1, |w| w[0];
    i64, u64, 2, |w| (w[1] as u64) << 32 | w[0] as u64;
    u64, u64, 2, |w| (w[1] as u64) << 32 | w[0] as u64;
}

/// Uniform integers in `[low, high)`.
pub fn fill_int<T: UniformInt + PartialOrd>(state: PhiloxState, low: T, high: T, out: &mut [T]) {
    assert!(low < high, "the range is not empty");
    fill_by_words(state, T::WORDS, 2.0, out, |words, out| {
        out.iter_mut()
            .zip(words.chunks_exact(T::WORDS))
            .for_each(|(o, w)| *o = T::raw(w).within(low, high));
    });
}

/// Uniform integers over the whole range of the type.
pub fn fill_int_full<T: UniformInt>(state: PhiloxState, out: &mut [T]) {
    fill_by_words(state, T::WORDS, 1.0, out, |words, out| {
        out.iter_mut()
            .zip(words.chunks_exact(T::WORDS))
            .for_each(|(o, w)| *o = T::raw(w));
    });
}

/// Pairs of words become pairs of normal numbers, in place.
struct BoxMuller<'a>(&'a [u32], &'a mut [f32]);

impl Job for BoxMuller<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        // Arrays of a fixed length, so that each loop is one of vectors.
        const HALF: usize = 32;
        for (words, out) in self.0.chunks(2 * HALF).zip(self.1.chunks_mut(2 * HALF)) {
            let (mut radius, mut angle) = ([0f32; HALF], [0f32; HALF]);
            for (i, pair) in words.chunks_exact(2).enumerate() {
                (radius[i], angle[i]) = (f32::from_words(&pair[..1]), f32::from_words(&pair[1..]));
            }
            for r in &mut radius {
                let u = if *r < TINY as f32 { TINY as f32 } else { *r };
                *r = (-2.0 * vmath::f32::log::<I>(u)).sqrt();
            }
            for a in &mut angle {
                // The product is rounded once, as in the reference implementation.
                *a = (2.0 * std::f64::consts::PI * *a as f64) as f32;
            }
            let (mut sines, mut cosines) = ([0f32; HALF], [0f32; HALF]);
            for i in 0..HALF {
                sines[i] = vmath::f32::sin::<I>(angle[i]) * radius[i];
                cosines[i] = vmath::f32::cos::<I>(angle[i]) * radius[i];
            }
            for (i, pair) in out.chunks_mut(2).enumerate() {
                pair[0] = sines[i];
                if let Some(second) = pair.get_mut(1) {
                    *second = cosines[i];
                }
            }
        }
    }
}

fn box_muller_f64(words: &[u32]) -> (f64, f64) {
    let u = f64::from_words(&words[..2]).max(TINY);
    let angle = 2.0 * std::f64::consts::PI * f64::from_words(&words[2..4]);
    let radius = (-2.0 * u.ln()).sqrt();
    (angle.sin() * radius, angle.cos() * radius)
}

/// Standard normal numbers.
pub fn fill_normal_f32(state: PhiloxState, out: &mut [f32]) {
    fill_by_words(state, 1, 1.5, out, |words, out| {
        dispatch(BoxMuller(words, out))
    });
}

/// Standard normal numbers.
pub fn fill_normal_f64(state: PhiloxState, out: &mut [f64]) {
    fill_by_words(state, 2, 15.0, out, |words, out| {
        for (pair, words) in out.chunks_mut(2).zip(words.chunks_exact(4)) {
            let (sine, cosine) = box_muller_f64(words);
            pair[0] = sine;
            if let Some(second) = pair.get_mut(1) {
                *second = cosine;
            }
        }
    });
}

/// Standard normal numbers of magnitude below 2: others are drawn again.
pub fn fill_truncated_normal_f32(state: PhiloxState, out: &mut [f32]) {
    fill_rejecting(state, 4, out, |stream| {
        let (a, b) = (stream.next(), stream.next());
        let mut pair = [0.0; 2];
        dispatch(BoxMuller(&[a, b], &mut pair));
        pair
    });
}

/// Standard normal numbers of magnitude below 2: others are drawn again.
pub fn fill_truncated_normal_f64(state: PhiloxState, out: &mut [f64]) {
    fill_rejecting(state, 2, out, |stream| {
        let words = [stream.next(), stream.next(), stream.next(), stream.next()];
        let (sine, cosine) = box_muller_f64(&words);
        [sine, cosine]
    });
}

/// The words of a stream, one by one.
struct Stream {
    state: PhiloxState,
    block: [u32; 4],
    at: usize,
}

impl Stream {
    fn next(&mut self) -> u32 {
        if self.at == 4 {
            self.block = self.state.block();
            self.state = self.state.skip(1);
            self.at = 0;
        }
        self.at += 1;
        self.block[self.at - 1]
    }
}

/// Fills by groups; each has a stretch of the stream of its own, long enough for every rejection.
fn fill_rejecting<T: Copy + Send + Sync + num_traits::Float>(
    state: PhiloxState,
    group: usize,
    out: &mut [T],
    draw: impl Fn(&mut Stream) -> [T; 2] + Sync,
) {
    let two = T::one() + T::one();
    let stretch = group as u64 * RESERVED_PER_NUMBER / 4;
    let whole = out.len() / group * group;
    let fill = |index: usize, out: &mut [T]| {
        let mut stream = Stream {
            state: state.skip(index as u64 * stretch),
            block: [0; 4],
            at: 4,
        };
        let mut at = 0;
        while at < out.len() {
            for x in draw(&mut stream).into_iter().filter(|x| x.abs() < two) {
                if at < out.len() {
                    out[at] = x;
                    at += 1;
                }
            }
        }
    };
    let (groups, last) = out.split_at_mut(whole);
    pool::par_rows_mut(groups, group, 15.0 * group as f64, |first, out| {
        out.chunks_exact_mut(group)
            .enumerate()
            .for_each(|(i, out)| fill(first + i, out));
    });
    fill(whole / group, last);
}

#[cfg(test)]
mod tests {
    use super::super::stateless_key_counter;
    use super::*;

    fn uniform<T: Uniform + num_traits::Zero>(seed: [i64; 2], n: usize) -> Vec<T> {
        let mut out = vec![T::zero(); n];
        fill_uniform(stateless_key_counter(seed), &mut out);
        out
    }

    fn close(got: &[f32], want: &[f32]) {
        got.iter().zip(want).for_each(|(g, w)| {
            assert!(
                (g - w).abs() <= 1.2e-7 * w.abs().max(0.5),
                "{got:?} {want:?}"
            )
        });
    }

    /// The values that the reference implementation recorded.
    #[test]
    fn uniform_values() {
        assert_eq!(
            uniform::<f32>([1, 2], 4),
            [0.844_060_4, 0.192_045_33, 0.996_223_2, 0.160_387_4]
        );
        assert_eq!(
            uniform::<f64>([1, 2], 2),
            [0.752_483_753_845_180_1, 0.969_785_772_562_748_6]
        );
        assert_eq!(
            uniform::<f32>([1, 3], 3),
            [0.854_832_53, 0.203_216_79, 0.761_071_1]
        );
    }

    #[test]
    fn integer_values() {
        let (mut small, mut large) = ([0i32; 6], [0i64; 3]);
        fill_int(stateless_key_counter([3, 4]), 0, 10, &mut small);
        fill_int(stateless_key_counter([3, 4]), -5, 1000, &mut large);
        assert_eq!(small, [3, 7, 2, 9, 7, 9]);
        assert_eq!(large, [270, 331, 661]);
        let mut split = [0i32; 6];
        fill_int_full(stateless_key_counter([1, 2]), &mut split);
        assert_eq!(
            split,
            [
                1_105_988_140,
                1_738_052_849,
                -335_576_002,
                370_444_179,
                10_670_227,
                -246_211_131
            ]
        );
    }

    #[test]
    fn normal_values() {
        let mut out = [0.0; 6];
        fill_normal_f32(stateless_key_counter([0, 7]), &mut out);
        close(
            &out,
            &[
                -0.423_034_55,
                0.221_813_81,
                1.079_025_3,
                -2.280_169_7,
                -0.301_603_3,
                -1.934_034,
            ],
        );
        let mut out = [0.0; 4];
        fill_truncated_normal_f32(stateless_key_counter([10, 20]), &mut out);
        close(
            &out,
            &[1.104_830_1, 0.227_197_33, -0.061_130_565, -1.187_124_1],
        );
    }

    #[test]
    fn a_generator_draws_one_after_another() {
        let start = PhiloxState::new(1234, 0);
        let mut normal = [0.0f32; 3];
        fill_normal_f32(start, &mut normal);
        close(&normal, &[0.935_660_9, 1.085_430_5, -0.937_883_73]);
        let mut uniform = [0.0f32; 3];
        fill_uniform(start.skip(3 * RESERVED_PER_NUMBER), &mut uniform);
        assert_eq!(uniform, [0.310_734_15, 0.368_182_3, 0.961_829_54]);
        let mut ints = [0i32; 4];
        fill_int(start.skip(6 * RESERVED_PER_NUMBER), 0, 100, &mut ints);
        assert_eq!(ints, [24, 79, 41, 51]);
        let mut doubles = [0.0f64; 2];
        fill_normal_f64(start.skip(10 * RESERVED_PER_NUMBER), &mut doubles);
        assert!(
            (doubles[0] - 1.863_393_575_804_345).abs() < 1e-14
                && (doubles[1] - 0.146_948_625_768_239).abs() < 1e-14
        );
    }

    #[test]
    fn a_long_draw_begins_as_a_short_one() {
        let state = PhiloxState::new(5, 6);
        let (mut long, mut short) = (vec![0.0f32; 300_000], vec![0.0f32; 1001]);
        fill_normal_f32(state, &mut long);
        fill_normal_f32(state, &mut short);
        assert_eq!(long[..1001], short);
        fill_normal_f32(state.skip(299_000 / 4), &mut short[..1000]);
        assert_eq!(long[299_000..], short[..1000]);
        let mean = long.iter().map(|&v| v as f64).sum::<f64>() / 3e5;
        let variance = long.iter().map(|&v| (v as f64).powi(2)).sum::<f64>() / 3e5;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.01);
    }

    #[test]
    fn half_floats_stay_below_one() {
        assert!(
            uniform::<f16>([1, 2], 1000)
                .iter()
                .all(|v| (0.0..1.0).contains(&v.to_f32()))
        );
        assert!(
            uniform::<bf16>([1, 2], 1000)
                .iter()
                .all(|v| (0.0..1.0).contains(&v.to_f32()))
        );
    }
}
