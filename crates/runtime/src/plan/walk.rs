//! The order in which threads take the tiles of a joined step.

/// In which order tiles are taken. What one thread takes at a time is a *stretch*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// One tile after the other, so many a stretch.
    Along(usize),
    /// Tiles lie side by side in lines, and a stretch is the tiles at one place of the lines of a block.
    Down(Lines),
}

/// How the rows of a joined step lie in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Rows of a line.
    pub rows: usize,
    /// Lines of a slab.
    pub slab: usize,
    /// Lines of a block; the last one of a slab may have fewer.
    pub block: usize,
}

/// How rows of an operand go with those of a joined step: one for `every` of these, again from the first after `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub every: usize,
    pub count: usize,
}

impl Turn {
    /// The row that goes with that one.
    pub fn row(self, row: usize) -> usize {
        row / self.every % self.count
    }

    /// Rows of the operand for a tile of so many, which lies in one [line](Turn::line).
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
pub(crate) struct Stretch {
    /// The first row of the first tile.
    pub first: usize,
    /// Rows from the beginning of a tile to that of the next.
    pub step: usize,
    /// How many tiles.
    pub count: usize,
    /// Rows of a tile, unless there are fewer left.
    pub rows: usize,
}

impl Walk {
    /// The stretches over so many rows in tiles of so many.
    pub fn stretches(&self, rows: usize, tile: usize) -> usize {
        match self {
            Walk::Along(count) => rows.div_ceil(tile).div_ceil(*count),
            Walk::Down(lines) => {
                let slabs = rows / (lines.rows * lines.slab);
                slabs * lines.slab.div_ceil(lines.block) * lines.rows.div_ceil(tile)
            }
        }
    }

    /// The most tiles of a stretch.
    pub fn longest(&self) -> usize {
        match self {
            Walk::Along(count) => *count,
            Walk::Down(lines) => lines.block,
        }
    }

    /// Rows of the tiles that have fewer than others; 0 where there are none.
    pub fn rest(&self, rows: usize, tile: usize) -> usize {
        match self {
            Walk::Along(_) => rows % tile,
            Walk::Down(lines) => lines.rows % tile,
        }
    }

    /// That stretch.
    pub fn stretch(&self, at: usize, rows: usize, tile: usize) -> Stretch {
        match *self {
            Walk::Along(count) => {
                let first = at * count * tile;
                Stretch {
                    first,
                    step: tile,
                    count: (rows - first).div_ceil(tile).min(count),
                    rows: tile,
                }
            }
            Walk::Down(lines) => {
                let tiles = lines.rows.div_ceil(tile);
                let blocks = lines.slab.div_ceil(lines.block);
                let (block, place) = (at / tiles, at % tiles);
                let (slab, block) = (block / blocks, block % blocks);
                let line = block * lines.block;
                Stretch {
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

    fn taken(walk: Walk, rows: usize, tile: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        for at in 0..walk.stretches(rows, tile) {
            let stretch = walk.stretch(at, rows, tile);
            for i in 0..stretch.count {
                let first = stretch.first + i * stretch.step;
                all.push((first, stretch.rows.min(rows - first)));
            }
            assert!(stretch.count <= walk.longest());
        }
        all
    }

    #[test]
    fn each_row_is_taken_once() {
        let lines = |rows, slab, block| Walk::Down(Lines { rows, slab, block });
        for (walk, rows) in [
            (Walk::Along(1), 1),
            (Walk::Along(3), 100),
            (Walk::Along(4), 24),
            (lines(10, 6, 4), 120),
            (lines(7, 6, 6), 42),
            (lines(3, 130, 64), 390),
            (lines(1, 4, 2), 12),
        ] {
            for tile in [1, 3, 4, 10] {
                let mut met = vec![0; rows];
                let rest = walk.rest(rows, tile);
                for (first, n) in taken(walk, rows, tile) {
                    assert!(n == tile || n == rest, "{walk:?} {tile}");
                    met[first..first + n].iter_mut().for_each(|met| *met += 1);
                }
                assert!(met.iter().all(|&met| met == 1), "{walk:?} {tile}");
            }
        }
    }

    #[test]
    fn rows_take_turns() {
        let turn = |every, count| Turn { every, count };
        let rows = |turn: Turn| (0..12).map(|row| turn.row(row)).collect::<Vec<_>>();
        assert_eq!(rows(turn(1, 3)), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(rows(turn(2, 3)), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert_eq!((turn(1, 3).line(), turn(2, 3).line()), (3, 2));
    }

    #[test]
    fn stretches_go_down_the_lines_of_a_block() {
        let walk = Walk::Down(Lines {
            rows: 4,
            slab: 3,
            block: 2,
        });
        let firsts: Vec<usize> = taken(walk, 24, 2).iter().map(|&(first, _)| first).collect();
        assert_eq!(firsts, [0, 4, 2, 6, 8, 10, 12, 16, 14, 18, 20, 22]);
    }
}
