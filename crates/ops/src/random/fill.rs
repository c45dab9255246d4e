//! Distributions, whatever the element type.

use ferrograph_graph::Operands;
use ferrograph_kernels::random::{self as k, PhiloxState, Uniform, UniformInt};
use ferrograph_tensor::{DType, Element, Result, bail, bf16, f16, vec_of, with_element};
use std::fmt::Display;

/// How numbers are distributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// Evenly over `[0, 1)`.
    Uniform,
    /// Normally with mean 0 and deviation 1.
    Normal,
    /// As `Normal`, of magnitude below 2.
    TruncatedNormal,
    /// Integers evenly between the bounds that the last two inputs give.
    Between,
    /// Integers evenly over the range of the dtype.
    AllIntegers,
}

/// Fills output 0 from a place in a stream; bounds begin at that input.
pub(super) type Fill = fn(PhiloxState, &mut Operands<'_>, usize) -> Result<()>;

impl Distribution {
    /// How a tensor of that dtype is filled.
    pub(super) fn fill(self, dtype: DType) -> Option<Fill> {
        match self {
            Distribution::Uniform => {
                with_element!(dtype, floating, T => Some(uniform::<T>), else => None)
            }
            Distribution::Normal => normal(dtype, false),
            Distribution::TruncatedNormal => normal(dtype, true),
            Distribution::Between => match dtype {
                DType::Int32 => Some(between::<i32>),
                DType::Int64 => Some(between::<i64>),
                DType::UInt32 => Some(between::<u32>),
                DType::UInt64 => Some(between::<u64>),
                _ => None,
            },
            Distribution::AllIntegers => match dtype {
                DType::Int32 => Some(all::<i32>),
                DType::Int64 => Some(all::<i64>),
                DType::UInt32 => Some(all::<u32>),
                DType::UInt64 => Some(all::<u64>),
                _ => None,
            },
        }
    }
}

fn uniform<T: Element + Uniform>(
    state: PhiloxState,
    o: &mut Operands<'_>,
    _bounds: usize,
) -> Result<()> {
    k::fill_uniform::<T>(state, o.output(0));
    Ok(())
}

fn between<T: Element + UniformInt + PartialOrd + Display>(
    state: PhiloxState,
    o: &mut Operands<'_>,
    bounds: usize,
) -> Result<()> {
    let (&[low], &[high]) = (o.input::<T>(bounds), o.input::<T>(bounds + 1)) else {
        bail!(Shape, "minval and maxval must be scalars");
    };
    let out = o.output::<T>(0);
    if out.is_empty() {
        return Ok(());
    }
    if low >= high {
        bail!(InvalidArgument, "Need minval < maxval, got {low} >= {high}");
    }
    k::fill_int(state, low, high, out);
    Ok(())
}

fn all<T: Element + UniformInt>(
    state: PhiloxState,
    o: &mut Operands<'_>,
    _bounds: usize,
) -> Result<()> {
    k::fill_int_full::<T>(state, o.output(0));
    Ok(())
}

fn normal(dtype: DType, truncated: bool) -> Option<Fill> {
    Some(match (dtype, truncated) {
        (DType::Float16, false) => {
            |s, o, _| narrow(s, o.output(0), k::fill_normal_f32, f16::from_f32)
        }
        (DType::BFloat16, false) => {
            |s, o, _| narrow(s, o.output(0), k::fill_normal_f32, bf16::from_f32)
        }
        (DType::Float16, true) => {
            |s, o, _| narrow(s, o.output(0), k::fill_truncated_normal_f32, f16::from_f32)
        }
        (DType::BFloat16, true) => {
            |s, o, _| narrow(s, o.output(0), k::fill_truncated_normal_f32, bf16::from_f32)
        }
        (DType::Float32, false) => |s, o, _| direct(s, o.output(0), k::fill_normal_f32),
        (DType::Float64, false) => |s, o, _| direct(s, o.output(0), k::fill_normal_f64),
        (DType::Float32, true) => |s, o, _| direct(s, o.output(0), k::fill_truncated_normal_f32),
        (DType::Float64, true) => |s, o, _| direct(s, o.output(0), k::fill_truncated_normal_f64),
        _ => return None,
    })
}

fn direct<T>(state: PhiloxState, out: &mut [T], fill: fn(PhiloxState, &mut [T])) -> Result<()> {
    fill(state, out);
    Ok(())
}

/// Fills 16-bit floats with rounded `f32` numbers.
fn narrow<T>(
    state: PhiloxState,
    out: &mut [T],
    fill: fn(PhiloxState, &mut [f32]),
    round: fn(f32) -> T,
) -> Result<()> {
    let mut wide = vec_of(0f32, out.len())?;
    fill(state, &mut wide);
    out.iter_mut().zip(wide).for_each(|(o, w)| *o = round(w));
    Ok(())
}
