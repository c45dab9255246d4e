//! Moving whole elements without looking at them.
//!
//! An operation that only moves elements binds, once shapes are known, a [`Rearrange`]: a routine generic over the
//! element. Dense elements are chunks of as many bytes as their dtype has, strings are shared pointers, so that one
//! routine serves every dtype.

use ferrograph_graph::{Inputs, Kernel, Op, Operands, Specs, Tensors, evaluate};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::SmallVec;
use std::sync::Arc;

/// Integers of a dtype that indexes: int32, int64, or uint8 where a label fits a byte.
#[derive(Clone, Copy)]
pub(crate) enum Ints<'a> {
    Bytes(&'a [u8]),
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> Ints<'a> {
    /// The elements of a tensor of such a dtype.
    pub(crate) fn of(t: &'a Tensor) -> Result<Ints<'a>> {
        match t.dtype() {
            DType::UInt8 => Ok(Ints::Bytes(t.as_slice()?)),
            DType::Int32 => Ok(Ints::Narrow(t.as_slice()?)),
            _ => Ok(Ints::Wide(t.as_slice()?)),
        }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        match self {
            Ints::Bytes(x) => x.len(),
            Ints::Narrow(x) => x.len(),
            Ints::Wide(x) => x.len(),
        }
    }

    /// Element `i`.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> i64 {
        match self {
            Ints::Bytes(x) => i64::from(x[i]),
            Ints::Narrow(x) => i64::from(x[i]),
            Ints::Wide(x) => x[i],
        }
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = i64> + 'a {
        (0..self.len()).map(move |i| self.get(i))
    }
}

/// Where a rearrangement reads and writes elements of type `T`.
pub(crate) trait Io<'a, T> {
    /// The elements of input `i`.
    fn input(&self, i: usize) -> &'a [T];
    /// The elements of index input `i` of that dtype, as in [`Ints`].
    fn ints(&self, i: usize, dtype: DType) -> Ints<'a>;
    /// The elements of output `i`.
    fn output(&mut self, i: usize) -> &mut [T];
    /// Zero, false or the empty string.
    fn zero(&self) -> T;
}

/// A movement of elements bound to shapes.
pub(crate) trait Rearrange: Send + Sync + 'static {
    /// Fills the outputs.
    fn run<'a, T: Clone + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()>;
}

/// An operation that only moves elements.
pub(crate) trait Moving: Op + Sized {
    /// What it binds.
    type Bound: Rearrange;

    /// The movement for inputs and outputs of static shapes; `None` where constants that it needs are not known.
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Self::Bound>>;

    /// The input whose elements are moved.
    fn data(&self) -> usize {
        0
    }
}

/// The `kernel` and `eval` of an operation that is [`Moving`].
macro_rules! moving {
    () => {
        fn kernel(
            &self,
            inputs: &::ferrograph_graph::Inputs<'_>,
            outputs: &[::ferrograph_tensor::TensorSpec],
        ) -> ::ferrograph_tensor::Result<Option<::ferrograph_graph::Kernel>> {
            $crate::movement::kernel(self, inputs, outputs)
        }
        fn eval(
            &self,
            _runner: &dyn ::ferrograph_graph::Runner,
            inputs: &[::ferrograph_tensor::Tensor],
        ) -> ::ferrograph_tensor::Result<::ferrograph_graph::Tensors> {
            $crate::movement::eval(self, inputs)
        }
    };
}
pub(crate) use moving;

struct Chunks<'o, 'a, const N: usize> {
    operands: &'o mut Operands<'a>,
}

fn ints_of<'a>(operands: &Operands<'a>, i: usize, dtype: DType) -> Ints<'a> {
    match dtype {
        DType::UInt8 => Ints::Bytes(operands.input(i)),
        DType::Int32 => Ints::Narrow(operands.input(i)),
        _ => Ints::Wide(operands.input(i)),
    }
}

impl<'a, const N: usize> Io<'a, [u8; N]> for Chunks<'_, 'a, N> {
    fn input(&self, i: usize) -> &'a [[u8; N]] {
        self.operands.input_bytes(i).as_chunks().0
    }
    fn ints(&self, i: usize, dtype: DType) -> Ints<'a> {
        ints_of(self.operands, i, dtype)
    }
    fn output(&mut self, i: usize) -> &mut [[u8; N]] {
        self.operands.output_bytes(i).as_chunks_mut().0
    }
    fn zero(&self) -> [u8; N] {
        [0; N]
    }
}

struct Strings<'a> {
    inputs: &'a [Tensor],
    outputs: SmallVec<[Vec<Bytes>; 1]>,
    empty: Bytes,
}

