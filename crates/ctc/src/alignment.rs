//! The probability of labels over all their alignments with time, and its gradient.

use crate::frames::log_add;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Result, vec_of};

/// How alignments are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The class that represents no label.
    pub blank: usize,
    /// Whether equal labels one after the other are one label, unless a blank stands between.
    pub merge: bool,
}

/// The states of an alignment: the labels, with blanks before, between and behind them.
struct States<'a> {
    labels: &'a [usize],
    rules: Rules,
}

impl States<'_> {
    fn len(&self) -> usize {
        2 * self.labels.len() + 1
    }

    /// The class of a state.
    fn class(&self, s: usize) -> usize {
        if s.is_multiple_of(2) {
            self.rules.blank
        } else {
            self.labels[s / 2]
        }
    }

    /// Whether an alignment may stay in a state.
    fn stays(&self, s: usize) -> bool {
        self.rules.merge || s.is_multiple_of(2)
    }

    /// Whether an alignment may come to a state from the one before the last.
    fn skips(&self, s: usize) -> bool {
        let is_label = !s.is_multiple_of(2) && s > 1;
        is_label && !(self.rules.merge && self.class(s) == self.class(s - 2))
    }
}

/// The shortest time in which labels fit.
pub(crate) fn least_time(labels: &[usize], rules: Rules) -> usize {
    let repeats = labels.windows(2).filter(|w| w[0] == w[1]).count();
    labels.len() + if rules.merge { repeats } else { 0 }
}

/// Minus the logarithm of the labels' probability under rows of `classes` log probabilities, and its gradient by the
/// scores: the probabilities less those that the alignments give to the classes (equation 16 of the paper).
pub(crate) fn loss(
    labels: &[usize],
    log_probs: &[f64],
    classes: usize,
    rules: Rules,
) -> Result<(f64, Vec<f64>)> {
    let states = States { labels, rules };
    let time = log_probs.len() / classes.max(1);
    let mut gradient: Vec<f64> = log_probs.iter().map(|p| p.exp()).collect();
    if time == 0 {
        let loss = if labels.is_empty() {
            0.0
        } else {
            f64::INFINITY
        };
        return Ok((loss, gradient));
    }
    let forward = forward(&states, log_probs, classes, time)?;
    let n = states.len();
    let last = &forward[(time - 1) * n..];
    let total = log_add(
        last[n - 1],
        if n > 1 {
            last[n - 2]
        } else {
            f64::NEG_INFINITY
        },
    );
    if total == f64::NEG_INFINITY {
        gradient.fill(0.0);
        return Ok((f64::INFINITY, gradient));
    }
    backward(&states, log_probs, classes, &forward, total, &mut gradient)?;
    Ok((-total, gradient))
}

/// For each time and state the log probability of coming there, with what is seen at that time.
fn forward(
    states: &States<'_>,
    log_probs: &[f64],
    classes: usize,
    time: usize,
) -> Result<Vec<f64>> {
    let n = states.len();
    let mut all = vec_of(f64::NEG_INFINITY, time.saturating_mul(n))?;
    for s in 0..n.min(2) {
        all[s] = log_probs[states.class(s)];
    }
    for t in 1..time {
        poll_cancellation();
        let (before, now) = all[(t - 1) * n..(t + 1) * n].split_at_mut(n);
        for s in 0..n {
            let mut sum = f64::NEG_INFINITY;
            if states.stays(s) {
                sum = before[s];
            }
            if s > 0 {
                sum = log_add(sum, before[s - 1]);
            }
            if states.skips(s) {
                sum = log_add(sum, before[s - 2]);
            }
            now[s] = sum + log_probs[t * classes + states.class(s)];
        }
    }
    Ok(all)
}

/// Takes from each class what the alignments give to it.
fn backward(
    states: &States<'_>,
    log_probs: &[f64],
    classes: usize,
    forward: &[f64],
    total: f64,
    gradient: &mut [f64],
) -> Result<()> {
    let n = states.len();
    let time = forward.len() / n;
    // The log probability of what is seen later, from each state.
    let mut later = vec_of(f64::NEG_INFINITY, n)?;
    later[n - 1] = 0.0;
    if n > 1 {
        later[n - 2] = 0.0;
    }
    for t in (0..time).rev() {
        poll_cancellation();
        for s in 0..n {
            let share = (forward[t * n + s] + later[s] - total).exp();
            gradient[t * classes + states.class(s)] -= share;
        }
        let seen = |s: usize| log_probs[t * classes + states.class(s)];
        // What comes of a state is read before it is written: states go up, and look up.
        for s in 0..n {
            let mut sum = f64::NEG_INFINITY;
            if states.stays(s) {
                sum = later[s] + seen(s);
            }
            if s + 1 < n {
                sum = log_add(sum, later[s + 1] + seen(s + 1));
            }
            if s + 2 < n && states.skips(s + 2) {
                sum = log_add(sum, later[s + 2] + seen(s + 2));
            }
            later[s] = sum;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        blank: 2,
        merge: true,
    };

    /// What a path of classes represents.
    fn labels_of(path: &[usize]) -> Vec<usize> {
        let mut labels = Vec::new();
        for (t, &class) in path.iter().enumerate() {
            if class != RULES.blank && (t == 0 || path[t - 1] != class) {
                labels.push(class);
            }
        }
        labels
    }

    fn normal(rows: &[[f64; 3]]) -> Vec<f64> {
        let norm = |row: &[f64; 3]| row.map(|x| x - row.iter().map(|x| x.exp()).sum::<f64>().ln());
        rows.iter().flat_map(norm).collect()
    }

    const ROWS: [[f64; 3]; 4] = [
        [0.3, -1.0, 0.5],
        [1.2, 0.1, -0.4],
        [0.0, 0.7, 0.2],
        [-0.6, 0.4, 0.9],
    ];

    #[test]
    fn the_sum_over_all_paths() {
        let log_probs = normal(&ROWS);
        for labels in [vec![], vec![0], vec![0, 1], vec![1, 1], vec![0, 1, 0]] {
            let mut sum = 0.0;
            for code in 0..81 {
                let path: Vec<usize> = (0..4).map(|t| code / 3_usize.pow(t) % 3).collect();
                if labels_of(&path) == labels {
                    let log: f64 = (0..4).map(|t| log_probs[t * 3 + path[t]]).sum();
                    sum += log.exp();
                }
            }
            let (loss, _) = loss(&labels, &log_probs, 3, RULES).unwrap();
            assert!((loss + f64::ln(sum)).abs() < 1e-12, "{labels:?}");
        }
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let labels = [0, 1];
        let (_, gradient) = loss(&labels, &normal(&ROWS), 3, RULES).unwrap();
        for (i, expected) in gradient.iter().enumerate() {
            let at = |h: f64| {
                let mut rows = ROWS;
                rows[i / 3][i % 3] += h;
                loss(&labels, &normal(&rows), 3, RULES).unwrap().0
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn labels_that_do_not_fit() {
        let (loss, gradient) = loss(&[1, 1], &normal(&ROWS[..2]), 3, RULES).unwrap();
        assert!(loss == f64::INFINITY && gradient.iter().all(|g| *g == 0.0));
        assert_eq!(least_time(&[1, 1, 0], RULES), 4);
    }
}
