//! Comparisons.

use super::binary::{Binary, BinaryDef, Loops, bind};
use super::families::{loops, table};
use super::strings;
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Inputs, Kernel, Op, Registry, Runner, Specs, Tensors, evaluate,
    op_object,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Binary as Of;
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, broadcast_shapes, err,
};
use smallvec::smallvec;
use std::sync::Arc;

mod ordered {
    use super::*;
    table! { Binary, BinaryDef;
        LESS = BinaryDef::new("Less", loops!(Of, k::Less, real));
        LESS_EQUAL = BinaryDef::new("LessEqual", loops!(Of, k::LessEqual, real));
        GREATER = BinaryDef::new("Greater", loops!(Of, k::Greater, real));
        GREATER_EQUAL = BinaryDef::new("GreaterEqual", loops!(Of, k::GreaterEqual, real));
    }
}

/// Whether elements are equal, or are not. Shapes that do not broadcast are an error, or make the tensors differ as
/// wholes: one scalar.
#[derive(Debug)]
pub struct Equality {
    /// Asks for equality; else for its opposite.
    pub equal: bool,
    /// Refuses shapes that do not broadcast.
    pub incompatible_shape_error: bool,
}

impl Equality {
    fn loops(&self, dtype: DType) -> Result<&'static dyn Loops> {
        let equal: fn(DType) -> Option<&'static dyn Loops> = loops!(Of, k::Equal, bool + numeric);
        let differ: fn(DType) -> Option<&'static dyn Loops> =
            loops!(Of, k::NotEqual, bool + numeric);
        (if self.equal { equal } else { differ })(dtype)
            .ok_or_else(|| err!(DType, "{} is not defined for {dtype} tensors", self.name()))
    }
}

impl Op for Equality {
    op_object!();
    fn name(&self) -> &'static str {
        if self.equal { "Equal" } else { "NotEqual" }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with(
            "incompatible_shape_error",
            Attr::Bool(self.incompatible_shape_error),
        )
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = inputs.same_dtype(0, 1)?;
        if dtype != DType::String {
            self.loops(dtype)?;
        }
        let (a, b) = (inputs.shape(0), inputs.shape(1));
        let shape = match a.broadcast(b) {
            Err(e) if self.incompatible_shape_error => return Err(e),
            Err(_) => PartialShape::scalar(),
            Ok(_) if !self.incompatible_shape_error && !surely_broadcast(a, b) => {
                PartialShape::UNKNOWN
            }
            Ok(shape) => shape,
        };
        Ok(smallvec![TensorSpec::new(DType::Bool, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        if inputs.dtype(0) == DType::String {
            return Ok(None);
        }
        if inputs.shape(0).broadcast(inputs.shape(1)).is_err() {
            let differ = !self.equal;
            return Ok(Some(Box::new(move |o| {
                o.output::<bool>(0).fill(differ);
                Ok(())
            })));
        }
        Ok(Some(bind(self.loops(inputs.dtype(0))?, inputs, outputs)?))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [a, b] = inputs else {
            return evaluate(self, inputs);
        };
        if a.dtype() != b.dtype() {
            return evaluate(self, inputs);
        }
        if !self.incompatible_shape_error
            && a.shape() != b.shape()
            && broadcast_shapes(a.shape(), b.shape()).is_err()
        {
            return Ok(smallvec![Tensor::scalar(!self.equal)?]);
        }
        Ok(smallvec![match a.dtype() {
            DType::String => strings::equal(a, b, self.equal)?,
            dtype => self.loops(dtype)?.apply(a, b)?,
        }])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Whether the shapes broadcast whatever their unknown sizes turn out to be.
fn surely_broadcast(a: &PartialShape, b: &PartialShape) -> bool {
    let (Some(a), Some(b)) = (a.dims(), b.dims()) else {
        return a.rank() == Some(0) || b.rank() == Some(0);
    };
    let one = Dim::new(1);
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .all(|(x, y)| *x == one || *y == one || (x.known().is_some() && x == y))
}

pub(crate) fn register(r: &mut Registry) {
    ordered::register(r);
    r.add("Equal", |a| {
        Ok(Arc::new(Equality {
            equal: true,
            incompatible_shape_error: a.bool_or("incompatible_shape_error", true)?,
        }))
    });
    r.add("NotEqual", |a| {
        Ok(Arc::new(Equality {
            equal: false,
            incompatible_shape_error: a.bool_or("incompatible_shape_error", true)?,
        }))
    });
}
