//! Distributions over classes, and batches of classes drawn from them.

use crate::numbers::Words;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Result, bail, err, vec_for};
use std::collections::HashSet;

/// How likely each class is.
pub(crate) enum ClassDistribution {
    Uniform(usize),
    LogUniform(usize),
    Weighted(Weights),
}

impl ClassDistribution {
    pub fn uniform(range: usize) -> ClassDistribution {
        ClassDistribution::Uniform(range)
    }

    /// Class `k` with probability `ln(1 + 1 / (k + 1)) / ln(range + 1)`.
    pub fn log_uniform(range: usize) -> ClassDistribution {
        ClassDistribution::LogUniform(range)
    }

    /// Each class in proportion to its weight, of which so many must be above zero.
    pub fn weighted(weights: &[f32], least: usize) -> Result<ClassDistribution> {
        if let Some(w) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            bail!(
                InvalidArgument,
                "weights must be finite and at least 0, got {w}"
            );
        }
        let some = weights.iter().filter(|w| **w > 0.0).count();
        if some < least {
            bail!(
                InvalidArgument,
                "{least} different classes cannot be drawn: {some} have a weight above 0"
            );
        }
        Ok(ClassDistribution::Weighted(Weights::new(weights)?))
    }

    fn range(&self) -> usize {
        match self {
            ClassDistribution::Uniform(range) | ClassDistribution::LogUniform(range) => *range,
            ClassDistribution::Weighted(weights) => weights.weights.len(),
        }
    }

    #[allow(clippy::cast_possible_truncation)]
    pub fn probability(&self, class: usize) -> f32 {
        let p = match self {
            ClassDistribution::Uniform(range) => 1.0 / *range as f64,
            ClassDistribution::LogUniform(range) => {
                ((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / (*range as f64).ln_1p()
            }
            ClassDistribution::Weighted(weights) => f64::from(weights.weights[class]) / weights.sum,
        };
        p as f32
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn draw(&self, words: &mut Words) -> usize {
        match self {
            ClassDistribution::Uniform(range) => words.below_u64(*range as u64) as usize,
            ClassDistribution::LogUniform(range) => {
                let power = (words.double() * (*range as f64).ln_1p()).exp();
                // Rounding may lead to the class behind the last one.
                (power as usize - 1) % range
            }
            ClassDistribution::Weighted(weights) => weights.draw(words),
        }
    }
}

/// Weights, and the table by which classes are drawn in proportion to them (Vose, IEEE Transactions on Software
/// Engineering 17 (1991), 972): each class is drawn as often as the others, then given up for its alias in a part of the cases.
pub(crate) struct Weights {
    weights: Vec<f32>,
    sum: f64,
    table: Vec<(f32, usize)>,
}

impl Weights {
    #[allow(clippy::cast_possible_truncation)]
    fn new(weights: &[f32]) -> Result<Weights> {
        let n = weights.len();
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        let (mut kept, mut shares, mut table) = (vec_for(n)?, vec_for(n)?, vec_for(n)?);
        let (mut high, mut low) = (vec_for(n)?, vec_for(n)?);
        for (i, w) in weights.iter().enumerate() {
            // The product is of single precision.
            let share = f64::from(*w * n as f32) / sum;
            kept.push(*w);
            shares.push(share);
            table.push((0.0, i));
            if share < 1.0 { &mut low } else { &mut high }.push(i);
        }
        while let (Some(&h), Some(&l)) = (high.last(), low.last()) {
            high.pop();
            low.pop();
            table[l].1 = h;
            shares[h] -= 1.0 - shares[l];
            if shares[h] < 1.0 { &mut low } else { &mut high }.push(h);
        }
        for (row, share) in table.iter_mut().zip(&shares) {
            row.0 = *share as f32;
        }
        // What rounding leaves over is drawn without an alias.
        for i in high.into_iter().chain(low) {
            table[i] = (1.0, i);
        }
        Ok(Weights {
            weights: kept,
            sum,
            table,
        })
    }

    fn draw(&self, words: &mut Words) -> usize {
        let part = words.float();
        let n = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        let class = words.below_u32(n) as usize;
        let (share, alias) = self.table[class];
        if part < share { class } else { alias }
    }
}

/// Classes drawn, and how many draws they took.
pub(crate) struct Batch {
    pub classes: Vec<usize>,
    unique: bool,
    tries: f64,
}

/// Draws of known classes in a row, after which the classes that are left are looked at one by one.
const MISSES: u32 = 1000;

impl Batch {
    pub fn draw(
        distribution: &ClassDistribution,
        n: usize,
        unique: bool,
        words: &mut Words,
    ) -> Result<Batch> {
        let mut batch = Batch {
            classes: vec_for(n)?,
            unique,
            tries: 0.0,
        };
        let mut seen = HashSet::new();
        while batch.classes.len() < n {
            poll_cancellation();
            let class = match unique {
                false => distribution.draw(words),
                true => batch.draw_new(distribution, &seen, words)?,
            };
            if unique {
                seen.insert(class);
            }
            batch.classes.push(class);
        }
        Ok(batch)
    }

    /// A class that is not among those.
    fn draw_new(
        &mut self,
        distribution: &ClassDistribution,
        seen: &HashSet<usize>,
        words: &mut Words,
    ) -> Result<usize> {
        for _ in 0..MISSES {
            let class = distribution.draw(words);
            self.tries += 1.0;
            if !seen.contains(&class) && distribution.probability(class) > 0.0 {
                return Ok(class);
            }
        }
        let left = || (0..distribution.range()).filter(|k| !seen.contains(k));
        let probability = |k: usize| f64::from(distribution.probability(k));
        let mass: f64 = left().map(probability).sum();
        // As many further draws as it takes until one is new.
        let wait = (1.0 - words.double()).ln() / (-mass).ln_1p();
        self.tries += 1.0 + wait.floor().max(0.0);
        let (at, mut sum) = (words.double() * mass, 0.0);
        let mut last = None;
        for k in left().filter(|k| distribution.probability(*k) > 0.0) {
            poll_cancellation();
            sum += probability(k);
            last = Some(k);
            if sum > at {
                break;
            }
        }
        last.ok_or_else(|| err!(InvalidArgument, "no class is left to be drawn"))
    }

    /// How often a class of that probability is expected among those drawn.
    #[allow(clippy::cast_possible_truncation)]
    pub fn expected(&self, probability: f32) -> f32 {
        let n = self.classes.len();
        // Where no draw was refused, as without the demand for different classes.
        if !self.unique || self.tries == n as f64 {
            return probability * n as f32;
        }
        -(self.tries as f32 * (-probability).ln_1p()).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_kernels::random::PhiloxState;

    fn words() -> Words {
        Words::from(PhiloxState::new(7, 3))
    }

    #[test]
    fn probabilities_sum_to_one_and_are_those_of_draws() {
        let weighted =
            ClassDistribution::weighted(&[1.0, 0.0, 3.0, 4.0], 3).expect("three classes");
        for distribution in [
            ClassDistribution::uniform(4),
            ClassDistribution::log_uniform(4),
            weighted,
        ] {
            let sum: f32 = (0..4).map(|k| distribution.probability(k)).sum();
            assert!((sum - 1.0).abs() < 1e-6);
            let batch = Batch::draw(&distribution, 20_000, false, &mut words()).expect("it fits");
            for k in 0..4 {
                let share = batch.classes.iter().filter(|c| **c == k).count() as f32 / 20_000.0;
                assert!(
                    (share - distribution.probability(k)).abs() < 0.02,
                    "{k}: {share}"
                );
            }
        }
    }

    #[test]
    fn different_classes_come_even_where_they_are_rare() {
        let distribution =
            ClassDistribution::weighted(&[1.0, 1e-30, 1e-30, 0.0], 3).expect("three classes");
        let mut batch = Batch::draw(&distribution, 3, true, &mut words()).expect("it ends");
        batch.classes.sort_unstable();
        assert_eq!(batch.classes, [0, 1, 2]);
        assert!(batch.tries > 1e20);
        assert!(ClassDistribution::weighted(&[1.0, 0.0], 2).is_err());
        assert!(ClassDistribution::weighted(&[f32::NAN], 1).is_err());
    }
}
