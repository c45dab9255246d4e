//! Sparse tensors as bytes: their coordinates, values and shapes, serialised one by one.

use crate::serialized::{parsed, serialized};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err,
};
use smallvec::smallvec;

declare! {
    trait EmitSparse;

    /// A sparse tensor as three serialised tensors.
    SerializeSparse: serialize_sparse(sparse_indices: int64 rank 2, sparse_values: T in stored rank 1, sparse_shape: int64 rank 1)
        -> (serialized_sparse: string), gradient Stops;

    /// The rows of a sparse tensor as three serialised tensors each.
    SerializeManySparse: serialize_many_sparse(
        sparse_indices: int64 rank 2, sparse_values: T in stored rank 1, sparse_shape: int64 rank 1,
    ) -> (serialized_sparse: string), gradient Stops;

    /// The sparse tensor whose rows are those of three serialised tensors each.
    DeserializeManySparse: deserialize_many_sparse(serialized_sparse: string rank 2)
        -> (sparse_indices: int64, sparse_values: dtype in stored, sparse_shape: int64), gradient Stops {
        /// The dtype of the values.
        dtype: DType,
    };
}

/// The coordinates, values and shape of a sparse tensor, which fit each other.
struct Parts<'a> {
    indices: &'a [i64],
    values: &'a Tensor,
    shape: &'a [i64],
}

impl<'a> Parts<'a> {
    fn new(indices: &'a Tensor, values: &'a Tensor, shape: &'a Tensor) -> Result<Parts<'a>> {
        let fits = indices.rank() == 2
            && values.rank() == 1
            && shape.rank() == 1
            && indices.shape()[..] == [values.n_elements(), shape.n_elements()];
        if !fits {
            bail!(
                InvalidArgument,
                "indices of shape {}, values of shape {} and a shape of shape {} are no sparse tensor",
                indices.shape(),
                values.shape(),
                shape.shape()
            );
        }
        Ok(Parts {
            indices: indices.as_slice()?,
            values,
            shape: shape.as_slice()?,
        })
    }

    /// The ends of the rows among the values, which are in order.
    fn rows(&self) -> Result<Vec<usize>> {
        let Some((&n, _)) = self.shape.split_first() else {
            bail!(
                InvalidArgument,
                "a sparse tensor without dimensions has no rows"
            );
        };
        let n = usize::try_from(n).map_err(|_| err!(InvalidArgument, "there are {n} rows"))?;
        let mut ends = ferrograph_tensor::vec_for(n)?;
        let (rank, mut at) = (self.shape.len(), 0);
        for row in 0..n {
            while self.indices.get(at * rank) == Some(&(row as i64)) {
                at += 1;
            }
            ends.push(at);
        }
        if at != self.values.n_elements() {
            bail!(
                InvalidArgument,
                "value {at} lies outside of the {n} rows, or the coordinates are not in order"
            );
        }
        Ok(ends)
    }
}

impl Op for SerializeSparse {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = PartialShape::new(&[Dim::new(3)]);
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Parts::new(&inputs[0], &inputs[1], &inputs[2])?;
        let texts: Vec<Bytes> = inputs.iter().map(serialized).collect::<Result<_>>()?;
        Ok(smallvec![Tensor::from_strings(Shape::from([3]), texts)?])
    }
}

impl Op for SerializeManySparse {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = PartialShape::new(&[Dim::UNKNOWN, Dim::new(3)]);
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let parts = Parts::new(&inputs[0], &inputs[1], &inputs[2])?;
        let rank = parts.shape.len();
        let (mut texts, mut start) = (Vec::new(), 0);
        let ends = parts.rows()?;
        for &end in &ends {
            poll_cancellation();
            let own = parts.indices[start * rank..end * rank].chunks_exact(rank);
            let own: Vec<i64> = own.flat_map(|place| &place[1..]).copied().collect();
            let own = Tensor::from_slice([end - start, rank - 1], &own)?;
            texts.push(serialized(&own)?);
            texts.push(serialized(&parts.values.rows(start, end)?)?);
            texts.push(serialized(&Tensor::vector(&parts.shape[1..])?)?);
            start = end;
        }
        let shape = Shape::from([ends.len(), 3]);
        Ok(smallvec![Tensor::from_strings(shape, texts)?])
    }
}

