//! Shapes as far as they are known.

use crate::{MAX_RANK, Result, Shape, bail};
use smallvec::SmallVec;
use std::fmt;

/// One dimension: a size, or unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dim(i64);

impl Dim {
    /// A dimension of unknown size.
    pub const UNKNOWN: Dim = Dim(-1);

    /// A dimension of that size.
    pub fn new(size: usize) -> Dim {
        Dim(i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// The size where known.
    pub fn known(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }

    /// Whether a dimension of this static size may have that run-time size, or the other way round.
    pub fn is_compatible(self, other: Dim) -> bool {
        self == other || self.0 < 0 || other.0 < 0
    }

    /// The size that both have, or unknown.
    #[must_use]
    pub fn generalise(self, other: Dim) -> Dim {
        if self == other { self } else { Dim::UNKNOWN }
    }
}

impl From<Option<usize>> for Dim {
    fn from(size: Option<usize>) -> Dim {
        size.map_or(Dim::UNKNOWN, Dim::new)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(n) => write!(f, "{n}"),
            None => f.write_str("?"),
        }
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

type PartialDims = SmallVec<[Dim; 4]>;

/// A shape of which rank or single dimensions may be unknown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PartialShape(Option<PartialDims>);

impl PartialShape {
    /// Nothing is known, not even the rank.
    pub const UNKNOWN: PartialShape = PartialShape(None);

    /// The shape of a scalar.
    pub fn scalar() -> PartialShape {
        PartialShape(Some(PartialDims::new()))
    }

    /// The shape with these dimensions.
    pub fn new(dims: &[Dim]) -> PartialShape {
        PartialShape(Some(PartialDims::from_slice(dims)))
    }

    /// A shape of that rank with nothing else known; all ranks above [`MAX_RANK`] are one.
    pub fn of_rank(rank: usize) -> PartialShape {
        let rank = rank.min(MAX_RANK + 1);
        PartialShape(Some(PartialDims::from_elem(Dim::UNKNOWN, rank)))
    }

    /// The dimensions where the rank is known.
    pub fn dims(&self) -> Option<&[Dim]> {
        self.0.as_deref()
    }

    /// The rank where known.
    pub fn rank(&self) -> Option<usize> {
        self.0.as_ref().map(SmallVec::len)
    }

    /// Dimension `axis`, unknown where the rank is unknown or too small.
    pub fn dim(&self, axis: usize) -> Dim {
        self.0
            .as_ref()
            .and_then(|d| d.get(axis))
            .copied()
            .unwrap_or(Dim::UNKNOWN)
    }

    /// The static shape where everything is known.
    pub fn to_static(&self) -> Option<Shape> {
        self.0.as_ref()?.iter().map(|d| d.known()).collect()
    }

    /// Whether everything is known.
    pub fn is_static(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|dims| dims.iter().all(|d| d.known().is_some()))
    }

    /// The number of elements where known, as [`Shape::n_elements`] counts them.
    pub fn n_elements(&self) -> Option<usize> {
        let dims = self.0.as_ref()?.iter();
        dims.map(|d| d.known())
            .try_fold(1, |n: usize, d| Some(n.saturating_mul(d?)))
    }

    /// Whether that shape is compatible with this one.
    pub fn accepts(&self, shape: &Shape) -> bool {
        self.0.as_ref().is_none_or(|dims| {
            dims.len() == shape.rank()
                && dims
                    .iter()
                    .zip(shape.iter())
                    .all(|(dim, &n)| dim.known().is_none_or(|known| known == n))
        })
    }

    /// Whether some concrete shape fits both.
    pub fn is_compatible(&self, other: &PartialShape) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.is_compatible(*y))
            }
            _ => true,
        }
    }

    /// Whether every shape that fits `self` fits `general`.
    pub fn is_subtype_of(&self, general: &PartialShape) -> bool {
        match (&self.0, &general.0) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y || y.known().is_none())
            }
        }
    }

    /// The most specific shape that both fit.
    #[must_use]
    pub fn generalise(&self, other: &PartialShape) -> PartialShape {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) if a.len() == b.len() => PartialShape(Some(
                a.iter().zip(b).map(|(x, y)| x.generalise(*y)).collect(),
            )),
            _ => PartialShape::UNKNOWN,
        }
    }

    /// What is known from both together.
    pub fn merge(&self, other: &PartialShape) -> Result<PartialShape> {
        if !self.is_compatible(other) {
            bail!(Shape, "shapes {self} and {other} are not compatible");
        }
        Ok(match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) => PartialShape(Some(
                a.iter()
                    .zip(b)
                    .map(|(x, y)| if x.known().is_some() { *x } else { *y })
                    .collect(),
            )),
        })
    }

    /// The shape that two partial shapes broadcast to.
    ///
    /// An unknown size against a size above 1 is that size: the run would fail with any other but 1.
    pub fn broadcast(&self, other: &PartialShape) -> Result<PartialShape> {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return Ok(PartialShape::UNKNOWN);
        };
        let rank = a.len().max(b.len());
        let at = |s: &PartialDims, i: usize| {
            if i + s.len() >= rank {
                s[i + s.len() - rank]
            } else {
                Dim(1)
            }
        };
        let mut dims = PartialDims::from_elem(Dim::UNKNOWN, rank);
        for (i, dim) in dims.iter_mut().enumerate() {
            *dim = match (at(a, i), at(b, i)) {
                (Dim(1), y) => y,
                (x, Dim(1)) => x,
                (x, y) if x == y => x,
                (Dim::UNKNOWN, y) => y,
                (x, Dim::UNKNOWN) => x,
                _ => bail!(Shape, "shapes {self} and {other} do not broadcast"),
            };
        }
        Ok(PartialShape(Some(dims)))
    }
}

