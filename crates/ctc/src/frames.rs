//! Scores of a batch of sequences, and what is read of them.

use ferrograph_graph::Inputs;
use ferrograph_tensor::{Dim, Element, PartialShape, Result, Tensor, bail};
use num_traits::AsPrimitive;

/// Scores `[time, batch, class]` and the length of each sequence.
pub(crate) struct Frames<'a, T> {
    scores: &'a [T],
    pub time: usize,
    pub batch: usize,
    pub classes: usize,
    pub lengths: Vec<usize>,
}

impl<'a, T: Element + AsPrimitive<f64>> Frames<'a, T> {
    /// The scores and lengths in two tensors.
    pub fn new(scores: &'a Tensor, lengths: &Tensor) -> Result<Frames<'a, T>> {
        let [time, batch, classes] = scores.shape()[..] else {
            bail!(Shape, "inputs must have rank 3, got {}", scores.spec());
        };
        let length = |(i, &n): (usize, &i32)| match usize::try_from(n) {
            Ok(n) if n <= time => Ok(n),
            _ => bail!(
                InvalidArgument,
                "sequence_length[{i}] must be in [0, {time}], got {n}"
            ),
        };
        let lengths = lengths.as_slice::<i32>()?.iter().enumerate();
        let lengths: Vec<usize> = lengths.map(length).collect::<Result<_>>()?;
        Ok(Frames {
            scores: scores.as_slice()?,
            time,
            batch,
            classes,
            lengths,
        })
    }

    /// Where the scores of sequence `b` at time `t` begin.
    pub fn at(&self, t: usize, b: usize) -> usize {
        (t * self.batch + b) * self.classes
    }

    /// The scores of sequence `b` at time `t`.
    pub fn scores(&self, t: usize, b: usize) -> &'a [T] {
        &self.scores[self.at(t, b)..][..self.classes]
    }

    /// The logarithms of the classes' probabilities in sequence `b`, a row each time.
    pub fn log_probabilities(&self, b: usize) -> Result<Vec<f64>> {
        let n = self.lengths[b];
        let mut all = ferrograph_tensor::vec_for(n.saturating_mul(self.classes))?;
        for t in 0..n {
            let row = self.scores(t, b).iter().map(|&x| -> f64 { x.as_() });
            let most = row.clone().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.clone().map(|x| (x - most).exp()).sum();
            let norm = most + sum.ln();
            all.extend(row.map(|x| x - norm));
        }
        Ok(all)
    }
}

/// The batch of scores of rank 3 and lengths of rank 1, as far as either says it.
pub(crate) fn batch(inputs: &Inputs<'_>, lengths: usize) -> Result<Dim> {
    let scores = inputs.shape(0).merge(&PartialShape::of_rank(3))?;
    let lengths = inputs.shape(lengths).merge(&PartialShape::of_rank(1))?;
    if !scores.dim(1).is_compatible(lengths.dim(0)) {
        bail!(
            Shape,
            "sequence_length must have an element for each of {} sequences, got shape {lengths}",
            scores.dim(1)
        );
    }
    let known = scores.dim(1).known().or(lengths.dim(0).known());
    Ok(Dim::from(known))
}

/// `ln(e^a + e^b)`
pub(crate) fn log_add(a: f64, b: f64) -> f64 {
    let (most, least) = if a > b { (a, b) } else { (b, a) };
    if least == f64::NEG_INFINITY {
        return most;
    }
    most + (least - most).exp().ln_1p()
}
