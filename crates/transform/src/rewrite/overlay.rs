//! A slice with changes laid over it.

use std::ops::{Index, IndexMut};

/// Elements of a slice, some of them replaced, and more behind them. What is not changed is not copied.
#[derive(Clone)]
pub(super) struct Overlay<'a, T> {
    below: &'a [T],
    /// What replaces the elements of the slice; empty while nothing does.
    changed: Vec<Option<Box<T>>>,
    added: Vec<T>,
}

impl<'a, T: Clone> Overlay<'a, T> {
    pub fn new(below: &'a [T]) -> Overlay<'a, T> {
        Overlay {
            below,
            changed: Vec::new(),
            added: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.below.len() + self.added.len()
    }

    pub fn is_changed(&self) -> bool {
        !(self.changed.is_empty() && self.added.is_empty())
    }

    pub fn push(&mut self, element: T) {
        self.added.push(element);
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|i| &self[i])
    }
}

impl<T: Clone> Index<usize> for Overlay<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, i: usize) -> &T {
        match self.changed.get(i) {
            Some(Some(changed)) => changed,
            _ => (self.below.get(i)).unwrap_or_else(|| &self.added[i - self.below.len()]),
        }
    }
}

impl<T: Clone> IndexMut<usize> for Overlay<'_, T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        let Some(below) = self.below.get(i) else {
            return &mut self.added[i - self.below.len()];
        };
        if self.changed.is_empty() {
            self.changed.resize_with(self.below.len(), || None);
        }
        self.changed[i].get_or_insert_with(|| Box::new(below.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::Overlay;

    #[test]
    fn changes_and_additions_lie_over_what_stays_as_it_is() {
        let below = [1, 2, 3];
        let mut all = Overlay::new(&below);
        assert!(!all.is_changed());
        all[1] = 20;
        all.push(4);
        all[3] += 1;
        assert!(all.is_changed());
        assert_eq!(all.iter().copied().collect::<Vec<_>>(), [1, 20, 3, 5]);
        assert_eq!((all.len(), below), (4, [1, 2, 3]));
    }
}
