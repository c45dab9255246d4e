//! The storage of one execution of a plan.

use super::step::{Move, Slot, Taken};
use super::{AtomicSlot, Plan};
use ferrograph_graph::SlotType;
use ferrograph_tensor::{Buffer, DType, Result, Shape, Tensor, err};
use parking_lot::Mutex;

/// For each slot a pointer to its elements; those that are tensors of their own hold them here.
pub(crate) struct Frame {
    pub pointers: Vec<*mut u8>,
    tensors: Vec<Option<Tensor>>,
    /// Whether the call that has it is recorded.
    pub is_recorded: bool,
    _slab: Buffer,
}

// SAFETY: the pointers point into the frame's own slab and tensors, which are Send.
unsafe impl Send for Frame {}

impl Frame {
    pub fn new(plan: &Plan) -> Result<Frame> {
        let mut slab = Buffer::new(plan.slab_bytes)?;
        let base = slab
            .as_mut_ptr()
            .ok_or_else(|| err!(Internal, "a fresh slab cannot be written"))?;
        // SAFETY: the bools are the head of the slab; nothing refers to it yet.
        unsafe { base.write_bytes(0, plan.bool_bytes) };
        let n = plan.types.len();
        let mut frame = Frame {
            pointers: vec![std::ptr::null_mut(); n],
            tensors: vec![None; n],
            is_recorded: false,
            _slab: slab,
        };
        for &(slot, offset) in &plan.in_slab {
            // SAFETY: the layout placed the slot inside the slab.
            frame.pointers[slot as usize] = unsafe { base.add(offset) };
        }
        for (slot, tensor) in &plan.constants {
            frame.set(*slot, tensor.clone());
        }
        Ok(frame)
    }

    pub fn set(&mut self, slot: Slot, tensor: Tensor) {
        self.pointers[slot as usize] = tensor.bytes().as_ptr().cast_mut();
        self.tensors[slot as usize] = Some(tensor);
    }

    /// Gives slots tensors to be written.
    #[inline]
    pub fn allocate(&mut self, fresh: &[(Slot, DType, Shape)]) -> Result<()> {
        for (slot, dtype, shape) in fresh {
            self.set_fresh(*slot, *dtype, shape)?;
        }
        Ok(())
    }

    /// The tensor of a slot that has one.
    pub fn get(&self, slot: Slot) -> Result<&Tensor> {
        let tensor = self.tensors[slot as usize].as_ref();
        tensor.ok_or_else(|| err!(Internal, "slot {slot} holds no tensor"))
    }

    fn set_fresh(&mut self, slot: Slot, dtype: DType, shape: &Shape) -> Result<()> {
        let mut tensor = Tensor::empty(dtype, shape.clone())?;
        let bytes = tensor
            .bytes_mut()
            .ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
        self.pointers[slot as usize] = bytes.as_mut_ptr();
        self.tensors[slot as usize] = Some(tensor);
        Ok(())
    }

    pub fn drop_all(&mut self, slots: &[Slot]) {
        for &slot in slots {
            self.tensors[slot as usize] = None;
        }
    }

    /// The value of a slot as a tensor: its own, or a copy of its place in the slab.
    pub fn tensor(&self, plan: &Plan, slot: Slot) -> Result<Tensor> {
        match &self.tensors[slot as usize] {
            Some(tensor) => Ok(tensor.clone()),
            None => self.copied(plan, slot),
        }
    }

    /// As [`Frame::tensor`]; the last reader leaves the slot empty.
    pub fn take(&mut self, plan: &Plan, from: Taken) -> Result<Tensor> {
        if from.last
            && let Some(tensor) = self.tensors[from.slot as usize].take()
        {
            return Ok(tensor);
        }
        self.tensor(plan, from.slot)
    }

