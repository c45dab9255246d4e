//! Laws that classes are drawn by, and batches of them.

use crate::numbers::Numbers;
use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{Result, bail, err, vec_for};
use std::collections::HashSet;

/// How likely each class is.
pub(crate) enum Law {
    Uniform(usize),
    LogUniform(usize),
    /// In proportion to weights; beside each the sum of those up to it, the last of which is the sum of all.
    Weighted {
        weights: Vec<f32>,
        sums: Vec<f64>,
    },
}

impl Law {
    pub fn uniform(range: usize) -> Law {
        Law::Uniform(range)
    }

    /// Class `k` with probability `ln(1 + 1 / (k + 1)) / ln(range + 1)`.
    pub fn log_uniform(range: usize) -> Law {
        Law::LogUniform(range)
    }

    /// Each class in proportion to its weight, of which so many must be above zero.
    pub fn weighted(weights: &[f32], least: usize) -> Result<Law> {
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
        let (mut kept, mut sums) = (vec_for(weights.len())?, vec_for(weights.len())?);
        let mut sum = 0.0;
        for w in weights {
            sum += f64::from(*w);
            kept.push(*w);
            sums.push(sum);
        }
        let weights = kept;
        Ok(Law::Weighted { weights, sums })
    }

    fn range(&self) -> usize {
        match self {
            Law::Uniform(range) | Law::LogUniform(range) => *range,
            Law::Weighted { sums, .. } => sums.len(),
        }
    }

    pub fn probability(&self, class: usize) -> f64 {
        match self {
            Law::Uniform(range) => 1.0 / *range as f64,
            Law::LogUniform(range) => {
                (1.0 / (class as f64 + 1.0)).ln_1p() / (*range as f64).ln_1p()
            }
            Law::Weighted { weights, sums } => f64::from(weights[class]) / sums[sums.len() - 1],
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn draw(&self, numbers: &mut Numbers) -> usize {
        let u = numbers.uniform();
        let class = match self {
            Law::Uniform(range) => (u * *range as f64) as usize,
            Law::LogUniform(range) => (u * (*range as f64).ln_1p()).exp_m1() as usize,
            Law::Weighted { sums, .. } => {
                let at = u * sums[sums.len() - 1];
                sums.partition_point(|sum| *sum <= at)
            }
        };
        class.min(self.range() - 1)
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
    pub fn draw(law: &Law, n: usize, unique: bool, numbers: &mut Numbers) -> Result<Batch> {
        let mut batch = Batch {
            classes: vec_for(n)?,
            unique,
            tries: 0.0,
        };
        let mut seen = HashSet::new();
        while batch.classes.len() < n {
            breathe();
            let class = match unique {
                false => law.draw(numbers),
                true => batch.draw_new(law, &seen, numbers)?,
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
        law: &Law,
        seen: &HashSet<usize>,
        numbers: &mut Numbers,
    ) -> Result<usize> {
        for _ in 0..MISSES {
            let class = law.draw(numbers);
            self.tries += 1.0;
            if !seen.contains(&class) && law.probability(class) > 0.0 {
                return Ok(class);
            }
        }
        let left = || (0..law.range()).filter(|k| !seen.contains(k));
        let mass: f64 = left().map(|k| law.probability(k)).sum();
        // As many further draws as it takes until one is new.
        let wait = (1.0 - numbers.uniform()).ln() / (-mass).ln_1p();
        self.tries += 1.0 + wait.floor().max(0.0);
        let (at, mut sum) = (numbers.uniform() * mass, 0.0);
        let mut last = None;
        for k in left().filter(|k| law.probability(*k) > 0.0) {
            breathe();
            sum += law.probability(k);
            last = Some(k);
            if sum > at {
                break;
            }
        }
        last.ok_or_else(|| err!(InvalidArgument, "no class is left to be drawn"))
    }

    /// How often a class of that probability is expected among those drawn.
    #[allow(clippy::cast_possible_truncation)]
    pub fn expected(&self, probability: f64) -> f32 {
        let count = match self.unique {
            true => -(self.tries * (-probability).ln_1p()).exp_m1(),
            false => probability * self.classes.len() as f64,
        };
        count as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_kernels::random::PhiloxState;

    fn numbers() -> Numbers {
        Numbers::of_sample(PhiloxState::new(7, 3), 0)
    }

    #[test]
    fn probabilities_sum_to_one_and_are_those_of_draws() {
        let weighted = Law::weighted(&[1.0, 0.0, 3.0, 4.0], 3).expect("three classes");
        for law in [Law::uniform(4), Law::log_uniform(4), weighted] {
            let sum: f64 = (0..4).map(|k| law.probability(k)).sum();
            assert!((sum - 1.0).abs() < 1e-12);
            let batch = Batch::draw(&law, 20_000, false, &mut numbers()).expect("it fits");
            for k in 0..4 {
                let share = batch.classes.iter().filter(|c| **c == k).count() as f64 / 20_000.0;
                assert!((share - law.probability(k)).abs() < 0.02, "{k}: {share}");
            }
        }
    }

    #[test]
    fn different_classes_come_even_where_they_are_rare() {
        let law = Law::weighted(&[1.0, 1e-30, 1e-30, 0.0], 3).expect("three classes");
        let mut batch = Batch::draw(&law, 3, true, &mut numbers()).expect("it ends");
        batch.classes.sort_unstable();
        assert_eq!(batch.classes, [0, 1, 2]);
        assert!(batch.tries > 1e20);
        assert!(Law::weighted(&[1.0, 0.0], 2).is_err());
        assert!(Law::weighted(&[f32::NAN], 1).is_err());
    }
}
