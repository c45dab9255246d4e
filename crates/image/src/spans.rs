//! Which neighbours along an axis make an element, and with what weights.

use ferrograph_tensor::{Result, err, vec_for, vec_of};

/// For each element of one axis, consecutive elements of another one and their weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spans {
    first: Vec<u32>,
    ends: Vec<u32>,
    weights: Vec<f32>,
}

/// An index as it is kept.
fn small(i: usize) -> Result<u32> {
    u32::try_from(i).map_err(|_| err!(ResourceExhausted, "an axis of {i} elements is too long"))
}

impl Spans {
    /// No spans yet, and room for `n` of them, which hold so many weights together.
    pub fn with_room(n: usize, weights: usize) -> Result<Spans> {
        Ok(Spans {
            first: vec_for(n)?,
            ends: vec_for(n)?,
            weights: vec_for(weights)?,
        })
    }

    /// Adds a span that begins with element `first`.
    pub fn push(&mut self, first: usize, weights: impl IntoIterator<Item = f32>) -> Result<()> {
        self.weights.extend(weights);
        self.first.push(small(first)?);
        self.ends.push(small(self.weights.len())?);
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// How many weights there are on the whole.
    pub fn n_weights(&self) -> usize {
        self.weights.len()
    }

    /// Where span `i` begins, and its weights.
    #[inline]
    pub fn at(&self, i: usize) -> (usize, &[f32]) {
        let begin = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (
            self.first[i] as usize,
            &self.weights[begin..self.ends[i] as usize],
        )
    }

    /// For each of the `n` elements that these spans are over, the spans that it is in: what carries gradients back.
    /// Neither ends of spans go back from one span to the next.
    pub fn transposed(&self, n: usize) -> Result<Spans> {
        let mut hulls = vec_of((u32::MAX, 0u32), n)?;
        for i in 0..self.len() {
            let (first, weights) = self.at(i);
            let (at, end) = (small(i)?, small(i + 1)?);
            for hull in &mut hulls[first..first + weights.len()] {
                *hull = (hull.0.min(at), end);
            }
        }
        let total = hulls.iter().map(|&(a, b)| b.saturating_sub(a) as usize);
        let mut all = Spans::with_room(n, total.sum())?;
        for (element, &(begin, end)) in hulls.iter().enumerate() {
            let within = begin.min(end) as usize..end as usize;
            let weight = |i: usize| {
                let (first, weights) = self.at(i);
                let place = element.checked_sub(first);
                place.and_then(|k| weights.get(k)).copied().unwrap_or(0.0)
            };
            all.push(within.start, within.map(weight))?;
        }
        Ok(all)
    }
}

/// Where on an axis of `from` elements those of one of `to` are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub from: usize,
    pub to: usize,
    /// The first and the last elements of both coincide.
    pub align_corners: bool,
    /// Elements are at their middles.
    pub half_pixel_centers: bool,
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
impl Grid {
    /// How far apart they are.
    pub fn scale(&self) -> f32 {
        match self.align_corners && self.to > 1 {
            true => (self.from - 1) as f32 / (self.to - 1) as f32,
            false => self.from as f32 / self.to as f32,
        }
    }

    /// Where element `i` is.
    fn place(&self, i: usize) -> f32 {
        match self.half_pixel_centers {
            true => (i as f32 + 0.5) * self.scale() - 0.5,
            false => i as f32 * self.scale(),
        }
    }

    /// The element of the axis that is nearest to element `i`.
    pub fn nearest(&self, i: usize) -> usize {
        let at = match self.half_pixel_centers {
            true => ((i as f32 + 0.5) * self.scale()).floor(),
            false if self.align_corners => self.place(i).round(),
            false => self.place(i).floor(),
        };
        (at.max(0.0) as usize).min(self.from - 1)
    }