impl Op for DeserializeManySparse {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.shape(0).dim(1).known().is_some_and(|n| n != 3) {
            bail!(
                Shape,
                "serialized_sparse must have 3 columns, got shape {}",
                inputs.shape(0)
            );
        }
        Ok(smallvec![
            TensorSpec::new(DType::Int64, PartialShape::of_rank(2)),
            TensorSpec::new(self.dtype, PartialShape::of_rank(1)),
            TensorSpec::new(DType::Int64, PartialShape::of_rank(1)),
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (rows, rest) = inputs[0].as_strings()?.as_chunks::<3>();
        if rows.is_empty() || !rest.is_empty() {
            bail!(
                InvalidArgument,
                "serialized_sparse must have rows of three, got shape {}",
                inputs[0].shape()
            );
        }
        let mut whole = Whole::default();
        for (i, row) in rows.iter().enumerate() {
            poll_cancellation();
            whole.add(i, row, self.dtype)?;
        }
        whole.finish(rows.len(), self.dtype)
    }
}

/// The rows of a sparse tensor put together.
#[derive(Default)]
struct Whole {
    indices: Vec<i64>,
    values: Vec<Tensor>,
    shape: Vec<i64>,
}

impl Whole {
    fn add(&mut self, i: usize, row: &[Bytes; 3], dtype: DType) -> Result<()> {
        let [indices, values, shape] = [parsed(&row[0])?, parsed(&row[1])?, parsed(&row[2])?];
        if values.dtype() != dtype {
            bail!(
                InvalidArgument,
                "Requested SparseTensor of type {dtype} but SparseTensor[{i}].values.dtype() == {}",
                values.dtype()
            );
        }
        let parts = Parts::new(&indices, &values, &shape)?;
        if i == 0 {
            self.shape = parts.shape.to_vec();
        }
        if parts.shape.len() != self.shape.len() {
            bail!(
                InvalidArgument,
                "SparseTensor[{i}] has rank {}, the first one {}",
                parts.shape.len(),
                self.shape.len()
            );
        }
        for (all, own) in self.shape.iter_mut().zip(parts.shape) {
            *all = (*all).max(*own);
        }
        for at in 0..values.n_elements() {
            let rank = parts.shape.len();
            self.indices.push(i as i64);
            self.indices
                .extend_from_slice(&parts.indices[at * rank..(at + 1) * rank]);
        }
        self.values.push(values);
        Ok(())
    }

    fn finish(self, n: usize, dtype: DType) -> Result<Tensors> {
        let rank = self.shape.len() + 1;
        let count = self.indices.len() / rank;
        let values = joined(&self.values, count, dtype)?;
        let shape: Vec<i64> = [n as i64].into_iter().chain(self.shape).collect();
        Ok(smallvec![
            Tensor::from_slice([count, rank], &self.indices)?,
            values,
            Tensor::vector(&shape)?,
        ])
    }
}

/// Vectors one behind the other.
fn joined(parts: &[Tensor], count: usize, dtype: DType) -> Result<Tensor> {
    if dtype == DType::String {
        let mut all: Vec<Bytes> = Vec::with_capacity(count);
        for part in parts {
            all.extend_from_slice(part.as_strings()?);
        }
        return Tensor::from_strings(Shape::from([count]), all);
    }
    let mut all = Tensor::zeros(dtype, Shape::from([count]))?;
    let Some(mut to) = all.bytes_mut() else {
        bail!(Internal, "a new tensor is not shared");
    };
    for part in parts {
        let (own, rest) = to.split_at_mut(part.bytes().len());
        own.copy_from_slice(part.bytes());
        to = rest;
    }
    Ok(all)
}
