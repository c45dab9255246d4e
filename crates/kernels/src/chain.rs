//! Chains of elementwise functions, computed a tile at a time: what one function makes of a tile, the next one reads
//! while it is in the nearest cache, and only results that are asked for reach memory.

use crate::elementwise::{Binary, Unary};
use crate::pool::{self, Base};
use std::ops::Range;

/// Elements of a tile.
const TILE: usize = 1024;

/// What a link of a chain reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// That input of the chain: as many elements as the results have, or one for all.
    Input(usize),
    /// What that link, an earlier one, gives.
    Link(usize),
}

/// One function of a chain.
#[derive(Debug)]
pub enum Link<T> {
    /// Of one operand.
    Unary(Unary<T, T>, Operand),
    /// Of two.
    Binary(Binary<T, T>, Operand, Operand),
}

impl<T> Link<T> {
    fn operands(&self) -> impl Iterator<Item = Operand> {
        let (a, b) = match self {
            Link::Unary(_, x) => (*x, None),
            Link::Binary(_, a, b) => (*a, Some(*b)),
        };
        [Some(a), b].into_iter().flatten()
    }

    fn cost_ns(&self) -> f64 {
        match self {
            Link::Unary(function, _) => function.cost_ns,
            Link::Binary(function, ..) => function.cost_ns,
        }
    }
}

/// Functions of which each reads inputs and what earlier ones give.
#[derive(Debug)]
pub struct Chain<T> {
    links: Vec<Link<T>>,
    /// The links whose results are asked for.
    results: Vec<usize>,
    /// The tile that each link writes.
    tiles: Vec<usize>,
    n_tiles: usize,
    cost_ns: f64,
}

/// A tile of an operand, or the one element for all.
enum Value<'a, T> {
    One(T),
    Many(&'a [T]),
}

impl<T: Copy + Default + Send + Sync> Chain<T> {
    /// A chain that gives what the links of these numbers give.
    ///
    /// # Panics
    /// Where a link reads one that does not stand before it.
    pub fn new(links: Vec<Link<T>>, results: Vec<usize>) -> Chain<T> {
        let (tiles, n_tiles) = assign(&links, &results);
        Chain {
            cost_ns: links.iter().map(Link::cost_ns).sum(),
            links,
            results,
            tiles,
            n_tiles,
        }
    }

    /// Computes the results, over the pool when that is worth it.
    ///
    /// # Panics
    /// Where the outputs are not as many as the results, or not all of one length; where an input is of another, and
    /// not of one element.
    pub fn run(&self, inputs: &[&[T]], mut outputs: Vec<&mut [T]>) {
        let n = outputs.first().map_or(0, |out| out.len());
        assert_eq!(
            outputs.len(),
            self.results.len(),
            "an output for each result"
        );
        assert!(
            outputs.iter().all(|out| out.len() == n),
            "outputs have one length"
        );
        let fits = |x: &&[T]| x.len() == n || x.len() == 1;
        assert!(
            inputs.iter().all(fits),
            "inputs have the outputs' length or one element"
        );
        let outputs: Vec<Base<'_, T>> = outputs.iter_mut().map(|out| Base::of(out)).collect();
        pool::par_chunks(n, self.cost_ns, |chunk| {
            let mut tiles = vec![vec![T::default(); TILE.min(chunk.len())]; self.n_tiles];
            for start in chunk.clone().step_by(TILE) {
                let at = start..(start + TILE).min(chunk.end);
                self.tile(inputs, at.clone(), &mut tiles);
                for (out, &link) in outputs.iter().zip(&self.results) {
                    // SAFETY: tiles lie within the outputs, and those of different threads do not overlap.
                    let out = unsafe { out.piece(at.start, at.len()) };
                    out.copy_from_slice(&tiles[self.tiles[link]][..at.len()]);
                }
            }
        });
    }

