//! Where the extreme is.

use super::axes::{expect_axes, resolve};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Inputs, Kernel, Op, OpRef, Registry, Specs,
    op_object,
};
use ferrograph_kernels::reduce::{self as k, ArgOp, arg_reduce};
use ferrograph_tensor::{DType, Element, PartialShape, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;
use std::sync::Arc;

/// The index of the greatest or least element along an axis; the first of equals.
#[derive(Debug)]
pub struct ArgExtreme {
    /// Looks for the greatest; else for the least.
    pub max: bool,
    /// int32 or int64.
    pub output_type: DType,
}

impl Op for ArgExtreme {
    op_object!();
    fn name(&self) -> &'static str {
        if self.max { "ArgMax" } else { "ArgMin" }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("output_type", Attr::DType(self.output_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = inputs.dtype(0);
        if !dtype.is_integer() && !dtype.is_floating() && dtype != DType::Bool {
            bail!(DType, "{} is not defined for {dtype} tensors", self.name());
        }
        expect_axes(inputs, 1)?;
        Ok(smallvec![TensorSpec::new(
            self.output_type,
            self.shape(inputs)?
        )])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (Some(axis), Some(shape)) = (inputs.ints(1), inputs.shape(0).to_static()) else {
            return Ok(None);
        };
        let Some(&axis) = axis.first() else {
            return Ok(None);
        };
        let axis = resolve(axis, shape.rank())?;
        let (n, inner) = (shape[axis], shape[axis + 1..].iter().product());
        let dtype = inputs.dtype(0);
        if dtype == DType::Bool {
            return Ok(Some(self.bind::<bool>(n, inner)));
        }
        Ok(with_element!(dtype, real, T => Some(self.bind::<T>(n, inner)), else => None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

impl ArgExtreme {
    fn shape(&self, inputs: &Inputs<'_>) -> Result<PartialShape> {
        let Some(dims) = inputs.shape(0).dims() else {
            return Ok(PartialShape::UNKNOWN);
        };
        if dims.is_empty() {
            bail!(
                Shape,
                "{} of a scalar has no axis to look along",
                self.name()
            );
        }
        let Some(axis) = inputs.ints(1).and_then(|a| a.first().copied()) else {
            return Ok(PartialShape::of_rank(dims.len() - 1));
        };
        let axis = resolve(axis, dims.len())?;
        let rest = dims.iter().enumerate().filter(|(i, _)| *i != axis);
        if dims[axis].known() == Some(0) && rest.clone().all(|(_, d)| d.known() != Some(0)) {
            bail!(
                InvalidArgument,
                "Reduction axis {axis} is empty in shape {}",
                inputs.shape(0)
            );
        }
        Ok(rest.map(|(_, &d)| d).collect())
    }

    fn bind<T: Element>(&self, n: usize, inner: usize) -> Kernel
    where
        k::ArgMax: ArgOp<T>,
        k::ArgMin: ArgOp<T>,
    {
        let find: fn(&[T], usize, usize, &mut [i64]) = if self.max {
            arg_reduce::<T, k::ArgMax>
        } else {
            arg_reduce::<T, k::ArgMin>
        };
        if self.output_type == DType::Int64 {
            return Box::new(move |o| {
                if n > 0 {
                    find(o.input(0), n, inner, o.output(0));
                }
                Ok(())
            });
        }
        Box::new(move |o| {
            let x = o.input(0);
            let out = o.output::<i32>(0);
            let mut wide = vec![0i64; out.len()];
            if n > 0 {
                find(x, n, inner, &mut wide);
            }
            #[allow(clippy::cast_possible_truncation)]
            for (o, &w) in out.iter_mut().zip(&wide) {
                *o = w as i32;
            }
            Ok(())
        })
    }
}

fn make(max: bool, a: &AttrReader<'_>) -> Result<OpRef> {
    let output_type = a
        .find("output_type")
        .map_or(Ok(DType::Int64), |_| a.dtype("output_type"))?;
    if !matches!(output_type, DType::Int32 | DType::Int64) {
        bail!(
            Type,
            "output_type must be int32 or int64, got {output_type}"
        );
    }
    Ok(Arc::new(ArgExtreme { max, output_type }))
}

pub(crate) fn register(r: &mut Registry) {
    r.add("ArgMax", |a| make(true, a));
    r.add("ArgMin", |a| make(false, a));
}