impl<'a> Io<'a, Bytes> for Strings<'a> {
    fn input(&self, i: usize) -> &'a [Bytes] {
        self.inputs[i].as_strings().unwrap_or(&[])
    }
    fn ints(&self, i: usize, _dtype: DType) -> Ints<'a> {
        Ints::of(&self.inputs[i]).unwrap_or(Ints::Wide(&[]))
    }
    fn output(&mut self, i: usize) -> &mut [Bytes] {
        &mut self.outputs[i]
    }
    fn zero(&self) -> Bytes {
        self.empty.clone()
    }
}

fn of_size<R: Rearrange, const N: usize>(bound: R) -> Kernel {
    Box::new(move |operands| bound.run(&mut Chunks::<N> { operands }))
}

/// The kernel of a moving operation on dense elements.
pub(crate) fn kernel<M: Moving>(
    op: &M,
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
) -> Result<Option<Kernel>> {
    let dtype = inputs.dtype(op.data());
    if !dtype.is_dense() || outputs.iter().any(|o| !o.shape.is_static()) {
        return Ok(None);
    }
    let Some(bound) = op.bind(inputs, outputs)? else {
        return Ok(None);
    };
    Ok(Some(match dtype.size() {
        1 => of_size::<_, 1>(bound),
        2 => of_size::<_, 2>(bound),
        4 => of_size::<_, 4>(bound),
        8 => of_size::<_, 8>(bound),
        16 => of_size::<_, 16>(bound),
        n => bail!(Internal, "no movement of elements of {n} bytes"),
    }))
}

/// The outputs of a moving operation, on elements of any dtype.
pub(crate) fn eval<M: Moving>(op: &M, inputs: &[Tensor]) -> Result<Tensors> {
    match inputs.get(op.data()).map(Tensor::dtype) {
        Some(DType::String) => eval_strings(op, inputs),
        _ => evaluate(op.as_dyn(), inputs),
    }
}

fn eval_strings<M: Moving>(op: &M, tensors: &[Tensor]) -> Result<Tensors> {
    let specs: Specs = tensors.iter().map(Tensor::spec).collect();
    let inputs = Inputs::new(specs.iter().zip(tensors).map(|(s, t)| (s, Some(t), None)));
    let outputs = op.as_dyn().specs(&inputs)?;
    let bound = op
        .bind(&inputs, &outputs)?
        .ok_or_else(|| err!(Internal, "operation {} did not bind", op.name()))?;
    let mut io = Strings {
        inputs: tensors,
        outputs: SmallVec::new(),
        empty: Arc::from(&b""[..]),
    };
    for spec in &outputs {
        io.outputs
            .push(vec![io.empty.clone(); static_shape(spec)?.checked_count()?]);
    }
    bound.run(&mut io)?;
    let outputs_and_specs = io.outputs.into_iter().zip(&outputs);
    outputs_and_specs
        .map(|(elements, spec)| Tensor::from_strings(static_shape(spec)?, elements))
        .collect()
}

/// The static shape that a spec must have where kernels are bound.
pub(crate) fn static_shape(spec: &TensorSpec) -> Result<Shape> {
    spec.shape.to_static().ok_or_else(|| {
        err!(
            Internal,
            "shape {} is open where it must be static",
            spec.shape
        )
    })
}

/// Strides per axis, in elements; negative ones walk backwards.
pub(crate) type Strides = SmallVec<[isize; 6]>;

/// Row-major strides of a shape.
pub(crate) fn strides_of(dims: &[usize]) -> Strides {
    let mut strides = Strides::from_elem(1, dims.len());
    for i in (0..dims.len().saturating_sub(1)).rev() {
        strides[i] = strides[i + 1] * dims[i + 1] as isize;
    }
    strides
}

/// A copy of a box of elements between two places with strides of their own.
pub(crate) struct Strided {
    dims: SmallVec<[usize; 6]>,
    from: Strides,
    to: Strides,
    from_start: usize,
    to_start: usize,
}

impl Strided {
    /// A copy of a box of these dimensions, from and to those starts with those strides.
    pub(crate) fn new(
        dims: &[usize],
        (from_start, from): (usize, &[isize]),
        (to_start, to): (usize, &[isize]),
    ) -> Strided {
        let mut all = Strided {
            dims: SmallVec::new(),
            from: Strides::new(),
            to: Strides::new(),
            from_start,
            to_start,
        };
        for i in 0..dims.len() {
            all.push_axis(dims[i], from[i], to[i]);
        }
        all
    }

    /// A copy that fills a dense output of these dimensions.
    pub(crate) fn read(dims: &[usize], start: usize, strides: &[isize]) -> Strided {
        Strided::new(dims, (start, strides), (0, &strides_of(dims)))
    }

