//! Which of boxes that overlap are kept: the best, one after the other.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use ferrograph_kernels::scratch::{push, vec_for};
use ferrograph_kernels::stop::poll_cancellation;

/// How much two boxes cover one another: the common part of what either covers.
pub(super) fn overlap(a: &[f32], b: &[f32]) -> f32 {
    let sides = |x: &[f32]| {
        let ordered = |p: f32, q: f32| (p.min(q), p.max(q));
        (ordered(x[0], x[2]), ordered(x[1], x[3]))
    };
    let ((a_top, a_bottom), (a_left, a_right)) = sides(a);
    let ((b_top, b_bottom), (b_left, b_right)) = sides(b);
    let [own, other] = [
        (a_bottom - a_top) * (a_right - a_left),
        (b_bottom - b_top) * (b_right - b_left),
    ];
    if own <= 0.0 || other <= 0.0 {
        return 0.0;
    }
    let high = (a_bottom.min(b_bottom) - a_top.max(b_top)).max(0.0);
    let wide = (a_right.min(b_right) - a_left.max(b_left)).max(0.0);
    high * wide / (own + other - high * wide)
}

/// A box that may be kept.
#[derive(Clone, Copy)]
struct Candidate {
    score: f32,
    place: usize,
    /// Of the kept ones, how many have had their effect on the score.
    seen: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// What is kept.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// Boxes, at most.
    pub(super) most: usize,
    /// The overlap beyond which a box is left out.
    pub(super) overlap: f32,
    /// The score that a box has to surpass.
    pub(super) score: f32,
    /// How softly kept boxes lower the scores of those that they cover; not at all at 0.
    pub(super) sigma: f32,
    /// Whether boxes are left out at the threshold already.
    pub(super) at_threshold: bool,
}

impl Choice {
    /// Places and scores of the boxes that are kept.
    pub(super) fn made(
        &self,
        scores: impl ExactSizeIterator<Item = f32>,
        overlap: impl Fn(usize, usize) -> f32,
    ) -> Vec<(usize, f32)> {
        let candidate = |(place, score)| Candidate {
            score,
            place,
            seen: 0,
        };
        let good: Vec<Candidate> = {
            let mut good = vec_for(scores.len());
            good.extend(
                scores
                    .enumerate()
                    .filter(|(_, s)| *s > self.score)
                    .map(candidate),
            );
            good
        };
        let mut left = BinaryHeap::from(good);
        let mut kept: Vec<(usize, f32)> = Vec::new();
        while kept.len() < self.most
            && let Some(mut next) = left.pop()
        {
            let before = next.score;
            if self.covers(&mut next, &kept, &overlap) {
                continue;
            }
            if next.score == before {
                push(&mut kept, (next.place, next.score));
            } else if next.score > self.score {
                left.push(next);
            }
        }
        kept
    }

    /// Whether a kept box leaves a candidate out; where none does, they lower its score.
    fn covers(
        &self,
        next: &mut Candidate,
        kept: &[(usize, f32)],
        overlap: &impl Fn(usize, usize) -> f32,
    ) -> bool {
        for (other, _) in kept[next.seen..].iter().rev() {
            poll_cancellation();
            let common = overlap(next.place, *other);
            if self.sigma == 0.0 {
                if common > self.overlap || self.at_threshold && common == self.overlap {
                    return true;
                }
                continue;
            }
            next.score *= (-0.5 / self.sigma * common * common).exp();
            if next.score <= self.score {
                return true;
            }
        }
        next.seen = kept.len();
        false
    }
}

/// The boxes of a stack that are kept, by their overlaps.
pub(super) fn kept_of(choice: Choice, boxes: &[f32], scores: &[f32]) -> Vec<(usize, f32)> {
    let at = |i: usize| &boxes[4 * i..4 * i + 4];
    choice.made(scores.iter().copied(), |a, b| overlap(at(a), at(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOXES: [f32; 16] = [
        0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 1.0, 0.0, 5.0, 1.0, 6.0,
    ];

    fn kept(overlap: f32, sigma: f32, most: usize) -> Vec<usize> {
        let choice = Choice {
            most,
            overlap,
            score: f32::NEG_INFINITY,
            sigma,
            at_threshold: false,
        };
        let kept = kept_of(choice, &BOXES, &[0.9, 0.8, 0.7, 0.6]);
        kept.iter().map(|(place, _)| *place).collect()
    }

    #[test]
    fn the_best_boxes_are_kept() {
        assert_eq!(kept(0.5, 0.0, 4), [0, 1, 3]);
        assert_eq!(kept(0.4, 0.0, 4), [0, 3]);
        assert_eq!(kept(0.4, 0.0, 1), [0]);
        assert_eq!(kept(0.4, 0.5, 4), [0, 1, 3, 2]);
    }

    #[test]
    fn corners_may_be_in_any_order() {
        assert_eq!(overlap(&[1.0, 1.0, 0.0, 0.0], &[0.0, 2.0, 1.0, 0.0]), 0.5);
        assert_eq!(overlap(&[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 1.0, 1.0]), 0.0);
    }
}
