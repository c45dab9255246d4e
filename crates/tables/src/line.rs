//! The elements of a queue, in the order in which they leave it.

use ferrograph_graph::Tensors;
use ferrograph_kernels::random::PhiloxState;
use ferrograph_ops::Stream;
use ferrograph_tensor::{Result, err};
use std::collections::{BTreeMap, VecDeque};

/// Elements that wait.
#[derive(Debug)]
pub(crate) enum Line {
    /// The first that came leaves first.
    First(VecDeque<Tensors>),
    /// The one whose first component is least leaves first; of several the one that came first.
    Least(BTreeMap<(i64, u64), Tensors>, u64),
    /// Any may leave.
    Any(Vec<Tensors>, Words),
}

impl Line {
    /// A line of no elements that leave in random order.
    pub fn any(seed: i64, seed2: i64) -> Line {
        Line::Any(Vec::new(), Words::new(seed, seed2))
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        match self {
            Line::First(all) => all.len(),
            Line::Least(all, _) => all.len(),
            Line::Any(all, _) => all.len(),
        }
    }

    /// Adds an element.
    ///
    /// # Errors
    /// `Internal` where one that has to begin with a number does not.
    pub fn add(&mut self, element: Tensors) -> Result<()> {
        match self {
            Line::First(all) => all.push_back(element),
            Line::Any(all, _) => all.push(element),
            Line::Least(all, n) => {
                let first = element.first();
                let first = first.ok_or_else(|| err!(Internal, "an element of no priority"))?;
                all.insert((first.item::<i64>()?, *n), element);
                *n += 1;
            }
        }
        Ok(())
    }

    /// Takes the next element.
    pub fn take(&mut self) -> Option<Tensors> {
        match self {
            Line::First(all) => all.pop_front(),
            Line::Least(all, _) => all.pop_first().map(|(_, element)| element),
            Line::Any(all, words) => {
                let n = all.len();
                (n > 0).then(|| all.swap_remove(words.next() as usize % n))
            }
        }
    }

    /// Puts back elements that were taken, in the order in which they were.
    ///
    /// # Errors
    /// As [`Line::add`].
    pub fn put_back(&mut self, taken: Vec<Tensors>) -> Result<()> {
        for element in taken.into_iter().rev() {
            match self {
                Line::First(all) => all.push_front(element),
                _ => self.add(element)?,
            }
        }
        Ok(())
    }
}

/// Random words, one after another.
#[derive(Debug)]
pub(crate) struct Words {
    state: PhiloxState,
    block: [u32; 4],
    used: usize,
}

impl Words {
    fn new(seed: i64, seed2: i64) -> Words {
        Words {
            state: Stream::new(seed, seed2).reserve(1),
            block: [0; 4],
            used: 4,
        }
    }

    fn next(&mut self) -> u32 {
        if self.used == self.block.len() {
            self.block = self.state.block();
            self.state = self.state.skip(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}
