//! Where windows are: sizes, strides, dilations and paddings along up to three axes.

use ferrograph_tensor::{Dim, Result, bail, err};
use std::ops::Range;

/// The axes that windows move along, at most.
pub(crate) const AXES: usize = 3;

/// One axis: how windows are spaced along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Elements of the input.
    pub input: usize,
    /// Elements of a window.
    pub window: usize,
    /// Windows.
    pub output: usize,
    /// From one window to the next.
    pub stride: usize,
    /// From one element of a window to the next.
    pub dilation: usize,
    /// How far the first window begins before the input.
    pub before: usize,
}

impl Axis {
    /// An axis of one element.
    pub const ONE: Axis = Axis {
        input: 1,
        window: 1,
        output: 1,
        stride: 1,
        dilation: 1,
        before: 0,
    };

    /// The element of the input that element `k` of window `o` is, where it is within.
    #[inline(always)]
    pub fn at(&self, o: usize, k: usize) -> Option<usize> {
        let at = (o * self.stride + k * self.dilation).checked_sub(self.before)?;
        (at < self.input).then_some(at)
    }

    /// The elements of window `o` that are within the input, as many as there may be of a window.
    #[inline(always)]
    pub fn within(&self, o: usize) -> Range<usize> {
        let begin = o * self.stride;
        let first = self.before.saturating_sub(begin);
        let end = (self.before + self.input).saturating_sub(begin);
        if self.dilation == 1 {
            return first..end.min(self.window);
        }
        first.div_ceil(self.dilation)..end.div_ceil(self.dilation).min(self.window)
    }

    /// The axis of the convolution that the gradient of this one's input is, where windows are at every element: over
    /// the outputs, for each element of the input. None where they are not, or the padding is wider than a window.
    pub fn reversed(&self) -> Option<Axis> {
        let reach = self.window.saturating_sub(1).checked_mul(self.dilation)?;
        let before = reach.checked_sub(self.before)?;
        (self.stride == 1).then_some(Axis {
            input: self.output,
            output: self.input,
            before,
            ..*self
        })
    }

    /// The elements of window `o` that are within the input, where they follow one another in both: the first of them
    /// in the window, the first in the input, and how many there are.
    #[inline(always)]
    pub fn run(&self, o: usize) -> (usize, usize, usize) {
        let begin = o * self.stride;
        let first = self.before.saturating_sub(begin).min(self.window);
        let at = begin + first - self.before.min(begin + first);
        let n = (self.window - first).min(self.input.saturating_sub(at));
        (first, at, n)
    }
}

/// How paddings are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// Windows are within the input.
    Valid,
    /// As many windows as strides.
    Same,
    /// Elements before and after, along each axis.
    Explicit(Vec<[usize; 2]>),
}

/// The attributes that say where windows are, along the axes between batch and channels.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub strides: Vec<usize>,
    pub dilations: Vec<usize>,
    pub padding: Padding,
}

impl Windows {
    /// Reads the attributes, which have an entry for each axis of the input, of which there are `rank`.
    pub fn read(
        rank: usize,
        strides: &[i64],
        dilations: &[i64],
        padding: &str,
        explicit: &[i64],
        format: &str,
    ) -> Result<Windows> {
        if !matches!(format, "NHWC" | "NDHWC") {
            bail!(
                InvalidArgument,
                "data_format must have the channels last here, got {format:?}"
            );
        }
        let padding = match padding {
            "VALID" => Padding::Valid,
            "SAME" => Padding::Same,
            "EXPLICIT" => Padding::Explicit(explicit_paddings(rank, explicit)?),
            other => bail!(
                InvalidArgument,
                "padding must be \"VALID\", \"SAME\" or \"EXPLICIT\", got {other:?}"
            ),
        };
        Ok(Windows {
            strides: inner("strides", rank, strides)?,
            dilations: inner("dilations", rank, dilations)?,
            padding,
        })
    }

