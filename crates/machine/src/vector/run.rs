//! Loops that run.

use super::loops::{TOGETHER, assemble};
use super::lower::{Fixed, lower};
use super::registers::{fit, sums};
use super::{Element, Float, Inst, Program, wide};
use crate::memory::{Memory, Refused};
use std::fmt;

/// The pointers, the count of elements, the frame.
type Entry = extern "sysv64" fn(*const *mut u8, usize, *mut u8);

/// How wide vectors are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 256 bits.
    Narrow,
    /// 512 bits.
    Wide,
}

/// Bytes of the widest vector.
const WIDEST: usize = 64;

impl Width {
    /// Bytes of a vector.
    pub(super) fn bytes(self) -> usize {
        match self {
            Width::Narrow => WIDEST / 2,
            Width::Wide => WIDEST,
        }
    }

    /// Elements of a vector.
    pub(super) fn lanes(self, float: Float) -> usize {
        self.bytes() / float.bytes()
    }

    /// The width of the widest vectors that this machine has, where it has those that loops need.
    pub fn widest() -> Option<Width> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if !has!("avx2") || !has!("fma") {
                return None;
            }
            let is_wide = has!("avx512f") && has!("avx512dq") && has!("avx512vl");
            Some(if is_wide { Width::Wide } else { Width::Narrow })
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            None
        }
    }
}

/// A compiled loop. Its memory goes back to the system when it is dropped.
pub struct Loop {
    entry: Entry,
    _memory: Memory,
    float: Float,
    width: Width,
    fixed: Vec<Fixed>,
    frame: usize,
    /// The arrays by pointer, with whether they are read and written.
    arrays: Vec<Array>,
    in_place: bool,
}

#[derive(Clone, Copy)]
struct Array {
    pointer: usize,
    bytes: usize,
    is_read: bool,
    is_written: bool,
}

impl fmt::Debug for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loop")
    }
}

impl Loop {
    /// Whether this machine has such loops.
    pub fn is_supported() -> bool {
        Width::widest().is_some()
    }

    /// The loop of a program, over vectors of at most that width.
    ///
    /// # Errors
    /// On other machines, for functions that are no vector code, and where the system gives no memory for code.
    pub fn compile(program: &Program, most: Width) -> Result<Loop, Refused> {
        let Some(widest) = Width::widest() else {
            return Err(Refused("this machine has no such vectors".to_owned()));
        };
        let lowered = lower(program)?;
        let is_wide = most == Width::Wide && widest == Width::Wide && wide::all(&lowered.micros);
        let width = if is_wide { Width::Wide } else { Width::Narrow };
        let has_room = sums(program.float, width) <= TOGETHER && fit(program.pointers as usize);
        if lowered.sums.is_some() && !has_room {
            return Err(Refused(
                "sums take more registers than there are".to_owned(),
            ));
        }
        let assembled = assemble(program, &lowered, width);
        let (memory, code) = Memory::holding(&assembled.code)?;
        // SAFETY: the code was written for this signature; its memory is kept beside it.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(code) };
        Ok(Loop {
            entry,
            _memory: memory,
            float: program.float,
            width,
            fixed: lowered.fixed,
            frame: assembled.frame,
            arrays: arrays(program, &lowered.elements),
            in_place: program.in_place,
        })
    }

    /// Elements of which a loop that sums takes a multiple.
    pub fn unit(&self) -> usize {
        TOGETHER * self.lanes()
    }

    /// Bytes of memory that a run needs for itself.
    pub fn frame_bytes(&self) -> usize {
        self.frame * self.width.bytes()
    }

    /// Elements that are taken at once.
    fn lanes(&self) -> usize {
        self.width.lanes(self.float)
    }

    /// Writes the constants of the loop to a frame, for any number of runs with it.
    ///
    /// # Safety
    /// There are [`Loop::frame_bytes`] bytes at `frame`, which only runs of this loop write from here on.
    pub unsafe fn prepare(&self, frame: *mut u8) {
        for (at, &fixed) in self.fixed.iter().enumerate() {
            let bits = match fixed {
                Fixed::Bits(bits) => bits,
                Fixed::Single(..) => 0,
            };
            // SAFETY: the frame has room for all of these.
            unsafe { self.write(frame, at, bits) };
        }
    }

    /// Runs the loop over `n` elements.
    ///
    /// # Safety
    /// Each of `pointers` is that of `n` elements as the program says, or of one that is the same for all, which may be
    /// read and, if the program writes it, written while this runs; bools in it are 0 or 1. What is written overlaps
    /// nothing else that the program names, unless it is the very same elements and the program is in place. Where the
    /// program sums, `n` is a multiple of [`Loop::unit`] and not 0, and there is room for the sums of each block. The frame is [prepared](Loop::prepare), and the run's alone.
    pub unsafe fn run(&self, pointers: &[*mut u8], n: usize, frame: *mut u8) {
        for (at, &fixed) in self.fixed.iter().enumerate() {
            if let Fixed::Single(pointer, element) = fixed {
                let from = pointers[pointer as usize];
                // SAFETY: the frame has room for all of these, and the pointers are as promised.
                unsafe { self.fill(frame, at, from, element) };
            }
        }
        // SAFETY: promised by the caller.
        unsafe { self.row(pointers, n, frame) };
    }

