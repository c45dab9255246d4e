//! Products of sparse and dense matrices.

use crate::args::elements;
use crate::emit::*;
use crate::movement::{index_input, static_shape};
use crate::number::Number;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_kernels::sparse::{Dense, Sparse, sparse_times_dense};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, err, with_element};
use smallvec::smallvec;

declare! {
    trait EmitSparse;

    /// The product of the matrix of shape `a_shape` whose elements `a_values` stand at `a_indices`, and of the matrix `b`.
    /// Sums are made in the order of the elements.
    SparseTensorDenseMatMul: sparse_tensor_dense_matmul(
        a_indices: Tindices in index rank 2, a_values: T in numeric rank 1, a_shape: int64 rank 1, b: T rank 2
    ) -> (product: T), gradient Vjp, batch Rule {
        /// The sparse matrix is transposed and conjugated.
        adjoint_a: bool = false,
        /// The dense matrix is transposed and conjugated.
        adjoint_b: bool = false,
    };
}

impl SparseTensorDenseMatMul {
    /// Summands and columns of the dense matrix as it is read, by its rows and columns.
    fn read<D>(&self, rows: D, columns: D) -> (D, D) {
        match self.adjoint_b {
            true => (columns, rows),
            false => (rows, columns),
        }
    }

    fn bind<T: Number>(&self, index: DType, dense: [usize; 2]) -> Kernel {
        let (adjoint_a, adjoint_b) = (self.adjoint_a, self.adjoint_b);
        let (inner, width) = self.read(dense[0], dense[1]);
        let (down, right) = self.read(dense[1], 1);
        Box::new(move |operands| {
            let &[rows, columns] = operands.input::<i64>(2) else {
                bail!(InvalidArgument, "a_shape must have 2 elements");
            };
            let dims = [rows, columns].map(|n| usize::try_from(n).unwrap_or(0));
            let summed = if adjoint_a { dims[0] } else { dims[1] };
            if summed != inner {
                bail!(
                    InvalidArgument,
                    "the inner sizes of the matrices differ: {summed} and {inner}"
                );
            }
            let sparse = Sparse {
                places: index_input(operands, 0, index),
                values: operands.input::<T>(1),
                dims,
                transposed: adjoint_a,
            };
            let dense = Dense {
                data: operands.input::<T>(3),
                down,
                right,
            };
            let of = |adjoint: bool, x: T| if adjoint { x.conjugate() } else { x };
            let plain = |sum: T, value: T, x: T| sum.plus(value.times(x));
            let conjugated = |sum, value, x| plain(sum, of(adjoint_a, value), of(adjoint_b, x));
            let (zero, out) = (T::default(), operands.output::<T>(0));
            let done = match T::DTYPE.is_complex() {
                true => sparse_times_dense(&sparse, dense, width, zero, conjugated, out),
                false => sparse_times_dense(&sparse, dense, width, zero, plain, out),
            };
            done.map_err(|i| {
                let place = [2 * i, 2 * i + 1].map(|i| sparse.places.get(i));
                err!(
                    InvalidArgument,
                    "a_indices[{i}] = {place:?} is not within the shape {dims:?}"
                )
            })
        })
    }
}

impl Op for SparseTensorDenseMatMul {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (places, values) = (inputs.shape(0), inputs.shape(1));
        if !places.dim(0).is_compatible(values.dim(0)) || !places.dim(1).is_compatible(Dim::new(2))
        {
            bail!(
                Shape,
                "a_indices must have two numbers for each element of a_values, got shapes {places} and {values}"
            );
        }
        let n_dims = inputs.shape(2);
        if !n_dims.dim(0).is_compatible(Dim::new(2)) {
            bail!(Shape, "a_shape must have 2 elements, got shape {n_dims}");
        }
        let dims = elements(inputs, 2).unwrap_or_else(|| smallvec![None; 2]);
        if let Some(n) = dims.iter().flatten().find(|n| **n < 0) {
            bail!(InvalidArgument, "a_shape must not be negative, got {n}");
        }
        let dim = |i: usize| Dim::from(dims[i].and_then(|n| usize::try_from(n).ok()));
        let (rows, summed) = match self.adjoint_a {
            true => (dim(1), dim(0)),
            false => (dim(0), dim(1)),
        };
        let b = inputs.shape(3).merge(&PartialShape::of_rank(2))?;
        let (inner, width) = self.read(b.dim(0), b.dim(1));
        if !summed.is_compatible(inner) {
            bail!(
                Shape,
                "the inner sizes of the matrices differ: {summed} and {inner}"
            );
        }
        let shape = [rows, width].into_iter().collect();
        Ok(smallvec![TensorSpec::new(inputs.dtype(1), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _: &[TensorSpec]) -> Result<Lowered> {
        let b = static_shape(inputs.spec(3))?;
        let &[rows, columns] = b.dims() else {
            return Ok(Lowered::Eval);
        };
        let index = inputs.dtype(0);
        with_element!(inputs.dtype(1), numeric, T => {
            Ok(Lowered::Kernel(self.bind::<T>(index, [rows, columns])))
        }, else => Ok(Lowered::Eval))
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let n = inputs.shape(1).n_elements().unwrap_or(0);
        let width = outputs[0].shape.dim(1).known().unwrap_or(0);
        2.0 * n as f64 * width as f64
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [places, values, shape, b] = call.all()?;
        let grad = call.grad()?;
        let needs = |i: usize| call.needs.get(i).copied().unwrap_or(true);
        let mut grads = Grads::from_elem(None, 4);
        if needs(1) {
            grads[1] = Some(self.of_values(e, places, b, grad)?.into());
        }
        if needs(3) {
            let of_b =
                e.sparse_tensor_dense_matmul(places, values, shape, grad, !self.adjoint_a, false)?;
            let of_b = if self.adjoint_b {
                adjoint(e, &of_b)?
            } else {
                of_b
            };
            grads[3] = Some(of_b.into());
        }
        Ok(grads)
    }
}

impl SparseTensorDenseMatMul {
    /// The gradient of the elements: of each the product of a row of the gradient and one of the dense matrix.
    fn of_values(&self, e: &mut dyn Emitter, places: &Val, b: &Val, grad: &Val) -> Result<Val> {
        let column = e.scalar(1.0, DType::Int32)?;
        let [first, second] = [0.0, 1.0].map(|i| {
            let i = e.scalar(i, DType::Int32)?;
            e.gather_v2(places, &i, &column, 0)
        });
        let (rows, columns) = match self.adjoint_a {
            true => (second?, first?),
            false => (first?, second?),
        };
        let b = if self.adjoint_b {
            adjoint(e, b)?
        } else {
            b.clone()
        };
        // Counted from the end, so that gradients of the rows are dense.
        let axis = e.scalar(-2.0, DType::Int32)?;
        let grads = e.gather_v2(grad, &rows, &axis, 0)?;
        let others = e.gather_v2(&b, &columns, &axis, 0)?;
        let others = e.conj(&others)?;
        let products = e.mul(&grads, &others)?;
        let axes = e.int_vector(&[1])?;
        let sums = e.sum(&products, &axes, false)?;
        if self.adjoint_a {
            e.conj(&sums)
        } else {
            Ok(sums)
        }
    }
}

fn adjoint(e: &mut dyn Emitter, matrix: &Val) -> Result<Val> {
    let perm = e.int_vector(&[1, 0])?;
    let turned = e.transpose(matrix, &perm)?;
    e.conj(&turned)
}