    /// How windows of that size are spaced along an axis, the `i`-th of those between batch and channels.
    pub fn axis(&self, i: usize, input: usize, window: usize) -> Result<Axis> {
        let (stride, dilation) = (self.strides[i], self.dilations[i]);
        let reach = match window {
            0 => 0,
            _ => (window - 1)
                .checked_mul(dilation)
                .and_then(|far| far.checked_add(1))
                .ok_or_else(|| {
                    err!(
                        InvalidArgument,
                        "windows of {window} by {dilation} are too large"
                    )
                })?,
        };
        let (output, before) = match &self.padding {
            Padding::Valid => (fitting(input, reach, stride), 0),
            Padding::Same => {
                let output = input.div_ceil(stride);
                let needed = output.saturating_sub(1) * stride + reach;
                (output, needed.saturating_sub(input) / 2)
            }
            Padding::Explicit(all) => {
                let [before, after] = all[i];
                let padded = input
                    .checked_add(before)
                    .and_then(|n| n.checked_add(after))
                    .ok_or_else(|| {
                        err!(
                            InvalidArgument,
                            "paddings of {before} and {after} are too large"
                        )
                    })?;
                (fitting(padded, reach, stride), before)
            }
        };
        Ok(Axis {
            input,
            window,
            output,
            stride,
            dilation,
            before,
        })
    }

    /// How many windows there are along an axis, as far as sizes are known.
    pub fn output(&self, i: usize, input: Dim, window: Dim) -> Result<Dim> {
        let Some(n) = input.known() else {
            return Ok(Dim::UNKNOWN);
        };
        let window = match (&self.padding, window.known()) {
            (_, Some(window)) => window,
            (Padding::Same, None) => 1,
            (_, None) => return Ok(Dim::UNKNOWN),
        };
        let axis = self.axis(i, n, window)?;
        let reach = window.saturating_sub(1).saturating_mul(axis.dilation) + 1;
        // A window that sticks out by less than two steps is one that is not there.
        let far = n.saturating_add(2 * axis.stride) <= reach;
        if axis.output == 0 && n > 0 && far && self.padding == Padding::Valid {
            bail!(
                Shape,
                "Computed output size would be negative: a window of {window} with dilation {} does not fit an axis of {n}",
                axis.dilation
            );
        }
        Ok(Dim::new(axis.output))
    }
}

/// How many windows of that reach fit.
fn fitting(input: usize, reach: usize, stride: usize) -> usize {
    (input + 1).saturating_sub(reach).div_ceil(stride)
}

/// The entries between batch and channels, which must be 1 themselves.
pub(crate) fn inner(what: &str, rank: usize, all: &[i64]) -> Result<Vec<usize>> {
    let [batch, inner @ .., channels] = all else {
        bail!(
            InvalidArgument,
            "{what} must have {rank} entries, got {all:?}"
        );
    };
    if all.len() != rank {
        bail!(
            InvalidArgument,
            "{what} must have {rank} entries, got {all:?}"
        );
    }
    if (*batch, *channels) != (1, 1) {
        bail!(
            InvalidArgument,
            "{what} along batch and channels must be 1, got {all:?}"
        );
    }
    let size = |&n: &i64| usize::try_from(n).ok().filter(|&n| n > 0 && n < 1 << 31);
    let sizes: Option<Vec<usize>> = inner.iter().map(size).collect();
    sizes.ok_or_else(|| err!(InvalidArgument, "{what} must be positive, got {all:?}"))
}

