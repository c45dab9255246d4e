//! The coefficients of a picture: blocks in rows of groups.

use ferrograph_tensor::{Result, vec_for, vec_of};

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

/// Where blocks lie in a row of groups.
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
    pub fn bytes(&self) -> usize {
        self.blocks * size_of::<Block>()
    }

    /// Blocks along a row of a component.
    pub fn columns(&self, component: usize) -> usize {
        self.parts[component][1]
    }

    /// A row of groups, all zeros.
    pub fn row(&self) -> Result<GroupRow> {
        let blocks = vec_of([0; 64], self.blocks)?;
        let n = if self.is_progressive { self.blocks } else { 0 };
        let nonzero = vec_of(0, n)?;
        Ok(GroupRow { blocks, nonzero })
    }

    /// So many of them.
    pub fn rows(&self, n: usize) -> Result<Vec<GroupRow>> {
        ferrograph_tensor::check_bytes(self.bytes().saturating_mul(n))?;
        let mut all = vec_for(n)?;
        for _ in 0..n {
            all.push(self.row()?);
            ferrograph_kernels::stop::breathe();
        }
        Ok(all)
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

impl GroupRow {
    /// Makes all coefficients zeros.
    pub fn clear(&mut self) {
        self.blocks.fill([0; 64]);
    }
}
