//! What a bound kernel computes on: typed slices of the slots of a plan's frame.

use ferrograph_tensor::{DType, Element};

/// The type of a slot: what a kernel may see of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotType {
    /// The element type.
    pub dtype: DType,
    /// How many elements.
    pub len: usize,
}

/// The inputs and outputs of one kernel call.
pub struct Operands<'a> {
    pointers: &'a [*mut u8],
    types: &'a [SlotType],
    inputs: &'a [u32],
    outputs: &'a [u32],
}

impl<'a> Operands<'a> {
    /// Operands at these slots of a frame.
    ///
    /// # Safety
    /// For every slot named in `inputs` and `outputs`, `pointers[slot]` must be valid for `types[slot].len`
    /// initialised elements of its dtype, aligned for it, for reads (inputs) or writes (outputs) during `'a`;
    /// an output's bytes must overlap no other operand's.
    pub unsafe fn new(
        pointers: &'a [*mut u8],
        types: &'a [SlotType],
        inputs: &'a [u32],
        outputs: &'a [u32],
    ) -> Operands<'a> {
        debug_assert_eq!(pointers.len(), types.len());
        Operands {
            pointers,
            types,
            inputs,
            outputs,
        }
    }

    /// How many inputs there are.
    pub fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    fn slot<T: Element>(&self, slot: u32) -> (*mut T, usize) {
        let slot = slot as usize;
        let t = self.types[slot];
        assert!(
            t.dtype == T::DTYPE || t.dtype.moved_as() == T::DTYPE,
            "a kernel for {} was bound to a {} slot",
            T::DTYPE,
            t.dtype
        );
        (self.pointers[slot].cast::<T>(), t.len)
    }

    /// The elements of input `i`.
    ///
    /// # Panics
    /// Where `T` is not its element type: a kernel was bound to other types than it runs on.
    #[inline]
    pub fn input<T: Element>(&self, i: usize) -> &'a [T] {
        let (ptr, len) = self.slot(self.inputs[i]);
        // SAFETY: promised by the caller of `new`; the dtype was checked.
        unsafe { std::slice::from_raw_parts(ptr, len) }
    }

    /// The elements of output `i` for writing.
    ///
    /// # Panics
    /// As [`Operands::input`].
    #[inline]
    pub fn output<T: Element>(&mut self, i: usize) -> &mut [T] {
        let (ptr, len) = self.slot(self.outputs[i]);
        // SAFETY: promised by the caller of `new`; `&mut self` keeps this the only slice of an output.
        unsafe { std::slice::from_raw_parts_mut(ptr, len) }
    }

    /// The elements of outputs 0 and 1 for writing.
    ///
    /// # Panics
    /// As [`Operands::input`].
    #[inline]
    pub fn two_outputs<T: Element, U: Element>(&mut self) -> (&mut [T], &mut [U]) {
        let (a, n) = self.slot(self.outputs[0]);
        let (b, m) = self.slot(self.outputs[1]);
        // SAFETY: as in `output`; different outputs do not overlap.
        unsafe {
            (
                std::slice::from_raw_parts_mut(a, n),
                std::slice::from_raw_parts_mut(b, m),
            )
        }
    }

    /// The bytes of input `i`, for kernels that only move elements.
    pub fn input_bytes(&self, i: usize) -> &'a [u8] {
        let slot = self.inputs[i] as usize;
        let t = self.types[slot];
        // SAFETY: as in `input`; initialised elements are initialised bytes.
        unsafe { std::slice::from_raw_parts(self.pointers[slot], t.len * t.dtype.size()) }
    }

    /// The bytes of output `i` for writing.
    ///
    /// A kernel writes whole elements copied from an input of the same dtype, so that they stay valid.
    pub fn output_bytes(&mut self, i: usize) -> &mut [u8] {
        let slot = self.outputs[i] as usize;
        let t = self.types[slot];
        // SAFETY: as in `output`.
        unsafe { std::slice::from_raw_parts_mut(self.pointers[slot], t.len * t.dtype.size()) }
    }
}
