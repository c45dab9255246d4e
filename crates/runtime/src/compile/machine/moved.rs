//! Which kernels only move elements from registers to registers, and which elements.

use super::codegen_eligibility::length;
use super::functions::raw_type;
use crate::compile::lower::SlotInfo;
use crate::plan::{Bound, Slot};
use ferrograph_graph::{IndexTerm, Kernel, Places};
use ferrograph_tensor::DType;

/// An element of a slot.
pub(super) type Element = (Slot, usize);

/// What each element of each output is, where registers hold all of them.
pub(super) fn moved(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Vec<Vec<Element>>> {
    let held = |slot: Slot| length(slots, slot).ok();
    let lengths = bound.outs.iter().map(|&slot| held(slot));
    let lengths = lengths.collect::<Option<Vec<usize>>>()?;
    match bound.places.as_deref()? {
        Places::Strided {
            input,
            start,
            dims,
            strides,
        } => {
            let from = bound.ins[*input];
            held(from)?;
            let walk = (0..lengths[0]).map(|i| (from, walked(i, *start, dims, strides)));
            Some(vec![walk.collect()])
        }
        Places::Join(axis) => {
            let shape = slots[bound.outs[0] as usize].shape.as_ref()?;
            let outer = shape[..*axis].iter().product();
            joined(&bound.ins, lengths[0], outer, held).map(|all| vec![all])
        }
        Places::Split { input, axis } => {
            let from = bound.ins[*input];
            let row = held(from)?;
            let shape = slots[from as usize].shape.as_ref()?;
            let outer = shape[..*axis].iter().product();
            Some(split(from, row / outer, outer, &lengths))
        }
        Places::Indexed { .. } | Places::Rows | Places::Fill | Places::Opaque => None,
    }
}

/// Elements that instructions reach behind a place, at most.
const FARTHEST: u32 = 1 << 27;

/// Elements of an input that an index names: they are read from memory.
pub(super) struct Indexed<'a> {
    pub from: Slot,
    pub index: Slot,
    pub terms: &'a [IndexTerm],
    /// The elements behind the place that the terms name.
    pub elements: Vec<u32>,
}

/// What an index names, where registers hold the index and the elements.
pub(super) fn indexed<'a>(slots: &[SlotInfo], bound: &'a Bound<Kernel>) -> Option<Indexed<'a>> {
    let Some(Places::Indexed {
        index,
        terms,
        start,
        dims,
        strides,
    }) = bound.places.as_deref()
    else {
        return None;
    };
    let (from, index) = (bound.ins[0], bound.ins[*index]);
    let is_index = matches!(slots[index as usize].dtype, DType::Int32 | DType::Int64);
    length(slots, index).ok().filter(|_| is_index)?;
    raw_type(slots[from as usize].dtype)?;
    let n = length(slots, *bound.outs.first()?).ok()?;
    let walk = (0..n).map(|i| u32::try_from(walked(i, *start, dims, strides)));
    let elements: Vec<u32> = walk.collect::<Result<_, _>>().ok()?;
    let near = elements.iter().all(|&element| element < FARTHEST);
    near.then_some(Indexed {
        from,
        index,
        terms,
        elements,
    })
}

/// The place of step `i` of a walk.
fn walked(i: usize, start: usize, dims: &[usize], strides: &[isize]) -> usize {
    let (mut rest, mut at) = (i, start);
    for (&n, &stride) in dims.iter().zip(strides).rev() {
        at = at.wrapping_add_signed((rest % n) as isize * stride);
        rest /= n;
    }
    at
}

/// The first inputs, side by side in each of `outer` rows, as many as make `total` elements.
fn joined(
    ins: &[Slot],
    total: usize,
    outer: usize,
    held: impl Fn(Slot) -> Option<usize>,
) -> Option<Vec<Element>> {
    let (mut parts, mut n) = (Vec::new(), 0);
    for &slot in ins {
        if n == total {
            break;
        }
        let length = held(slot)?;
        parts.push((slot, length / outer));
        n += length;
    }
    let rows = (0..outer).flat_map(|row| {
        let row_of =
            move |&(slot, n): &(Slot, usize)| (row * n..(row + 1) * n).map(move |i| (slot, i));
        parts.iter().flat_map(row_of)
    });
    Some(rows.collect())
}

/// Parts of `outer` rows, one after another in each.
fn split(from: Slot, row: usize, outer: usize, lengths: &[usize]) -> Vec<Vec<Element>> {
    let mut before = 0;
    let part = |&length: &usize| {
        let (n, at) = (length / outer, before);
        before += n;
        let rows = (0..outer).flat_map(|r| (0..n).map(move |i| (from, r * row + at + i)));
        rows.collect()
    };
    lengths.iter().map(part).collect()
}
