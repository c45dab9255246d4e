//! Strided views: where the elements of an n-dimensional array are in a slice.
//!
//! A view is made from shapes alone, before there are elements, so that a movement can be bound once and run often.

use smallvec::SmallVec;

/// One axis of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    pub len: usize,
    pub stride: isize,
}

/// Where each element of an n-dimensional array is in a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub(super) start: isize,
    pub(super) axes: SmallVec<[Axis; 6]>,
}

impl View {
    /// Where the first element is.
    pub fn start(&self) -> isize {
        self.start
    }

    /// How far apart the elements along each axis are.
    pub fn strides(&self) -> SmallVec<[isize; 6]> {
        self.axes.iter().map(|a| a.stride).collect()
    }

    /// All of a row-major array.
    pub fn of(shape: &[usize]) -> View {
        let mut stride = 1;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::with_capacity(shape.len());
        for &len in shape.iter().rev() {
            axes.push(Axis { len, stride });
            stride = stride.saturating_mul(len as isize);
        }
        axes.reverse();
        View { start: 0, axes }
    }

    /// The axes in the order `perm`.
    pub fn permute(mut self, perm: &[usize]) -> View {
        assert_eq!(perm.len(), self.axes.len(), "one entry an axis");
        self.axes = perm.iter().map(|&d| self.axes[d]).collect();
        self
    }

    /// Elements `begin, begin + step, …` of an axis, `len` of them.
    pub fn slice(mut self, axis: usize, begin: usize, step: isize, len: usize) -> View {
        let a = &mut self.axes[axis];
        if len > 0 {
            let last = begin as isize + step * (len as isize - 1);
            assert!(
                begin < a.len && (0..a.len as isize).contains(&last),
                "the slice lies within its axis"
            );
            self.start = self
                .start
                .wrapping_add((begin as isize).wrapping_mul(a.stride));
        }
        a.len = len;
        a.stride = a.stride.wrapping_mul(step);
        self
    }

    /// An axis backwards.
    pub fn reverse(self, axis: usize) -> View {
        let len = self.axes[axis].len;
        self.slice(axis, len.saturating_sub(1), -1, len)
    }

    /// The part at one place along an axis, without that axis.
    pub fn at(self, axis: usize, place: usize) -> View {
        let mut one = self.slice(axis, place, 1, 1);
        one.axes.remove(axis);
        one
    }

    /// The whole repeated along each axis: an axis of repetitions before each axis.
    pub fn tile(mut self, repeats: &[usize]) -> View {
        assert_eq!(repeats.len(), self.axes.len(), "one repeat an axis");
        let again = repeats.iter().map(|&len| Axis { len, stride: 0 });
        self.axes = again.zip(self.axes).flat_map(|(r, a)| [r, a]).collect();
        self
    }

    /// Repeated along axes of length 1 and along new leading ones; `None` where it does not broadcast to `shape`.
    pub fn broadcast_to(mut self, shape: &[usize]) -> Option<View> {
        let lead = shape.len().checked_sub(self.axes.len())?;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::with_capacity(shape.len());
        for (i, &len) in shape.iter().enumerate() {
            let own = i.checked_sub(lead).map(|i| self.axes[i]);
            axes.push(match own {
                Some(a) if a.len == len => a,
                Some(a) if a.len != 1 => return None,
                _ => Axis { len, stride: 0 },
            });
        }
        self.axes = axes;
        Some(self)
    }

    /// The length of each axis.
    pub fn shape(&self) -> SmallVec<[usize; 6]> {
        self.axes.iter().map(|a| a.len).collect()
    }

    /// The lowest and the highest place in the slice; `None` for no elements.
    pub(super) fn reach(&self) -> Option<(isize, isize)> {
        if self.axes.iter().any(|a| a.len == 0) {
            return None;
        }
        let (mut low, mut high) = (self.start, self.start);
        for a in &self.axes {
            let far = a.stride * (a.len as isize - 1);
            low += far.min(0);
            high += far.max(0);
        }
        Some((low, high))
    }

    /// Whether no two elements share a place: each stride steps over all that smaller ones reach.
    pub(super) fn is_injective(&self) -> bool {
        let long = self.axes.iter().filter(|a| a.len > 1);
        let mut steps: SmallVec<[(usize, usize); 6]> =
            long.map(|a| (a.stride.unsigned_abs(), a.len)).collect();
        steps.sort_unstable();
        let mut reached = 0;
        steps.iter().all(|&(stride, len)| {
            let beyond = stride > reached;
            reached += stride * (len - 1);
            beyond
        })
    }
}
