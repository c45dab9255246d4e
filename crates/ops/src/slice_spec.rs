//! What a strided slice with its masks selects, first as far as known and then exactly.

use ferrograph_graph::{Inputs, Known};
use ferrograph_tensor::{Dim, Error, ErrorKind, MAX_RANK, PartialShape, Result, bail, err};
use smallvec::SmallVec;
use std::sync::Arc;

/// The masks of a strided slice: bit `i` speaks of entry `i` of begin, end and strides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceMasks {
    /// Begins at the start of the axis, whatever begin says.
    pub begin: i64,
    /// Ends at the end of the axis, whatever end says.
    pub end: i64,
    /// Stands for all axes that no other entry speaks of.
    pub ellipsis: i64,
    /// Puts in an axis of size 1.
    pub new_axis: i64,
    /// Takes the one index begin and drops the axis.
    pub shrink_axis: i64,
}

fn bit(mask: i64, i: usize) -> bool {
    i < 64 && mask >> i & 1 == 1
}

/// One end of a range along an axis.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// As far as the axis goes.
    Open,
    /// There, if known.
    At(Option<i64>),
}

#[derive(Clone, Copy, Debug)]
enum Item {
    NewAxis,
    Whole,
    /// One place, the `entry`th begin.
    Index {
        entry: usize,
        at: Option<i64>,
    },
    Range {
        begin: Bound,
        end: Bound,
        stride: Option<i64>,
    },
}

/// What is taken along one axis of the input: `size` elements from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The first index.
    pub start: usize,
    /// How far apart the elements are, possibly backwards.
    pub stride: isize,
    /// How many.
    pub size: usize,
}

/// A slice of a tensor of known shape.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// For each axis of the input.
    pub taken: SmallVec<[Taken; 4]>,
    /// The shape of the result.
    pub shape: SmallVec<[usize; 4]>,
}

/// Entries of begin that name a place along an axis and are not known, each with its axis.
pub(crate) type OpenIndices = SmallVec<[(usize, usize); 2]>;

/// Entries of begin, end and strides as far as known.
pub(crate) struct Entries<'a> {
    /// Begins.
    pub begin: &'a [Option<i64>],
    /// Ends.
    pub end: &'a [Option<i64>],
    /// Strides.
    pub strides: &'a [Option<i64>],
}

impl SliceMasks {
    /// The items for a tensor of that rank, one an axis of the input and one a new axis.
    fn items(&self, entries: &Entries<'_>, rank: usize) -> Result<SmallVec<[Item; 6]>> {
        let n = entries.begin.len();
        if n > 63 {
            bail!(Shape, "a slice of {n} entries is too long");
        }
        let ellipses = (0..n).filter(|&i| bit(self.ellipsis, i)).count();
        if ellipses > 1 {
            bail!(Shape, "a slice may hold one ellipsis only");
        }
        let used = (0..n)
            .filter(|&i| !bit(self.ellipsis, i) && !bit(self.new_axis, i))
            .count();
        let Some(rest) = rank.checked_sub(used) else {
            bail!(
                Shape,
                "too many indices: {used} for a tensor of rank {rank}"
            );
        };
        let mut items = SmallVec::new();
        for i in 0..n {
            if bit(self.ellipsis, i) {
                items.extend(std::iter::repeat_n(Item::Whole, rest));
            } else {
                items.push(self.item(entries, i)?);
            }
        }
        if ellipses == 0 {
            items.extend(std::iter::repeat_n(Item::Whole, rest));
        }
        Ok(items)
    }

    fn item(&self, entries: &Entries<'_>, i: usize) -> Result<Item> {
        if bit(self.new_axis, i) {
            return Ok(Item::NewAxis);
        }
        let stride = entries.strides[i];
        if stride == Some(0) {
            bail!(Shape, "slice strides[{i}] must not be 0");
        }
        if bit(self.shrink_axis, i) {
            if stride.is_some_and(|s| s < 0) {
                bail!(
                    Shape,
                    "slice strides[{i}] must be positive where one index is taken"
                );
            }
            let at = match bit(self.begin, i) {
                true => Some(0),
                false => entries.begin[i],
            };
            return Ok(Item::Index { entry: i, at });
        }
        let bound = |mask, at: &[Option<i64>]| match bit(mask, i) {
            true => Bound::Open,
            false => Bound::At(at[i]),
        };
        Ok(Item::Range {
            begin: bound(self.begin, entries.begin),
            end: bound(self.end, entries.end),
            stride,
        })
    }