    /// Runs all links on one tile.
    fn tile(&self, inputs: &[&[T]], at: Range<usize>, tiles: &mut [Vec<T>]) {
        for (link, &to) in self.links.iter().zip(&self.tiles) {
            let mut tile = std::mem::take(&mut tiles[to]);
            let out = &mut tile[..at.len()];
            let read = |operand: Operand| match operand {
                Operand::Input(i) if inputs[i].len() == 1 => Value::One(inputs[i][0]),
                Operand::Input(i) => Value::Many(&inputs[i][at.clone()]),
                Operand::Link(k) => Value::Many(&tiles[self.tiles[k]][..at.len()]),
            };
            match link {
                Link::Unary(f, x) => match read(*x) {
                    Value::Many(x) => (f.slice)(x, out),
                    Value::One(x) => (f.slice)(&vec![x; at.len()], out),
                },
                Link::Binary(f, a, b) => match (read(*a), read(*b)) {
                    (Value::Many(a), Value::Many(b)) => (f.vec_vec)(a, b, out),
                    (Value::One(a), Value::Many(b)) => (f.scalar_vec)(a, b, out),
                    (Value::Many(a), Value::One(b)) => (f.vec_scalar)(a, b, out),
                    (Value::One(a), Value::One(b)) => (f.scalar_vec)(a, &vec![b; at.len()], out),
                },
            }
            tiles[to] = tile;
        }
    }
}

/// The tile of each link, and how many there are: one that nothing reads any more is written again.
fn assign<T>(links: &[Link<T>], results: &[usize]) -> (Vec<usize>, usize) {
    let mut last: Vec<usize> = (0..links.len()).collect();
    for (i, link) in links.iter().enumerate() {
        for operand in link.operands() {
            if let Operand::Link(k) = operand {
                assert!(k < i, "a link reads what stands before it");
                last[k] = i;
            }
        }
    }
    results.iter().for_each(|&link| last[link] = links.len());
    let (mut tiles, mut free, mut n) = (Vec::with_capacity(links.len()), Vec::new(), 0);
    for i in 0..links.len() {
        let tile = free.pop().unwrap_or_else(|| {
            n += 1;
            n - 1
        });
        tiles.push(tile);
        free.extend((0..=i).filter(|&k| last[k] == i).map(|k| tiles[k]));
    }
    (tiles, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::{Add, BinaryOp, Exp, Mul, Tanh, UnaryOp};

    fn exp_and_products(x: &[f32], by: f32, y: &[f32]) -> [Vec<f32>; 2] {
        let n = x.len();
        let (mut a, mut b, mut c, mut d) = (vec![0.; n], vec![0.; n], vec![0.; n], vec![0.; n]);
        Exp::slice(x, &mut a);
        Mul::vec_scalar(&a, by, &mut b);
        Add::vec_vec(&b, y, &mut c);
        Tanh::slice(&c, &mut d);
        [b, d]
    }

    #[test]
    fn a_chain_gives_the_bits_of_its_functions() {
        let links = || {
            vec![
                Link::Unary(Unary::of::<Exp>(), Operand::Input(0)),
                Link::Binary(Binary::of::<Mul>(), Operand::Link(0), Operand::Input(1)),
                Link::Binary(Binary::of::<Add>(), Operand::Link(1), Operand::Input(2)),
                Link::Unary(Unary::of::<Tanh>(), Operand::Link(2)),
            ]
        };
        let chain = Chain::new(links(), vec![1, 3]);
        for n in [2, 1000, 1024, 1025, 300_001] {
            let x: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
            let y: Vec<f32> = (0..n).map(|i| (i as f32 * 0.11).cos()).collect();
            let (mut b, mut d) = (vec![0.; n], vec![0.; n]);
            chain.run(&[&x, &[0.3], &y], vec![&mut b, &mut d]);
            assert_eq!([b, d], exp_and_products(&x, 0.3, &y));
        }
    }

    #[test]
    fn tiles_are_written_again_once_read() {
        let mut links = vec![Link::Unary(
            Unary::<f32, f32>::of::<Exp>(),
            Operand::Input(0),
        )];
        for i in 0..20 {
            links.push(Link::Unary(Unary::of::<Tanh>(), Operand::Link(i)));
        }
        assert_eq!(assign(&links, &[20]).1, 2);
        assert_eq!(assign(&links, &[3, 20]).1, 3);
    }

    #[test]
    #[should_panic(expected = "a link reads what stands before it")]
    fn a_link_cannot_read_itself() {
        let link = Link::Unary(Unary::<f32, f32>::of::<Exp>(), Operand::Link(0));
        Chain::new(vec![link], vec![0]);
    }
}
