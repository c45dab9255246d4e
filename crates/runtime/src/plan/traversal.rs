//! The order in which threads take the tiles of a fused step.

/// In which order tiles are taken. What one thread takes at a time is a *chunk*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traversal {
    /// One tile after the other, so many a chunk.
    Along(usize),
    /// Tiles are side by side in lines, and a chunk is the tiles at one place of the lines of a block.
    Down(Lines),
}

/// How the rows of a fused step are in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Rows of a line.
    pub rows: usize,
    /// Lines of a slab.
    pub slab: usize,
    /// Lines of a block; the last one of a slab may have fewer.
    pub block: usize,
}

/// Which row of a broadcast operand goes with a row of a fused step: one for `every` of these, again from the first
/// after `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BroadcastIndex {
    pub every: usize,
    pub count: usize,
}

impl BroadcastIndex {
    /// The row that goes with that one.
    pub fn row(self, row: usize) -> usize {
        row / self.every % self.count
    }

    /// Rows of the operand for a tile of so many, which is in one [line](BroadcastIndex::line).
    pub fn rows(self, tile: usize) -> usize {
        if self.every == 1 { tile } else { 1 }
    }

    /// Rows of the step, from a multiple of this on, for which the operand has the same row, or rows in their order.
    pub fn line(self) -> usize {
        match self.every {
            1 => self.count,
            every => every,
        }
    }
}

/// Tiles that one thread takes in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The first row of the first tile.
    pub first: usize,
    /// Rows from the beginning of a tile to that of the next.
    pub step: usize,
    /// How many tiles.
    pub count: usize,
    /// Rows of a tile, unless there are fewer left.
    pub rows: usize,
}

impl Traversal {
    /// The chunks over so many rows in tiles of so many.
    pub fn chunks(&self, rows: usize, tile: usize) -> usize {
        match self {
            Traversal::Along(count) => rows.div_ceil(tile).div_ceil(*count),
            Traversal::Down(lines) => {
                let slabs = rows / (lines.rows * lines.slab);
                slabs * lines.slab.div_ceil(lines.block) * lines.rows.div_ceil(tile)
            }
        }
    }

    /// The most tiles of a chunk.
    pub fn longest(&self) -> usize {
        match self {
            Traversal::Along(count) => *count,
            Traversal::Down(lines) => lines.block,
        }
    }

    /// Rows of the tiles that have fewer than others; 0 where there are none.
    pub fn rest(&self, rows: usize, tile: usize) -> usize {
        match self {
            Traversal::Along(_) => rows % tile,
            Traversal::Down(lines) => lines.rows % tile,
        }
    }

    /// That chunk.
    pub fn chunk(&self, at: usize, rows: usize, tile: usize) -> Chunk {
        match *self {
            Traversal::Along(count) => {
                let first = at * count * tile;
                Chunk {
                    first,
                    step: tile,
                    count: (rows - first).div_ceil(tile).min(count),
                    rows: tile,
                }
            }
            Traversal::Down(lines) => {
                let tiles = lines.rows.div_ceil(tile);
                let blocks = lines.slab.div_ceil(lines.block);
                let (block, place) = (at / tiles, at % tiles);
                let (slab, block) = (block / blocks, block % blocks);
                let line = block * lines.block;
                Chunk {
                    first: (slab * lines.slab + line) * lines.rows + place * tile,
                    step: lines.rows,
                    count: lines.block.min(lines.slab - line),
                    rows: tile.min(lines.rows - place * tile),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(traversal: Traversal, rows: usize, tile: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        for at in 0..traversal.chunks(rows, tile) {
            let chunk = traversal.chunk(at, rows, tile);
            for i in 0..chunk.count {
                let first = chunk.first + i * chunk.step;
                all.push((first, chunk.rows.min(rows - first)));
            }
            assert!(chunk.count <= traversal.longest());
        }
        all
    }

    #[test]
    fn each_row_is_taken_once() {
        let lines = |rows, slab, block| Traversal::Down(Lines { rows, slab, block });
        for (traversal, rows) in [
            (Traversal::Along(1), 1),
            (Traversal::Along(3), 100),
            (Traversal::Along(4), 24),
            (lines(10, 6, 4), 120),
            (lines(7, 6, 6), 42),
            (lines(3, 130, 64), 390),
            (lines(1, 4, 2), 12),
        ] {
            for tile in [1, 3, 4, 10] {
                let mut met = vec![0; rows];
                let rest = traversal.rest(rows, tile);
                for (first, n) in taken(traversal, rows, tile) {
                    assert!(n == tile || n == rest, "{traversal:?} {tile}");
                    met[first..first + n].iter_mut().for_each(|met| *met += 1);
                }
                assert!(met.iter().all(|&met| met == 1), "{traversal:?} {tile}");
            }
        }
    }

    #[test]
    fn rows_are_repeated() {
        let index = |every, count| BroadcastIndex { every, count };
        let rows = |index: BroadcastIndex| (0..12).map(|row| index.row(row)).collect::<Vec<_>>();
        assert_eq!(rows(index(1, 3)), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(rows(index(2, 3)), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert_eq!((index(1, 3).line(), index(2, 3).line()), (3, 2));
    }

    #[test]
    fn stretches_go_down_the_lines_of_a_block() {
        let traversal = Traversal::Down(Lines {
            rows: 4,
            slab: 3,
            block: 2,
        });
        let firsts: Vec<usize> = taken(traversal, 24, 2)
            .iter()
            .map(|&(first, _)| first)
            .collect();
        assert_eq!(firsts, [0, 4, 2, 6, 8, 10, 12, 16, 14, 18, 20, 22]);
    }
}
