//! The contents of a table: keys, their values, and where each key is.

use crate::column::Column;
use crate::rows::{Row, Rows, Target};
use ferrograph_kernels::scratch::exhausted;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Result, Tensor, bail};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;

/// Keys in the order in which they came, but for those that took the place of a removed one.
#[derive(Debug)]
pub(crate) struct Store {
    keys: Column,
    values: Column,
    /// The places of keys in both columns.
    places: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

/// What becomes of a key that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// It has the new value.
    Replaces,
    /// It keeps its value, and another one is refused.
    Agrees,
}

impl Store {
    /// A store of nothing.
    pub fn new(keys: Column, values: Column) -> Store {
        Store {
            keys,
            values,
            places: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    fn place(&self, key: Row<'_>) -> Option<usize> {
        let keys = self.keys.rows();
        let found = self
            .places
            .find(self.hasher.hash_one(key), |&i| keys.row(i) == key);
        found.copied()
    }

    /// Writes the values of the keys at these places, or what `missing` has for each.
    pub fn find<'a>(
        &self,
        keys: Rows<'_>,
        places: Range<usize>,
        missing: impl Fn(usize) -> Row<'a>,
        out: &mut Target<'_>,
    ) {
        let values = self.values.rows();
        for i in places {
            match self.place(keys.row(i)) {
                Some(at) => out.put(values.row(at)),
                None => out.put(missing(i)),
            }
        }
    }

    /// Makes room for `n` more keys. After that, adding them does not fail for want of memory.
    pub fn reserve(&mut self, n: usize) {
        self.keys.reserve(n);
        self.values.reserve(n);
        let (hasher, keys) = (&self.hasher, self.keys.rows());
        let again = |&i: &usize| hasher.hash_one(keys.row(i));
        if self.places.try_reserve(n, again).is_err() {
            exhausted(n.saturating_mul(size_of::<usize>()));
        }
    }

    /// Gives a key a value.
    ///
    /// # Errors
    /// `FailedPrecondition` where it has another one, and that shall not be.
    pub fn insert(&mut self, key: Row<'_>, value: Row<'_>, again: Again) -> Result<()> {
        match self.place(key) {
            None => self.add(key, value),
            Some(at) if again == Again::Replaces => self.values.set(at, value),
            Some(at) if self.values.rows().row(at) == value => {}
            Some(at) => bail!(
                FailedPrecondition,
                "HashTable has different value for same key: {} has {} and shall get {}",
                self.keys.shown(key),
                self.values.shown(self.values.rows().row(at)),
                self.values.shown(value)
            ),
        }
        Ok(())
    }

    fn add(&mut self, key: Row<'_>, value: Row<'_>) {
        let (at, hash) = (self.len(), self.hasher.hash_one(key));
        self.keys.push(key);
        self.values.push(value);
        let (hasher, keys) = (&self.hasher, self.keys.rows());
        self.places
            .insert_unique(hash, at, |&i| hasher.hash_one(keys.row(i)));
    }

    /// Takes a key out, if it is there.
    pub fn remove(&mut self, key: Row<'_>) {
        let keys = self.keys.rows();
        let hash = self.hasher.hash_one(key);
        let Ok(found) = self.places.find_entry(hash, |&i| keys.row(i) == key) else {
            return;
        };
        let (at, _) = found.remove();
        let last = self.len() - 1;
        if at < last {
            let moved = self.hasher.hash_one(keys.row(last));
            if let Some(place) = self.places.find_mut(moved, |&i| i == last) {
                *place = at;
            }
        }
        self.keys.swap_remove(at);
        self.values.swap_remove(at);
    }

    /// Whether another store has the same keys with the same values.
    pub fn agrees(&self, other: &Store) -> bool {
        let (keys, values) = (self.keys.rows(), self.values.rows());
        let same = |i: usize| {
            poll_cancellation();
            let at = other.place(keys.row(i));
            at.is_some_and(|at| other.values.rows().row(at) == values.row(i))
        };
        self.len() == other.len() && (0..self.len()).all(same)
    }

    /// A copy.
    pub fn copied(&self) -> Store {
        Store {
            keys: self.keys.copied(),
            values: self.values.copied(),
            places: self.places.clone(),
            hasher: self.hasher.clone(),
        }
    }

    /// All keys, and their values.
    ///
    /// # Errors
    /// Where memory does not suffice.
    pub fn to_tensors(&self) -> Result<[Tensor; 2]> {
        Ok([self.keys.to_tensor()?, self.values.to_tensor()?])
    }
}
