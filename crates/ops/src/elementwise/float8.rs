//! Conversion from and to floats of one byte. What their 256 bytes become is looked up in a table, whose elements are
//! copied by their size; numbers of other dtypes are rounded once.

use super::cast::Cast;
use ferrograph_graph::{Kernel, Op, Runner, Tensors, run_kernel};
use ferrograph_kernels::elementwise::CastTo;
use ferrograph_kernels::pool::par_chunks_mut;
use ferrograph_tensor::{DType, Element, Float8, Result, Tensor, bail, bf16, f16};

/// Elements that are widened at a stretch.
const BLOCK: usize = 512;

/// The kernel from floats of one byte, by that of `float32`, which holds all of them.
pub(super) fn from_bytes(format: Float8, to: DType, of_float32: &Kernel) -> Result<Kernel> {
    let all: Vec<f32> = (0..=u8::MAX).map(|byte| format.decode(byte)).collect();
    let mut table = [Tensor::empty(to, [all.len()].into())?];
    run_kernel(of_float32, &[Tensor::vector(&all)?], &mut table)?;
    let [table] = table;
    Ok(match to.size() {
        1 => looked_up::<1>(table),
        2 => looked_up::<2>(table),
        4 => looked_up::<4>(table),
        8 => looked_up::<8>(table),
        16 => looked_up::<16>(table),
        n => bail!(Internal, "no elements of {n} bytes"),
    })
}

/// The kernel from one such dtype to itself.
pub(super) fn same() -> Kernel {
    Box::new(|o| {
        let bytes = o.input_bytes(0);
        o.output_bytes(0).copy_from_slice(bytes);
        Ok(())
    })
}

/// Copies for each byte the element of its number.
fn looked_up<const N: usize>(table: Tensor) -> Kernel {
    Box::new(move |o| {
        let (table, _) = table.bytes().as_chunks::<N>();
        let bytes = o.input_bytes(0);
        let (out, _) = o.output_bytes(0).as_chunks_mut::<N>();
        par_chunks_mut(out, 0.7, |at, out| {
            let both = out.iter_mut().zip(&bytes[at..]);
            both.for_each(|(to, byte)| *to = table[usize::from(*byte)]);
        });
        Ok(())
    })
}

/// The kernel to floats of one byte, for the floats; other numbers take [`by_floats`].
pub(super) fn to_bytes(from: DType, format: Float8) -> Option<Kernel> {
    match from {
        DType::Float32 => Some(rounded::<f32>(move |x, out| {
            let both = out.iter_mut().zip(x);
            both.for_each(|(to, x)| *to = format.encode(*x));
        })),
        DType::Float64 => Some(rounded::<f64>(move |x, out| {
            let both = out.iter_mut().zip(x);
            both.for_each(|(to, x)| *to = format.encode_wide(*x));
        })),
        DType::Float16 => Some(rounded(move |x, out| widened::<f16>(format, x, out))),
        DType::BFloat16 => Some(rounded(move |x, out| widened::<bf16>(format, x, out))),
        _ => None,
    }
}

fn rounded<T: Element>(round: impl Fn(&[T], &mut [u8]) + Send + Sync + 'static) -> Kernel {
    Box::new(move |o| {
        let x = o.input::<T>(0);
        par_chunks_mut(o.output_bytes(0), 1.5, |at, out| {
            round(&x[at..at + out.len()], out);
        });
        Ok(())
    })
}

/// Rounds numbers of 16 bits, block by block by way of `float32`.
fn widened<T: CastTo<f32>>(format: Float8, x: &[T], out: &mut [u8]) {
    let mut wide = [0.0; BLOCK];
    for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let wide = &mut wide[..x.len()];
        T::cast_slice(x, wide);
        let both = out.iter_mut().zip(wide);
        both.for_each(|(to, x)| *to = format.encode(*x));
    }
}

/// Integers, bools and real parts as floats of one byte. `float32` does to round integers once: those that it does not
/// hold are beyond the formats.
pub(super) fn by_floats(to: DType, runner: &dyn Runner, x: &Tensor) -> Result<Tensors> {
    let dtype = match x.dtype() {
        DType::Complex128 => DType::Float64,
        _ => DType::Float32,
    };
    let floats = Cast { dtype }.eval(runner, std::slice::from_ref(x))?;
    Cast { dtype: to }.eval(runner, &floats)
}
