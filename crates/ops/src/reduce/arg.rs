//! Where the extreme is.

use super::axes::resolve;
use crate::args::expect_one;
use crate::movement::static_shape;
use ferrograph_graph::{Inputs, Kernel, Lowered, Op, Specs, declare_family, of_family};
use ferrograph_kernels::reduce::{self as k, ArgOp, arg_reduce};
use ferrograph_tensor::{
    DType, Element, PartialShape, Result, TensorSpec, bail, vec_of, with_element,
};
use smallvec::smallvec;

declare_family! {
    trait EmitExtremes;

    /// The index of the greatest or least element along an axis; the first of equals.
    ArgExtreme {
        /// Looks for the greatest; else for the least.
        max: bool,
    } (input: T in ordered, dimension: Tidx in index) -> (output: output_type in index) {
        /// int32 or int64.
        output_type: DType = DType::Int64,
    };

    /// The index of the greatest element of `input` along `dimension`; the first of equals.
    ArgMax: arg_max, gradient Stops, batch Axes(1) { max: true };
    /// The index of the least element of `input` along `dimension`; the first of equals.
    ArgMin: arg_min, gradient Stops, batch Axes(1) { max: false };
}

impl Op for ArgExtreme {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![TensorSpec::new(
            self.output_type,
            self.shape(inputs)?
        )])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(axis) = inputs.ints(1).and_then(|axis| axis.first().copied()) else {
            return Ok(Lowered::Eval);
        };
        let shape = static_shape(inputs.spec(0))?;
        let axis = resolve(axis, shape.rank())?;
        let (n, inner) = (shape[axis], shape[axis + 1..].iter().product());
        let dtype = inputs.dtype(0);
        if dtype == DType::Bool {
            return Ok(Lowered::Kernel(self.bind::<bool>(n, inner)));
        }
        with_element!(dtype, real, T => Ok(Lowered::Kernel(self.bind::<T>(n, inner))), else => Ok(Lowered::Eval))
    }
}

impl ArgExtreme {
    fn shape(&self, inputs: &Inputs<'_>) -> Result<PartialShape> {
        let Some(dims) = inputs.shape(0).dims() else {
            return Ok(PartialShape::UNKNOWN);
        };
        expect_one(inputs, 1, "axis")?;
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
            let mut wide = vec_of(0i64, out.len())?;
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