    /// Weights of the two elements around each, by their distance.
    pub fn linear(&self) -> Result<Spans> {
        let mut all = Spans::with_room(self.to, self.to.saturating_mul(2))?;
        for i in 0..self.to {
            let at = self.place(i);
            let (below, beyond) = (at.floor(), at - at.floor());
            let low = (below.max(0.0) as usize).min(self.from - 1);
            let high = ((below + 1.0).max(0.0) as usize).min(self.from - 1);
            match low == high {
                true => all.push(low, [1.0])?,
                false => all.push(low, [1.0 - beyond, beyond])?,
            }
        }
        Ok(all)
    }

    /// Weights of the four elements around each, by cubic polynomials. At middles those beyond the ends count nothing;
    /// elsewhere the ones at the ends are repeated.
    pub fn cubic(&self) -> Result<Spans> {
        let mut all = Spans::with_room(self.to, self.to.saturating_mul(4))?;
        for i in 0..self.to {
            let at = self.place(i);
            let taps = taps(
                at - at.floor(),
                if self.half_pixel_centers { -0.5 } else { -0.75 },
            );
            let begin = at.floor() as isize - 1;
            let last = self.from as isize - 1;
            let (first, end) = (begin.clamp(0, last), (begin + 3).clamp(0, last));
            let mut weights = [0f32; 4];
            for (k, tap) in taps.into_iter().enumerate() {
                let at = begin + k as isize;
                let within = at.clamp(0, last);
                if at == within || !self.half_pixel_centers {
                    weights[(within - first) as usize] += tap;
                }
            }
            let weights = &mut weights[..=(end - first) as usize];
            let sum: f32 = weights.iter().sum();
            if self.half_pixel_centers && sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
                weights.iter_mut().for_each(|w| *w /= sum);
            }
            all.push(first as usize, weights.iter().copied())?;
        }
        Ok(all)
    }

    /// How much of each element is within the part of the axis that one of the result covers.
    pub fn area(&self) -> Result<Spans> {
        let scale = self.scale();
        let width = scale.ceil() as usize + 2;
        let mut all = Spans::with_room(self.to, self.to.saturating_mul(width))?;
        for i in 0..self.to {
            let (begin, end) = (i as f32 * scale, (i + 1) as f32 * scale);
            let first = (begin.floor() as usize).min(self.from - 1);
            let last = (end.ceil() as usize).clamp(first + 1, self.from);
            let part = |k: usize| (end.min((k + 1) as f32) - begin.max(k as f32)) / scale;
            all.push(first, (first..last).map(part))?;
        }
        Ok(all)
    }
}

/// How finely positions between elements are distinguished by cubic weights.
const STEPS: f32 = 1024.0;

/// The weights of four elements, the second of which is `beyond` before the place that is asked for.
fn taps(beyond: f32, a: f32) -> [f32; 4] {
    let beyond = (beyond * STEPS).round_ties_even() / STEPS;
    let near = |x: f32| ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    let far = |x: f32| ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
    [
        far(beyond + 1.0),
        near(beyond),
        near(1.0 - beyond),
        far(2.0 - beyond),
    ]
}

/// The shape of weights around a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bell {
    Lanczos(f32),
    Gaussian,
    Box,
    Triangle,
    KeysCubic,
    MitchellCubic,
}

impl Bell {
    /// The shape of that name.
    pub fn named(name: &str) -> Option<Bell> {
        Some(match name {
            "lanczos1" => Bell::Lanczos(1.0),
            "lanczos3" => Bell::Lanczos(3.0),
            "lanczos5" => Bell::Lanczos(5.0),
            "gaussian" => Bell::Gaussian,
            "box" => Bell::Box,
            "triangle" => Bell::Triangle,
            "keyscubic" => Bell::KeysCubic,
            "mitchellcubic" => Bell::MitchellCubic,
            _ => return None,
        })
    }

    /// Where it ends.
    fn radius(self) -> f32 {
        match self {
            Bell::Lanczos(radius) => radius,
            Bell::Gaussian => 1.5,
            Bell::Box => 0.5,
            Bell::Triangle => 1.0,
            Bell::KeysCubic | Bell::MitchellCubic => 2.0,
        }
    }

