//! Reductions over axes given by a tensor.

use super::axes::{Marks, expect_axes, marks, reduced_shape};
use super::gradients::{self, ReduceCall};
use super::kernels::{EuclideanNorm, Loops, Of};
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Known, Op, Registry, Specs,
    Val, VjpCall, op_object,
};
use ferrograph_kernels::reduce as k;
use ferrograph_tensor::{DType, Result, Shape, TensorSpec, err, with_element};
use smallvec::smallvec;
use std::fmt;
use std::sync::Arc;

/// The result for integers that are all known.
type Fold = fn(&[i64]) -> Option<i64>;
type Rule = fn(&mut dyn Emitter, &ReduceCall<'_>) -> Result<Val>;

/// A row of the table: what a reduction is.
pub(crate) struct ReduceDef {
    name: &'static str,
    loops: fn(DType) -> Option<&'static dyn Loops>,
    vjp: Option<Rule>,
    known: Option<Fold>,
}

impl ReduceDef {
    const fn new(
        name: &'static str,
        loops: fn(DType) -> Option<&'static dyn Loops>,
        vjp: Option<Rule>,
    ) -> ReduceDef {
        ReduceDef {
            name,
            loops,
            vjp,
            known: None,
        }
    }
    /// Shape arithmetic follows it.
    const fn known(self, known: Fold) -> ReduceDef {
        ReduceDef {
            known: Some(known),
            ..self
        }
    }
}

/// A reduction out of the table of this family.
pub struct Reduce {
    def: &'static ReduceDef,
    keep_dims: bool,
}

impl fmt::Debug for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(keep_dims: {})", self.def.name, self.keep_dims)
    }
}

impl Reduce {
    fn loops(&self, dtype: DType) -> Result<&'static dyn Loops> {
        (self.def.loops)(dtype).ok_or_else(|| {
            err!(
                DType,
                "{} is not defined for {dtype} tensors",
                self.def.name
            )
        })
    }
}

impl Op for Reduce {
    op_object!();
    fn name(&self) -> &'static str {
        self.def.name
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("keep_dims", Attr::Bool(self.keep_dims))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        self.loops(inputs.dtype(0))?;
        expect_axes(inputs, 1)?;
        let axes = inputs.ints(1);
        let shape = reduced_shape(inputs.shape(0), axes.as_deref(), self.keep_dims)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (Some(axes), Some(shape)) = (inputs.ints(1), inputs.shape(0).to_static()) else {
            return Ok(None);
        };
        let marks = marks(&axes, shape.rank())?;
        Ok(Some(self.loops(inputs.dtype(0))?.bind(shape, marks)))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let fold = self.def.known?;
        let axes = inputs.ints(1)?;
        if !matches!(inputs.dtype(0), DType::Int32 | DType::Int64) || axes.len() != 1 {
            return None;
        }
        let all = fold(&inputs.ints(0)?)?;
        let fits = inputs.dtype(0) == DType::Int64 || i32::try_from(all).is_ok();
        (inputs.shape(0).rank() == Some(1) && fits).then(|| smallvec![Some(all)])
    }
    fn differentiability(&self) -> Differentiability {
        if self.def.vjp.is_some() {
            Differentiability::Vjp
        } else {
            Differentiability::Stops
        }
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(rule) = self.def.vjp else {
            return Ok(smallvec![None, None]);
        };
        let call = ReduceCall {
            x: &call.inputs[0],
            axes: &call.inputs[1],
            y: &call.outputs[0],
            g: call.grad()?,
            keep_dims: self.keep_dims,
        };
        Ok(smallvec![Some(rule(e, &call)?.into()), None])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        inputs.shape(0).n_elements().map_or(0.0, |n| n as f64)
    }
}

macro_rules! loops {
    ($op:ty, $set:ident) => {
        |dtype| {
            with_element!(dtype, $set, T => Some(const { &Of::<T, $op>::LOOPS }), else => None)
        }
    };
    ($op:ty) => {
        |dtype| match dtype {
            DType::Bool => Some(const { &Of::<bool, $op>::LOOPS }),
            _ => None,
        }
    };
}

macro_rules! table {
    ($($name:ident = $value:expr;)*) => {
        $(static $name: ReduceDef = $value;)*
        pub(crate) fn register(r: &mut Registry) {
            $(r.add($name.name, |a| Ok(Arc::new(Reduce { def: &$name, keep_dims: a.bool_or("keep_dims", false)? })));)*
        }
    };
}

table! {
    SUM = ReduceDef::new("Sum", loops!(k::Sum, numeric), Some(gradients::sum)).known(sum);
    MEAN = ReduceDef::new("Mean", loops!(k::Mean, numeric), Some(gradients::mean));
    PROD = ReduceDef::new("Prod", loops!(k::Prod, numeric), Some(gradients::prod)).known(prod);
    MAX = ReduceDef::new("Max", loops!(k::Max, real), Some(gradients::extreme)).known(|x| x.iter().copied().max());
    MIN = ReduceDef::new("Min", loops!(k::Min, real), Some(gradients::extreme)).known(|x| x.iter().copied().min());
    EUCLIDEAN_NORM = ReduceDef::new("EuclideanNorm", loops!(EuclideanNorm, numeric), Some(gradients::norm));
    ALL = ReduceDef::new("All", loops!(k::All), None);
    ANY = ReduceDef::new("Any", loops!(k::Any), None);
}

/// A kernel for the sum over the marked axes.
pub(crate) fn sum_kernel(dtype: DType, shape: Shape, axes: Marks) -> Option<Kernel> {
    Some((SUM.loops)(dtype)?.bind(shape, axes))
}

fn sum(x: &[i64]) -> Option<i64> {
    x.iter().try_fold(0i64, |a, &b| a.checked_add(b))
}

fn prod(x: &[i64]) -> Option<i64> {
    x.iter().try_fold(1i64, |a, &b| a.checked_mul(b))
}