    /// Moves a tensor to another slot, or shares it where others still read the first.
    pub fn hand_on(&mut self, plan: &Plan, from: Taken, to: Slot) -> Result<()> {
        let (a, b) = (from.slot as usize, to as usize);
        if from.last && self.tensors[a].is_some() {
            self.tensors[b] = None;
            self.tensors.swap(a, b);
            self.pointers[b] = self.pointers[a];
            return Ok(());
        }
        let tensor = self.tensor(plan, from.slot)?;
        self.set(to, tensor);
        Ok(())
    }

    /// The tensor of a slot for changing, beside the pointers to all elements.
    pub fn change(&mut self, slot: Slot) -> Result<(&mut Tensor, &[*mut u8])> {
        let tensor = self.tensors[slot as usize].as_mut();
        let tensor = tensor.ok_or_else(|| err!(Internal, "slot {slot} holds no tensor"))?;
        Ok((tensor, &self.pointers))
    }

    fn copied(&self, plan: &Plan, slot: Slot) -> Result<Tensor> {
        let shape = plan
            .slab_shapes
            .get(&slot)
            .ok_or_else(|| err!(Internal, "slot {slot} holds no tensor"))?;
        let SlotType { dtype, len } = plan.types[slot as usize];
        let mut tensor = Tensor::empty(dtype, shape.clone())?;
        let bytes = tensor
            .bytes_mut()
            .ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
        // SAFETY: a slot with a shape is in the slab, with room for as many elements as its type says.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.pointers[slot as usize],
                bytes.as_mut_ptr(),
                len * dtype.size(),
            );
        }
        Ok(tensor)
    }

    /// The truth of a slot that holds one bool.
    pub fn truth(&self, slot: Slot) -> bool {
        // SAFETY: conditions are compiled only for slots of one bool, which its step has written.
        unsafe { *self.pointers[slot as usize] != 0 }
    }

    #[inline]
    pub fn apply(&mut self, plan: &Plan, moves: &[Move]) -> Result<()> {
        for step in moves {
            match *step {
                Move::Bytes { from, to, len } => {
                    let (from, to) = (self.pointers[from as usize], self.pointers[to as usize]);
                    // SAFETY: both slots have `len` bytes; different slots alive together do not overlap.
                    unsafe { copy_small(from, to, len) }
                }
                Move::Tensor { from, to } => self.hand_on(plan, from, to)?,
            }
        }
        Ok(())
    }
}

/// Frames that wait for the next call: one that is taken and put back without a lock, and those of calls that ran at
/// the same time.
pub(crate) struct Frames {
    first: AtomicSlot<Frame>,
    others: Mutex<Vec<Frame>>,
}

/// Frames that wait beside the first.
const KEPT_OTHERS: usize = 7;

impl Frames {
    pub fn new() -> Frames {
        Frames {
            first: AtomicSlot::new(),
            others: Mutex::new(Vec::new()),
        }
    }

    #[inline]
    pub fn take(&self) -> Option<Box<Frame>> {
        let waiting = || self.others.lock().pop().map(Box::new);
        self.first.take().or_else(waiting)
    }

    #[inline]
    pub fn put(&self, frame: Box<Frame>) {
        if let Err(frame) = self.first.put(frame) {
            let mut others = self.others.lock();
            if others.len() < KEPT_OTHERS {
                others.reserve_exact(1);
                others.push(*frame);
            }
        }
    }
}

/// Copies a few bytes; the common sizes in one instruction.
///
/// # Safety
/// Both places have `len` bytes, `from` to be read and `to` to be written, and do not overlap.
#[inline]
unsafe fn copy_small(from: *const u8, to: *mut u8, len: u32) {
    // SAFETY: the caller's promise; unaligned accesses ask nothing more.
    unsafe {
        match len {
            4 => to
                .cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned()),
            8 => to
                .cast::<u64>()
                .write_unaligned(from.cast::<u64>().read_unaligned()),
            1 => *to = *from,
            _ => std::ptr::copy_nonoverlapping(from, to, len as usize),
        }
    }
}