    /// The weight at that distance.
    fn weight(self, x: f32) -> f32 {
        let x = x.abs();
        if self != Bell::Box && x >= self.radius() {
            return 0.0;
        }
        match self {
            Bell::Lanczos(_) if x <= 1e-3 => 1.0,
            Bell::Lanczos(radius) => {
                let turn = std::f32::consts::PI * x;
                radius * turn.sin() * (turn / radius).sin() / (turn * turn)
            }
            Bell::Gaussian => (-2.0 * x * x).exp(),
            Bell::Box if x < 0.5 => 1.0,
            Bell::Box => {
                if x == 0.5 {
                    0.5
                } else {
                    0.0
                }
            }
            Bell::Triangle => 1.0 - x,
            Bell::KeysCubic if x >= 1.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
            Bell::KeysCubic => (1.5 * x - 2.5) * x * x + 1.0,
            Bell::MitchellCubic if x >= 1.0 => {
                (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
            }
            Bell::MitchellCubic => ((7.0 / 6.0) * x - 2.0) * x * x + 8.0 / 9.0,
        }
    }

    /// Weights for an axis of `to` elements over one of `from`, which is scaled and then moved. Elements that are
    /// beyond the ends have none.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    pub fn spans(
        self,
        [from, to]: [usize; 2],
        scale: f32,
        move_by: f32,
        antialias: bool,
    ) -> Result<Spans> {
        let step = 1.0 / scale;
        let wide = if antialias { step.max(1.0) } else { 1.0 };
        let reach = self.radius() * wide;
        let width = ((2.0 * reach.ceil()) as usize).saturating_add(1).min(from);
        let mut all = Spans::with_room(to, to.saturating_mul(width))?;
        for i in 0..to {
            let at = (i as f32 + 0.5 - move_by) * step;
            if !(0.0..=from as f32).contains(&at) {
                all.push(0, [])?;
                continue;
            }
            let first = ((at - reach - 0.5).ceil().max(0.0) as usize).min(from - 1);
            let last = ((at + reach - 0.5).floor().max(0.0) as usize).clamp(first, from - 1);
            let weight = |k: usize| self.weight((k as f32 + 0.5 - at) / wide);
            let sum: f32 = (first..=last).map(weight).sum();
            let factor = if sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
                1.0 / sum
            } else {
                0.0
            };
            all.push(first, (first..=last).map(|k| weight(k) * factor))?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(from: usize, to: usize) -> Grid {
        Grid {
            from,
            to,
            align_corners: false,
            half_pixel_centers: true,
        }
    }

    #[test]
    fn weights_sum_to_one() {
        for (from, to) in [(4, 7), (7, 3), (1, 5), (5, 1), (3, 3)] {
            let grid = grid(from, to);
            let mut all = vec![grid.linear(), grid.cubic(), grid.area()];
            for bell in [
                "lanczos3",
                "gaussian",
                "triangle",
                "keyscubic",
                "mitchellcubic",
            ] {
                let bell = Bell::named(bell).unwrap();
                let scale = to as f32 / from as f32;
                all.push(bell.spans([from, to], scale, 0.0, true));
            }
            for spans in all {
                let spans = spans.unwrap();
                assert_eq!(spans.len(), to);
                for i in 0..to {
                    let (first, weights) = spans.at(i);
                    assert!(first + weights.len() <= from);
                    assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn transposing_keeps_weights() {
        for (from, to) in [(4, 7), (9, 3), (40, 2)] {
            let spans = grid(from, to).linear().unwrap();
            let turned = spans.transposed(from).unwrap();
            for element in 0..from {
                let (begin, weights) = turned.at(element);
                for i in 0..to {
                    let (first, own) = spans.at(i);
                    let own = element.checked_sub(first).and_then(|k| own.get(k));
                    let other = i.checked_sub(begin).and_then(|k| weights.get(k));
                    assert_eq!(own.copied().unwrap_or(0.0), other.copied().unwrap_or(0.0));
                }
            }
            assert_eq!(turned.transposed(to).unwrap().len(), to);
        }
    }
}