    /// The shape of the result as far as known.
    pub(crate) fn infer(&self, entries: &Entries<'_>, dims: &[Dim]) -> Result<PartialShape> {
        let mut shape: SmallVec<[Dim; 4]> = SmallVec::new();
        let mut axes = dims.iter().enumerate();
        for item in self.items(entries, dims.len())? {
            if let Item::NewAxis = item {
                shape.push(Dim::new(1));
                continue;
            }
            let Some((axis, dim)) = axes.next() else {
                break;
            };
            match (item, dim.known()) {
                (Item::Whole, _) => shape.push(*dim),
                (Item::Index { at: Some(at), .. }, Some(n)) => {
                    position(at, n, axis)?;
                }
                (Item::Index { .. }, _) => {}
                (Item::Range { begin, end, stride }, n) => {
                    shape.push(range_size(begin, end, stride, n));
                }
                (Item::NewAxis, _) => {}
            }
        }
        Ok(PartialShape::new(&shape))
    }

    /// The slice of a tensor of that shape, where everything is known.
    pub(crate) fn resolve(&self, entries: &Entries<'_>, dims: &[usize]) -> Result<Selection> {
        let known = |_, _| Err(err!(Internal, "a slice was resolved without its bounds"));
        self.selected(entries, dims, known)
    }

    /// As [`SliceMasks::resolve`], where indices of single places may be open: these are 0 in the selection, and
    /// listed by entry and axis. `None` where something else is open, or such an axis is empty.
    pub(crate) fn resolve_open(
        &self,
        entries: &Entries<'_>,
        dims: &[usize],
    ) -> Result<Option<(Selection, OpenIndices)>> {
        let items = self.items(entries, dims.len())?;
        let is_open = |item: &Item| {
            matches!(item, Item::Range { begin, end, stride }
            if stride.is_none() || [begin, end].iter().any(|b| matches!(b, Bound::At(None))))
        };
        if items.iter().any(is_open) {
            return Ok(None);
        }
        let mut open = OpenIndices::new();
        let selection = self.selected(entries, dims, |entry, axis| {
            open.push((entry, axis));
            Ok(0)
        })?;
        let some = open.iter().all(|&(_, axis)| dims[axis] > 0);
        Ok(some.then_some((selection, open)))
    }

    /// The slice, where `open` tells the places along axes that entries leave open.
    fn selected(
        &self,
        entries: &Entries<'_>,
        dims: &[usize],
        mut open: impl FnMut(usize, usize) -> Result<usize>,
    ) -> Result<Selection> {
        let unknown = || err!(Internal, "a slice was resolved without its bounds");
        let mut selection = Selection {
            taken: SmallVec::new(),
            shape: SmallVec::new(),
        };
        let mut axes = dims.iter().enumerate();
        for item in self.items(entries, dims.len())? {
            if let Item::NewAxis = item {
                selection.shape.push(1);
                continue;
            }
            let Some((axis, &n)) = axes.next() else { break };
            let taken = match item {
                Item::Index { entry, at } => Taken {
                    start: match at {
                        Some(at) => position(at, n, axis)?,
                        None => open(entry, axis)?,
                    },
                    stride: 1,
                    size: 1,
                },
                Item::Range { begin, end, stride } => {
                    range(begin, end, stride.ok_or_else(unknown)?, n).ok_or_else(unknown)?
                }
                _ => Taken {
                    start: 0,
                    stride: 1,
                    size: n,
                },
            };
            if !matches!(item, Item::Index { .. }) {
                selection.shape.push(taken.size);
            }
            selection.taken.push(taken);
        }
        Ok(selection)
    }
}

/// What the error of an index carries that an axis does not have, by which others know it.
pub struct OutOfBounds;

/// The index that `index`, which may count from the end, means along an axis of that size.
fn position(index: i64, size: usize, axis: usize) -> Result<usize> {
    let n = size as i64;
    if index < -n || index >= n {
        let text = format!("slice index {index} of axis {axis} is out of bounds for size {size}");
        return Err(Error::foreign(
            ErrorKind::Shape,
            text,
            Arc::new(OutOfBounds),
        ));
    }
    Ok((if index < 0 { index + n } else { index }) as usize)
}