fn explicit_paddings(rank: usize, all: &[i64]) -> Result<Vec<[usize; 2]>> {
    let size = |&n: &i64| usize::try_from(n).ok().filter(|&n| n < 1 << 31);
    let sizes: Option<Vec<usize>> = all.iter().map(size).collect();
    let sizes = sizes.filter(|s| s.len() == 2 * rank).ok_or_else(|| {
        err!(
            InvalidArgument,
            "explicit_paddings must be {} numbers that are not negative, got {all:?}",
            2 * rank
        )
    })?;
    let pairs: Vec<[usize; 2]> = sizes.chunks(2).map(|p| [p[0], p[1]]).collect();
    if pairs[0] != [0, 0] || pairs[rank - 1] != [0, 0] {
        bail!(
            InvalidArgument,
            "explicit_paddings along batch and channels must be 0, got {all:?}"
        );
    }
    Ok(pairs[1..rank - 1].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(padding: &str, stride: i64, dilation: i64) -> Windows {
        let (s, d) = ([1, stride, 1], [1, dilation, 1]);
        Windows::read(3, &s, &d, padding, &[0, 0, 2, 1, 0, 0], "NHWC").unwrap()
    }

    #[test]
    fn windows_are_counted() {
        let count = |padding, stride, dilation, input, window| {
            let axis = windows(padding, stride, dilation)
                .axis(0, input, window)
                .unwrap();
            (axis.output, axis.before)
        };
        assert_eq!(count("VALID", 1, 1, 5, 3), (3, 0));
        assert_eq!(count("VALID", 2, 1, 5, 2), (2, 0));
        assert_eq!(count("VALID", 1, 2, 5, 3), (1, 0));
        assert_eq!(count("VALID", 1, 1, 2, 3), (0, 0));
        assert_eq!(count("SAME", 1, 1, 5, 3), (5, 1));
        assert_eq!(count("SAME", 2, 1, 5, 2), (3, 0));
        assert_eq!(count("SAME", 3, 1, 5, 4), (2, 1));
        assert_eq!(count("EXPLICIT", 1, 1, 5, 3), (6, 2));
        assert_eq!(count("SAME", 1, 1, 0, 3).0, 0);
    }

    #[test]
    fn runs_hold_the_elements_within() {
        for (stride, window, before) in combined(&[1, 2, 3], &[1, 2, 5, 9], &[0, 1, 4, 8]) {
            let axis = Axis {
                input: 4,
                window,
                output: 9,
                stride,
                dilation: 1,
                before,
            };
            for o in 0..axis.output {
                let all: Vec<_> = (0..window)
                    .filter_map(|k| Some((k, axis.at(o, k)?)))
                    .collect();
                let (first, at, n) = axis.run(o);
                assert_eq!(n, all.len(), "{axis:?} {o}");
                assert!(
                    (0..n).all(|i| all[i] == (first + i, at + i)),
                    "{axis:?} {o}"
                );
            }
        }
    }

    #[test]
    fn windows_of_any_size_reach_what_lies_within() {
        for (stride, window, before) in combined(&[1, 2, 3], &[1, 2, 5, 9], &[0, 1, 4, 8]) {
            for (input, dilation) in [(4, 1), (4, 2), (3, 3), (0, 1)] {
                let axis = Axis {
                    input,
                    window,
                    output: 9,
                    stride,
                    dilation,
                    before,
                };
                for o in 0..axis.output {
                    let all: Vec<_> = (0..window).filter(|&k| axis.at(o, k).is_some()).collect();
                    assert_eq!(axis.within(o).collect::<Vec<_>>(), all, "{axis:?} {o}");
                }
            }
        }
        let axis = windows("SAME", 1, 1).axis(0, 3, 1 << 31).unwrap();
        assert_eq!(axis.within(0).len(), 3);
    }

    fn combined(a: &[usize], b: &[usize], c: &[usize]) -> Vec<(usize, usize, usize)> {
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
        pairs
            .flat_map(|(a, b)| c.iter().map(move |&c| (a, b, c)))
            .collect()
    }

    #[test]
    fn attributes_are_checked() {
        let read = |strides: &[i64], padding: &str, explicit: &[i64]| {
            Windows::read(3, strides, &[1, 1, 1], padding, explicit, "NHWC").is_ok()
        };
        assert!(read(&[1, 1, 1], "VALID", &[]));
        assert!(!read(&[1, 0, 1], "VALID", &[]));
        assert!(!read(&[2, 1, 1], "VALID", &[]));
        assert!(!read(&[1, 1], "VALID", &[]));
        assert!(!read(&[1, 1, 1], "sideways", &[]));
        assert!(!read(&[1, 1, 1], "EXPLICIT", &[0, 0, 1]));
        assert!(!read(&[1, 1, 1], "EXPLICIT", &[1, 0, 1, 1, 0, 0]));
    }
}
