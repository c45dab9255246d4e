//! Joining strings: of several tensors, along axes, by segment.

use super::made;
use super::map::broadcast;
use crate::args::{axis_of, checked, expect_integers, scalar};
use crate::scatter::behind;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::{collected, push};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, string_of,
    vec_for, vec_of,
};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitStringJoin;

    /// The strings of all `inputs` joined element by element; scalars go with every element.
    StringJoin: string_join(inputs: [string; N]) -> (output: string), gradient Stops, batch Broadcasts {
        /// What stands between.
        separator: String = String::new(),
    };

    /// The strings of `inputs` joined along `reduction_indices`, one axis after another: the first of them innermost.
    ReduceJoin: reduce_join(inputs: string, reduction_indices: _ in index) -> (output: string), gradient Stops, batch Axes(1) {
        /// Whether joined axes stay with size 1.
        keep_dims: bool = false,
        /// What stands between.
        separator: String = String::new(),
    };

    /// The strings of `inputs` joined by `segment_ids` into as many as `num_segments` says.
    UnsortedSegmentJoin: unsorted_segment_join(
        inputs: string, segment_ids: Tindices in index, num_segments: Tnumsegments in index rank 0
    ) -> (output: string), gradient Stops {
        /// What stands between.
        separator: String = String::new(),
    };
}

fn joined(parts: &[&[u8]], separator: &str) -> Result<Bytes> {
    let bytes: usize = parts.iter().map(|p| p.len()).sum();
    let between = separator.len().saturating_mul(parts.len());
    let mut text = vec_for(bytes.saturating_add(between))?;
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            text.extend_from_slice(separator.as_bytes());
        }
        text.extend_from_slice(part);
        poll_cancellation();
    }
    string_of(&text)
}

impl Op for StringJoin {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let mut all: Option<PartialShape> = None;
        let mut any_unknown = false;
        for i in 0..inputs.len() {
            let shape = inputs.shape(i);
            match shape.rank() {
                Some(0) => continue,
                None => any_unknown = true,
                Some(_) => {}
            }
            all = Some(match all {
                None => shape.clone(),
                Some(all) => all.merge(shape).map_err(|_| {
                    err!(
                        Shape,
                        "strings of shapes {all} and {shape} cannot be joined"
                    )
                })?,
            });
        }
        let shape = match all {
            Some(shape) if !any_unknown || shape.rank().is_some() => shape,
            Some(_) => PartialShape::UNKNOWN,
            None => PartialShape::scalar(),
        };
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let specs = checked(self, inputs)?;
        let shape = crate::movement::static_shape(&specs[0])?;
        let spread: Vec<Tensor> = inputs
            .iter()
            .map(|t| broadcast(t, &shape))
            .collect::<Result<_>>()?;
        let columns: Vec<&[Bytes]> = spread
            .iter()
            .map(Tensor::as_strings)
            .collect::<Result<_>>()?;
        let row = |i: usize| {
            let parts: Vec<&[u8]> = columns.iter().map(|c| &*c[i]).collect();
            joined(&parts, &self.separator)
        };
        let strings = made((0..shape.n_elements()).map(row))?;
        Ok(smallvec![Tensor::from_strings(shape, strings)?])
    }
}

impl ReduceJoin {
    fn axes(inputs: &Inputs<'_>, rank: usize) -> Result<Option<SmallVec<[usize; 4]>>> {
        let Some(axes) = inputs.ints(1) else {
            return Ok(None);
        };
        let mut all = SmallVec::new();
        for axis in axes {
            let axis = axis_of(axis, rank, "axis")?;
            if all.contains(&axis) {
                bail!(Shape, "axis {axis} is given twice");
            }
            all.push(axis);
        }
        Ok(Some(all))
    }
}

impl Op for ReduceJoin {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_integers(inputs, 1, "axis")?;
        let shape = match inputs.shape(0).dims() {
            None => PartialShape::UNKNOWN,
            Some(dims) => match ReduceJoin::axes(inputs, dims.len())? {
                None if self.keep_dims => PartialShape::of_rank(dims.len()),
                None => PartialShape::UNKNOWN,
                Some(axes) => {
                    let kept = dims.iter().enumerate().filter_map(|(i, d)| {
                        match (axes.contains(&i), self.keep_dims) {
                            (false, _) => Some(*d),
                            (true, true) => Some(Dim::new(1)),
                            (true, false) => None,
                        }
                    });
                    kept.collect()
                }
            },
        };
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let specs = checked(self, inputs)?;
        let out = crate::movement::static_shape(&specs[0])?;
        let spec = [inputs[0].spec(), inputs[1].spec()];
        let known = Inputs::new(spec.iter().zip(inputs).map(|(s, t)| (s, Some(t), None)));
        let rank = inputs[0].rank();
        let axes = ReduceJoin::axes(&known, rank)?
            .ok_or_else(|| err!(Internal, "the axes are not known"))?;
        // The axis given first is joined first: joined axes go last, that one innermost, and each result joins
        // consecutive strings.
        let kept = (0..rank).filter(|i| !axes.contains(i));
        let perm: Vec<i64> = kept
            .chain(axes.iter().rev().copied())
            .map(|i| i as i64)
            .collect();
        let moved = crate::movement::move_strings(
            &crate::Transpose,
            &[inputs[0].clone(), Tensor::vector(&perm)?],
        )?;
        let n: usize = axes.iter().map(|&a| inputs[0].shape()[a]).product();
        let strings = moved[0].as_strings()?;
        let join = |i: usize| {
            let parts = collected(strings[i * n..(i + 1) * n].iter().map(|s| &**s));
            joined(&parts, &self.separator)
        };
        let all = made((0..out.n_elements()).map(join))?;
        Ok(smallvec![Tensor::from_strings(out, all)?])
    }
}

impl Op for UnsortedSegmentJoin {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = match scalar(inputs, 2) {
            Some(n) if n < 0 => bail!(Shape, "num_segments must not be negative, got {n}"),
            n => Dim::from(n.and_then(|n| usize::try_from(n).ok())),
        };
        let shape = behind(inputs.shape(0), inputs.shape(1), n)?;
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let specs = checked(self, inputs)?;
        let out: Shape = crate::movement::static_shape(&specs[0])?;
        let inner: usize = out[1..].iter().product();
        let strings = inputs[0].as_strings()?;
        let mut parts: Vec<Vec<&[u8]>> = vec_of(Vec::new(), out.checked_count()?)?;
        for (i, id) in inputs[1].to_i64s()?.into_iter().enumerate() {
            let Some(id) = usize::try_from(id).ok().filter(|&id| id < out[0]) else {
                bail!(
                    InvalidArgument,
                    "segment_ids[{i}] = {id} is not in [0, {})",
                    out[0]
                );
            };
            for j in 0..inner {
                push(&mut parts[id * inner + j], &strings[i * inner + j]);
            }
        }
        let all = made(parts.iter().map(|p| joined(p, &self.separator)))?;
        Ok(smallvec![Tensor::from_strings(out, all)?])
    }
}