    /// A copy of all of a dense input of these dimensions.
    pub(crate) fn write(dims: &[usize], start: usize, strides: &[isize]) -> Strided {
        Strided::new(dims, (0, &strides_of(dims)), (start, strides))
    }

    /// Adds an inner axis, merged with the one outside it where both walk on alike.
    fn push_axis(&mut self, n: usize, from: isize, to: isize) {
        if n == 1 {
            return;
        }
        if let (Some(m), Some(f), Some(t)) = (
            self.dims.last_mut(),
            self.from.last_mut(),
            self.to.last_mut(),
        ) && *f == from * n as isize
            && *t == to * n as isize
        {
            (*m, *f, *t) = (*m * n, from, to);
            return;
        }
        self.dims.push(n);
        self.from.push(from);
        self.to.push(to);
    }

    /// Copies.
    pub(crate) fn copy<T: Clone>(&self, from: &[T], to: &mut [T]) {
        if self.dims.contains(&0) {
            return;
        }
        self.walk(
            0,
            from,
            self.from_start as isize,
            to,
            self.to_start as isize,
        );
    }

    fn walk<T: Clone>(&self, axis: usize, from: &[T], mut f: isize, to: &mut [T], mut t: isize) {
        let Some(&n) = self.dims.get(axis) else {
            to[t as usize] = from[f as usize].clone();
            return;
        };
        let (df, dt) = (self.from[axis], self.to[axis]);
        if axis + 1 < self.dims.len() {
            for _ in 0..n {
                self.walk(axis + 1, from, f, to, t);
                (f, t) = (f + df, t + dt);
            }
            return;
        }
        let (at_f, at_t) = (f as usize, t as usize);
        match (df, dt) {
            (1, 1) => to[at_t..at_t + n].clone_from_slice(&from[at_f..at_f + n]),
            (0, 1) => to[at_t..at_t + n].fill(from[at_f].clone()),
            _ => {
                for _ in 0..n {
                    to[t as usize] = from[f as usize].clone();
                    (f, t) = (f + df, t + dt);
                }
            }
        }
    }
}

/// Copies input 0 to the only output.
impl Rearrange for Strided {
    fn run<'a, T: Clone + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let from = io.input(0);
        self.copy(from, io.output(0));
        Ok(())
    }
}

/// A copy in which each axis of the output lists where along the same axis of the input its elements lie.
pub(crate) struct AxisMaps {
    maps: Vec<Vec<usize>>,
}

impl AxisMaps {
    /// The movement from a tensor of shape `from`, where `maps` gives indices for each axis of the output.
    pub(crate) fn new(from: &[usize], mut maps: Vec<Vec<usize>>) -> AxisMaps {
        for (map, stride) in maps.iter_mut().zip(strides_of(from)) {
            map.iter_mut().for_each(|i| *i *= stride as usize);
        }
        AxisMaps { maps }
    }

    fn walk<T: Clone>(
        &self,
        axis: usize,
        from: &[T],
        base: usize,
        to: &mut std::slice::IterMut<'_, T>,
    ) {
        match self.maps.get(axis) {
            None => {
                if let Some(to) = to.next() {
                    *to = from[base].clone();
                }
            }
            Some(map) if axis + 1 == self.maps.len() => {
                for (i, to) in map.iter().zip(to) {
                    *to = from[base + i].clone();
                }
            }
            Some(map) => {
                for i in map {
                    self.walk(axis + 1, from, base + i, to);
                }
            }
        }
    }
}

/// Moves input 0 to the only output.
impl Rearrange for AxisMaps {
    fn run<'a, T: Clone + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let from = io.input(0);
        let to = io.output(0);
        if !to.is_empty() {
            self.walk(0, from, 0, &mut to.iter_mut());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_walk_on_alike_are_merged() {
        let s = Strided::read(&[2, 3, 4], 0, &strides_of(&[2, 3, 4]));
        assert_eq!(s.dims.as_slice(), &[24]);
        let s = Strided::read(&[2, 3, 4], 12, &[12, -4, 1]);
        assert_eq!(s.dims.len(), 3);
    }

    #[test]
    fn strided_copies_transpose_and_repeat() {
        let mut out = [0; 6];
        Strided::read(&[3, 2], 0, &[1, 3]).copy(&[1, 2, 3, 4, 5, 6], &mut out);
        assert_eq!(out, [1, 4, 2, 5, 3, 6]);
        Strided::read(&[2, 3], 0, &[1, 0]).copy(&[7, 8], &mut out);
        assert_eq!(out, [7, 7, 7, 8, 8, 8]);
    }
}
