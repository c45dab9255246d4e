//! Places that are data: indices, and tuples of them that name rows.

use crate::isa::{Isa, Job, dispatch};

/// Integers that index, of the dtypes that they come in.
#[derive(Debug, Clone, Copy)]
pub enum Indices<'a> {
    /// Of 8 bits.
    Bytes(&'a [u8]),
    /// Of 8 bits with a sign.
    Signed(&'a [i8]),
    /// Of 32 bits.
    Narrow(&'a [i32]),
    /// Of 64 bits.
    Wide(&'a [i64]),
}

impl<'a> Indices<'a> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Indices::Bytes(x) => x.len(),
            Indices::Signed(x) => x.len(),
            Indices::Narrow(x) => x.len(),
            Indices::Wide(x) => x.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `i`.
    #[inline(always)]
    pub fn get(&self, i: usize) -> i64 {
        match self {
            Indices::Bytes(x) => i64::from(x[i]),
            Indices::Signed(x) => i64::from(x[i]),
            Indices::Narrow(x) => i64::from(x[i]),
            Indices::Wide(x) => x[i],
        }
    }

    /// Those from number `first` on; negative ones become places that nothing has.
    pub fn places(&self, first: usize, places: &mut [usize]) {
        let n = places.len();
        match self {
            Indices::Bytes(x) => each(&x[first..][..n], places, usize::from),
            Indices::Signed(x) => each(&x[first..][..n], places, |i| i as isize as usize),
            Indices::Narrow(x) => each(&x[first..][..n], places, |i| i as isize as usize),
            Indices::Wide(x) => each(&x[first..][..n], places, |i| i as usize),
        }
    }

    /// Whether any is `n` at least.
    pub fn reach(&self, n: usize) -> bool {
        match self {
            Indices::Bytes(x) => any_from(x, n),
            Indices::Signed(x) => any_from(x, n),
            Indices::Narrow(x) => any_from(x, n),
            Indices::Wide(x) => any_from(x, n),
        }
    }

    /// Whether each is the place of one of `n` elements.
    pub fn all_within(&self, n: usize) -> bool {
        match self {
            Indices::Bytes(_) => !self.reach(n),
            Indices::Signed(x) => dispatch(Within(x, i8::try_from(n).ok())),
            Indices::Narrow(x) => dispatch(Within(x, i32::try_from(n).ok())),
            Indices::Wide(x) => dispatch(Within(x, i64::try_from(n).ok())),
        }
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = i64> + 'a {
        (0..self.len()).map(move |i| self.get(i))
    }
}

fn each<T: Copy>(indices: &[T], places: &mut [usize], place: impl Fn(T) -> usize) {
    let both = places.iter_mut().zip(indices);
    both.for_each(|(to, &i)| *to = place(i));
}

/// Whether any index is `n` at least, which its type may not hold.
fn any_from<T: Copy + Ord + TryFrom<usize>>(indices: &[T], n: usize) -> bool {
    T::try_from(n).is_ok_and(|n| dispatch(Reach(indices, n)))
}

struct Reach<'a, T>(&'a [T], T);

impl<T: Copy + Ord> Job for Reach<'_, T> {
    type Out = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let Reach(all, n) = self;
        all.iter().fold(false, |any, &i| any | (i >= n))
    }
}

/// Whether all are at least 0, and less than a number, where their type holds it.
struct Within<'a, T>(&'a [T], Option<T>);

impl<T: Copy + Ord + Default> Job for Within<'_, T> {
    type Out = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let (all, zero) = (self.0, T::default());
        match self.1 {
            Some(n) => all.iter().fold(true, |all, &i| all & (i >= zero) & (i < n)),
            None => all.iter().fold(true, |all, &i| all & (i >= zero)),
        }
    }
}

/// Rows that tuples of indices name: a tuple is a place in an array of these dimensions, whose elements are rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    indices: Indices<'a>,
    dims: &'a [usize],
    count: usize,
}

impl<'a> Rows<'a> {
    /// The rows that these tuples name, one index a dimension.
    pub fn new(indices: Indices<'a>, dims: &'a [usize]) -> Rows<'a> {
        let count = match dims.len() {
            0 => 0,
            depth => indices.len() / depth,
        };
        Rows {
            indices,
            dims,
            count,
        }
    }

    /// As many tuples without an index, which all name the one row there is.
    pub fn of_one(count: usize) -> Rows<'static> {
        Rows {
            indices: Indices::Wide(&[]),
            dims: &[],
            count,
        }
    }

    /// How many tuples there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The row that tuple `i` names, if it is within the dimensions.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<usize> {
        let mut row = 0;
        for (j, &n) in self.dims.iter().enumerate() {
            let index = usize::try_from(self.indices.get(i * self.dims.len() + j)).ok()?;
            if index >= n {
                return None;
            }
            row = row * n + index;
        }
        Some(row)
    }

    /// Those that tuples from number `first` on name; beyond all rows where there is none.
    pub fn places(&self, first: usize, places: &mut [usize]) {
        match self.dims {
            [_] => self.indices.places(first, places),
            _ => {
                let rows = (first..).map(|i| self.get(i).unwrap_or(usize::MAX));
                places.iter_mut().zip(rows).for_each(|(to, row)| *to = row);
            }
        }
    }

    /// `Err` holds the first tuple that names no row.
    pub fn check(&self) -> Result<(), usize> {
        if let [n] = self.dims
            && self.indices.all_within(*n)
        {
            return Ok(());
        }
        let wrong = (0..self.count).find(|&i| self.get(i).is_none());
        wrong.map_or(Ok(()), Err)
    }
}
