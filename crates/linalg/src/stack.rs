//! Stacks of matrices: shapes of operations over them, and one kernel call for each matrix over the pool.

use faer::{MatMut, MatRef};
use ferrograph_graph::Inputs;
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err};

use crate::field::Field;

/// How many matrices of what size are in a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    pub n: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Stack {
    /// The stack in a tensor of static shape.
    pub fn of(spec: &TensorSpec) -> Result<Stack> {
        let shape = spec.shape.to_static();
        let shape = shape.ok_or_else(|| err!(Internal, "shape {} is open", spec.shape))?;
        let [lead @ .., rows, columns] = &shape[..] else {
            bail!(Shape, "expected matrices, got shape {shape}");
        };
        Ok(Stack {
            n: lead.iter().product(),
            rows: *rows,
            columns: *columns,
        })
    }

    /// The elements of a matrix.
    pub fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// The smaller of both sides.
    pub fn shorter(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Matrix `i` of a slice.
    pub fn at<'a, T>(&self, all: &'a [T], i: usize) -> MatRef<'a, T> {
        let one = &all[i * self.size()..(i + 1) * self.size()];
        MatRef::from_row_major_slice(one, self.rows, self.columns)
    }

    /// Matrix `i` of a slice, to be written.
    pub fn at_mut<'a, T>(&self, all: &'a mut [T], i: usize) -> MatMut<'a, T> {
        let (size, rows, columns) = (self.size(), self.rows, self.columns);
        MatMut::from_row_major_slice_mut(&mut all[i * size..(i + 1) * size], rows, columns)
    }
}

/// `f` of a square matrix whose diagonal has no imaginary parts: those of a self-adjoint one are rounding errors at most.
pub(crate) fn with_real_diagonal<T: Field, R>(
    a: MatRef<'_, T>,
    f: impl FnOnce(MatRef<'_, T>) -> R,
) -> R {
    let real = |i: usize| T::of_real(a[(i, i)].real_part());
    if (0..a.nrows()).all(|i| a[(i, i)] == real(i)) {
        return f(a);
    }
    let mut copy = a.to_owned();
    for i in 0..a.nrows() {
        copy[(i, i)] = real(i);
    }
    f(copy.as_ref())
}

/// Calls `f` with each number below `n`, over the pool where `cost_ns` each is worth it: the results in order, or the
/// first error.
pub(crate) fn each<R: Send>(
    n: usize,
    cost_ns: f64,
    f: impl Fn(usize) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut found: Vec<Option<Result<R>>> = (0..n).map(|_| None).collect();
    par_rows_mut(&mut found, 1, cost_ns, |first, slots| {
        for (i, slot) in slots.iter_mut().enumerate() {
            *slot = Some(f(first + i));
        }
    });
    found.into_iter().flatten().collect()
}

/// Nanoseconds that `flops` operations on matrices take, roughly.
pub(crate) fn cost(flops: f64) -> f64 {
    500.0 + flops / 4.0
}

/// Copies a matrix into the place of another.
pub(crate) fn write<T: Field>(mut to: MatMut<'_, T>, from: MatRef<'_, T>) {
    to.copy_from(from);
}

/// Fills square matrices with identities: the orthonormal bases that go with matrices without elements.
pub(crate) fn fill_identities<T: Field>(stack: Stack, all: &mut [T]) {
    let (size, step) = (stack.size(), stack.columns + 1);
    if size == 0 {
        return;
    }
    all.fill(T::of_real(0.0));
    for one in all.chunks_mut(size) {
        one.iter_mut()
            .step_by(step)
            .for_each(|x| *x = T::of_real(1.0));
    }
}

/// Leading dimensions, rows and columns of the matrices in input `i`; `None` where the rank is unknown.
pub(crate) fn matrices<'a>(
    inputs: &'a Inputs<'_>,
    i: usize,
) -> Result<Option<(&'a [Dim], Dim, Dim)>> {
    match inputs.shape(i).dims() {
        None => Ok(None),
        Some([lead @ .., rows, columns]) => Ok(Some((lead, *rows, *columns))),
        Some(_) => Err(err!(
            Shape,
            "Input must have rank >= 2, got shape {}",
            inputs.shape(i)
        )),
    }
}

/// As [`matrices`], of square ones: leading dimensions and the size, as far as either side tells it.
pub(crate) fn square<'a>(inputs: &'a Inputs<'_>, i: usize) -> Result<Option<(&'a [Dim], Dim)>> {
    let Some((lead, rows, columns)) = matrices(inputs, i)? else {
        return Ok(None);
    };
    if !rows.is_compatible(columns) {
        bail!(
            Shape,
            "Input matrix must be square, got shape {}",
            inputs.shape(i)
        );
    }
    let n = if rows.known().is_some() {
        rows
    } else {
        columns
    };
    Ok(Some((lead, n)))
}

/// The spec of input `i`, square matrices: a size that is known of one side is that of both.
pub(crate) fn square_spec(inputs: &Inputs<'_>, i: usize) -> Result<TensorSpec> {
    Ok(match square(inputs, i)? {
        Some((lead, n)) => spec_of(inputs.spec(i), lead, &[n, n]),
        None => inputs.spec(i).clone(),
    })
}

/// The spec of leading dimensions followed by others.
pub(crate) fn spec_of(like: &TensorSpec, lead: &[Dim], rest: &[Dim]) -> TensorSpec {
    let dims: PartialShape = lead.iter().chain(rest).copied().collect();
    TensorSpec::new(like.dtype, dims)
}

/// A spec of which nothing but the dtype is known.
pub(crate) fn open(like: &TensorSpec) -> TensorSpec {
    TensorSpec::new(like.dtype, PartialShape::UNKNOWN)
}