impl From<&Shape> for PartialShape {
    fn from(shape: &Shape) -> PartialShape {
        PartialShape(Some(shape.iter().map(|&d| Dim::new(d)).collect()))
    }
}

impl From<&[usize]> for PartialShape {
    fn from(dims: &[usize]) -> PartialShape {
        PartialShape(Some(dims.iter().map(|&d| Dim::new(d)).collect()))
    }
}

impl FromIterator<Dim> for PartialShape {
    fn from_iter<I: IntoIterator<Item = Dim>>(dims: I) -> PartialShape {
        PartialShape(Some(dims.into_iter().collect()))
    }
}

impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(dims) = &self.0 else {
            return f.write_str("<unknown>");
        };
        f.write_str("[")?;
        for (i, d) in dims.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[i64]) -> PartialShape {
        dims.iter().map(|&d| Dim(d)).collect()
    }

    #[test]
    fn broadcast_keeps_what_must_hold() {
        assert_eq!(
            shape(&[-1, 1]).broadcast(&shape(&[3])).unwrap(),
            shape(&[-1, 3])
        );
        assert_eq!(shape(&[-1]).broadcast(&shape(&[3])).unwrap(), shape(&[3]));
        assert_eq!(shape(&[-1]).broadcast(&shape(&[1])).unwrap(), shape(&[-1]));
        assert_eq!(shape(&[-1]).broadcast(&shape(&[-1])).unwrap(), shape(&[-1]));
        assert!(shape(&[2]).broadcast(&shape(&[3])).is_err());
    }

    #[test]
    fn generalise_and_subtype() {
        let general = shape(&[2, 3]).generalise(&shape(&[4, 3]));
        assert_eq!(general, shape(&[-1, 3]));
        assert!(shape(&[9, 3]).is_subtype_of(&general));
        assert!(!general.is_subtype_of(&shape(&[9, 3])));
        assert_eq!(
            shape(&[2]).generalise(&shape(&[2, 2])),
            PartialShape::UNKNOWN
        );
    }
}