    /// Runs the loop over `rows` rows of `n` elements: for each row, pointers are so many bytes behind those of the one
    /// before as `steps` says.
    ///
    /// # Safety
    /// As [`Loop::run`], for each row.
    pub unsafe fn run_rows(
        &self,
        pointers: &mut [*mut u8],
        steps: &[usize],
        rows: usize,
        n: usize,
        frame: *mut u8,
    ) {
        for row in 0..rows {
            if row == 0 {
                // SAFETY: promised by the caller.
                unsafe { self.run(pointers, n, frame) };
            } else {
                for (at, &fixed) in self.fixed.iter().enumerate() {
                    if let Fixed::Single(pointer, element) = fixed
                        && steps[pointer as usize] > 0
                    {
                        let from = pointers[pointer as usize];
                        // SAFETY: as in `run`.
                        unsafe { self.fill(frame, at, from, element) };
                    }
                }
                // SAFETY: promised by the caller.
                unsafe { self.row(pointers, n, frame) };
            }
            for (pointer, &step) in pointers.iter_mut().zip(steps) {
                *pointer = pointer.wrapping_add(step);
            }
        }
    }

    /// Runs the loop with the frame as it is.
    ///
    /// # Safety
    /// As [`Loop::run`].
    unsafe fn row(&self, pointers: &[*mut u8], n: usize, frame: *mut u8) {
        let lanes = self.lanes();
        let rest = match n {
            n if n < lanes => n,
            n if self.in_place => n % lanes,
            _ => 0,
        };
        if n > rest {
            (self.entry)(pointers.as_ptr(), n - rest, frame);
        }
        if rest > 0 {
            // SAFETY: promised by the caller.
            unsafe { self.run_rest(pointers, n - rest, rest, frame) };
        }
    }

    /// Runs the loop over elements that are less than a vector, in memory that has room for one. Arrays that are one
    /// share it.
    ///
    /// # Safety
    /// As [`Loop::run`], for the elements from `first` on.
    unsafe fn run_rest(&self, pointers: &[*mut u8], first: usize, n: usize, frame: *mut u8) {
        let mut rooms = vec![[0u8; WIDEST]; pointers.len()];
        let rooms = rooms.as_mut_ptr();
        let room = |array: &Array| {
            let same = |&p: &*mut u8| p == pointers[array.pointer];
            let at = pointers.iter().position(same).unwrap_or(array.pointer);
            // SAFETY: there are as many rooms as pointers.
            unsafe { rooms.add(at).cast::<u8>() }
        };
        let mut inside = pointers.to_vec();
        for array in &self.arrays {
            inside[array.pointer] = room(array);
            if array.is_read {
                // SAFETY: these elements are the array's, as the caller promised, and fewer than a room has.
                unsafe { array.copy(pointers, first, n, room(array), true) };
            }
        }
        (self.entry)(inside.as_ptr(), self.lanes(), frame);
        for array in self.arrays.iter().filter(|array| array.is_written) {
            // SAFETY: as above.
            unsafe { array.copy(pointers, first, n, room(array), false) };
        }
    }

    /// Writes an element to that vector of the frame, for each lane, where it is another one than those there.
    ///
    /// # Safety
    /// The frame has that vector, and there is an element at `from`.
    unsafe fn fill(&self, frame: *mut u8, at: usize, from: *const u8, element: Element) {
        // SAFETY: promised by the caller.
        unsafe {
            let bits = match (element, self.float) {
                (Element::Truth, _) => u64::from(from.read()).wrapping_neg(),
                (_, Float::F32) => u64::from(from.cast::<u32>().read_unaligned()),
                (_, Float::F64) => from.cast::<u64>().read_unaligned(),
            };
            let bits = match self.float {
                Float::F32 => bits & 0xFFFF_FFFF | bits << 32,
                Float::F64 => bits,
            };
            // A vector that was just written in parts cannot be read as one for a while.
            let known = frame.add(at * self.width.bytes()).cast::<u64>();
            if known.read_unaligned() != bits {
                self.write(frame, at, bits);
            }
        }
    }

    /// Writes these bits again and again to that vector of the frame.
    ///
    /// # Safety
    /// The frame has that vector.
    unsafe fn write(&self, frame: *mut u8, at: usize, bits: u64) {
        let bytes = self.width.bytes();
        // SAFETY: promised by the caller.
        unsafe {
            let to = frame.add(at * bytes).cast::<u64>();
            (0..bytes / 8).for_each(|i| to.add(i).write_unaligned(bits));
        }
    }
}

impl Array {
    /// Copies elements out of the array, or into it.
    ///
    /// # Safety
    /// The array has `n` elements from `first` on, and `room` has room for them.
    unsafe fn copy(&self, pointers: &[*mut u8], first: usize, n: usize, room: *mut u8, out: bool) {
        let n = n * self.bytes;
        // SAFETY: the caller knows that the elements are there, and gives memory of its own.
        unsafe {
            let array = pointers[self.pointer].add(first * self.bytes);
            match out {
                true => array.copy_to_nonoverlapping(room, n),
                false => array.copy_from_nonoverlapping(room, n),
            }
        }
    }
}

/// The arrays of a program, whose instructions made these.
fn arrays(program: &Program, made: &[Option<Element>]) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    for inst in &program.insts {
        let (pointer, element, reads) = match *inst {
            Inst::Load { pointer, element } => (pointer as usize, Some(element), true),
            Inst::Store { pointer, value } => (pointer as usize, made[value as usize], false),
            Inst::Single { .. }
            | Inst::Sum { .. }
            | Inst::Constant { .. }
            | Inst::Convert { .. }
            | Inst::Compute { .. }
            | Inst::Apply { .. } => continue,
        };
        let at = arrays.iter().position(|array| array.pointer == pointer);
        let at = at.unwrap_or_else(|| {
            arrays.push(Array {
                pointer,
                bytes: match element {
                    Some(Element::Truth) => 1,
                    _ => program.float.bytes(),
                },
                is_read: false,
                is_written: false,
            });
            arrays.len() - 1
        });
        arrays[at].is_read |= reads;
        arrays[at].is_written |= !reads;
    }
    arrays
}