/// What a range takes of an axis of that size, where its bounds are known.
fn range(begin: Bound, end: Bound, stride: i64, size: usize) -> Option<Taken> {
    let n = size as i64;
    let (low, high) = if stride > 0 { (0, n) } else { (-1, n - 1) };
    let clip = |at: i64| {
        let at = if at < 0 { at.saturating_add(n) } else { at };
        at.clamp(low, high.max(low))
    };
    let forward = stride > 0;
    let start = match begin {
        Bound::Open if forward => low,
        Bound::Open => high.max(low),
        Bound::At(at) => clip(at?),
    };
    let stop = match end {
        Bound::Open if forward => high,
        Bound::Open => low,
        Bound::At(at) => clip(at?),
    };
    let distance = if forward { stop - start } else { start - stop };
    let step = stride.unsigned_abs();
    let count = if distance <= 0 {
        0
    } else {
        (distance as u64).div_ceil(step) as usize
    };
    Some(Taken {
        start: if count == 0 { 0 } else { start as usize },
        stride: if count > 1 { stride as isize } else { 1 },
        size: count,
    })
}

fn range_size(begin: Bound, end: Bound, stride: Option<i64>, size: Option<usize>) -> Dim {
    match (stride, size) {
        (Some(stride), Some(size)) => {
            let count = range(begin, end, stride, size).map(|t| t.size);
            Dim::from(count)
        }
        _ => Dim::UNKNOWN,
    }
}

/// The begins, ends and strides that are inputs `at`, `at + 1` and `at + 2`, as far as known; `None` where not even
/// their number is.
pub(crate) fn entries_of(inputs: &Inputs<'_>, at: usize) -> Result<Option<[Known; 3]>> {
    let mut n = None;
    for i in at..at + 3 {
        let len = inputs.known(i).map(|k| k.len());
        let len = len.or_else(|| inputs.shape(i).dim(0).known());
        match (n, len) {
            (Some(a), Some(b)) if a != b => {
                bail!(
                    Shape,
                    "begin, end and strides must have the same size, got {a} and {b}"
                )
            }
            (None, Some(b)) => n = Some(b),
            _ => {}
        }
    }
    let Some(n) = n else { return Ok(None) };
    if n > 2 * MAX_RANK {
        bail!(
            Shape,
            "a slice of {n} parts for a tensor of at most {MAX_RANK} dimensions"
        );
    }
    let entries = |i| inputs.known(i).unwrap_or_else(|| Known::from_elem(None, n));
    Ok(Some([entries(at), entries(at + 1), entries(at + 2)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(begin: Option<i64>, end: Option<i64>, stride: i64, n: usize) -> Vec<usize> {
        let bound = |b: Option<i64>| b.map_or(Bound::Open, |b| Bound::At(Some(b)));
        let t = range(bound(begin), bound(end), stride, n).unwrap();
        (0..t.size)
            .map(|i| (t.start as isize + i as isize * t.stride) as usize)
            .collect()
    }

    #[test]
    fn ranges_select_what_pythons_do() {
        assert_eq!(taken(Some(1), Some(3), 1, 5), [1, 2]);
        assert_eq!(taken(None, Some(-1), 1, 3), [0, 1]);
        assert_eq!(taken(Some(-100), Some(2), 1, 5), [0, 1]);
        assert_eq!(taken(Some(3), Some(100), 1, 5), [3, 4]);
        assert_eq!(taken(Some(4), Some(1), 1, 5), [0usize; 0]);
        assert_eq!(taken(None, None, -1, 3), [2, 1, 0]);
        assert_eq!(taken(Some(-2), None, -2, 7), [5, 3, 1]);
        assert_eq!(taken(None, Some(2), -1, 7), [6, 5, 4, 3]);
        assert_eq!(taken(Some(100), None, -3, 7), [6, 3, 0]);
        assert_eq!(taken(None, None, -1, 0), [0usize; 0]);
        assert_eq!(taken(Some(i64::MIN), Some(i64::MAX), i64::MAX, 4), [0]);
        assert_eq!(taken(None, None, i64::MIN, 4), [3]);
    }

    #[test]
    fn indices_out_of_range_are_named() {
        let e = position(3, 3, 0).unwrap_err();
        assert_eq!(
            e.message(),
            "slice index 3 of axis 0 is out of bounds for size 3"
        );
        assert!(position(-4, 3, 0).is_err());
        assert_eq!(position(-3, 3, 0).unwrap(), 0);
    }
}
