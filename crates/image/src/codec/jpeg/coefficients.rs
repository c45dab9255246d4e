//! The coefficients of a picture: blocks in rows of groups, rows in bands.

use ferrograph_tensor::{Result, check_bytes, vec_for, vec_of};
use parking_lot::{Mutex, MutexGuard};

use super::headers::Frame;

/// The coefficients of a block, row by row.
pub(super) type Block = [i16; 64];

/// A row of groups: for each component its rows of blocks.
#[derive(Default)]
pub(super) struct GroupRow {
    blocks: Vec<Block>,
    /// Which coefficients of each are no zeros, in progressive files: a bit for each, in the order of files.
    nonzero: Vec<u64>,
}

/// Where blocks are in a row of groups.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By component: its first block, blocks along a row, rows of blocks in a group.
    parts: Vec<[usize; 3]>,
    blocks: usize,
    is_progressive: bool,
}

impl Layout {
    pub fn of(frame: &Frame) -> Layout {
        let mut blocks = 0;
        let parts = frame.components.iter().map(|c| {
            let part = [blocks, frame.group_columns() * c.h, c.v];
            blocks += part[1] * part[2];
            part
        });
        let parts = parts.collect();
        let is_progressive = frame.is_progressive;
        Layout {
            parts,
            blocks,
            is_progressive,
        }
    }

    /// How many bytes a row of groups takes.
    fn bytes(&self) -> usize {
        self.blocks * size_of::<Block>()
    }

    /// Blocks along a row of a component.
    pub fn columns(&self, component: usize) -> usize {
        self.parts[component][1]
    }

    /// A row of groups, all zeros.
    fn row(&self) -> Result<GroupRow> {
        let blocks = vec_of([0; 64], self.blocks)?;
        let n = if self.is_progressive { self.blocks } else { 0 };
        let nonzero = vec_of(0, n)?;
        Ok(GroupRow { blocks, nonzero })
    }

    /// A row of blocks of a component, by its number within the group.
    pub fn blocks<'a>(&self, row: &'a GroupRow, component: usize, y: usize) -> &'a [Block] {
        let [begin, columns, _] = self.parts[component];
        &row.blocks[begin + y * columns..][..columns]
    }

    /// As [`Layout::blocks`], to be written.
    pub fn blocks_mut<'a>(
        &self,
        row: &'a mut GroupRow,
        component: usize,
        y: usize,
    ) -> &'a mut [Block] {
        let [begin, columns, _] = self.parts[component];
        &mut row.blocks[begin + y * columns..][..columns]
    }

    /// As [`Layout::blocks_mut`] in a progressive file, with which coefficients are no zeros.
    pub fn blocks_and_nonzero<'a>(
        &self,
        row: &'a mut GroupRow,
        component: usize,
        y: usize,
    ) -> (&'a mut [Block], &'a mut [u64]) {
        let [begin, columns, _] = self.parts[component];
        let at = begin + y * columns;
        let nonzero = row.nonzero.get_mut(at..at + columns);
        (
            &mut row.blocks[at..at + columns],
            nonzero.unwrap_or_default(),
        )
    }
}

/// The rows of groups of a picture in bands, as many as there is room for: later ones take the room of earlier ones.
pub(super) struct Bands {
    pub layout: Layout,
    /// Rows of groups of the picture, and of a band.
    n_rows: usize,
    pub rows: usize,
    all: Vec<Mutex<Vec<GroupRow>>>,
}

impl Bands {
    /// Bands of `rows` rows, with room for so many.
    pub fn of(frame: &Frame, rows: usize, room: usize) -> Result<Bands> {
        let (layout, n_rows) = (Layout::of(frame), frame.group_rows());
        check_bytes(layout.bytes().saturating_mul(n_rows.min(rows * room)))?;
        let mut all = vec_for(room)?;
        all.resize_with(room, Mutex::default);
        Ok(Bands {
            layout,
            n_rows,
            rows,
            all,
        })
    }

    /// How many bands there are.
    pub fn n(&self) -> usize {
        self.n_rows.div_ceil(self.rows)
    }

    /// For how many there is room.
    pub fn room(&self) -> usize {
        self.all.len()
    }

    /// The rows of a band.
    pub fn at(&self, band: usize) -> MutexGuard<'_, Vec<GroupRow>> {
        self.all[band % self.room()].lock()
    }

    /// Makes a band ready to be read: zeros, unless it is there already.
    pub fn begin(&self, band: usize) -> Result<()> {
        let n = self.rows.min(self.n_rows - band * self.rows);
        let mut rows = self.at(band);
        rows.truncate(n);
        if band >= self.room() {
            rows.iter_mut().for_each(GroupRow::clear);
        }
        while rows.len() < n {
            rows.push(self.layout.row()?);
        }
        Ok(())
    }
}

impl GroupRow {
    /// Makes all coefficients zeros.
    fn clear(&mut self) {
        self.blocks.fill([0; 64]);
        self.nonzero.fill(0);
    }
}
