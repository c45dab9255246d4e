//! Equality, of numbers and strings.

use super::binary::{Loops, bind};
use super::families::loops;
use super::strings;
use ferrograph_graph::{
    Inputs, Lowered, Map, Op, Runner, ScalarCode, Specs, Tensors, declare_family, evaluate,
    of_family,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Binary as Of;
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, broadcast_shapes, err,
};
use smallvec::smallvec;

declare_family! {
    trait EmitEquality;

    /// Whether elements are equal, or are not. Shapes that do not broadcast are an error, or make the tensors differ
    /// as wholes: one scalar.
    Equality {
        /// Asks for equality; else for its opposite.
        equal: bool,
    } (x: T, y: T) -> (z: bool) {
        /// Refuses shapes that do not broadcast.
        incompatible_shape_error: bool = true,
    };

    /// Whether `x` and `y` are equal.
    Equal: equal, gradient Stops, batch Broadcasts { equal: true };
    /// Whether `x` and `y` differ.
    NotEqual: not_equal, gradient Stops, batch Broadcasts { equal: false };
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

impl Equality {
    /// The result for tensors of one dtype.
    fn of(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        if !self.incompatible_shape_error
            && a.shape() != b.shape()
            && broadcast_shapes(a.shape(), b.shape()).is_err()
        {
            return Tensor::scalar(!self.equal);
        }
        match a.dtype() {
            DType::String => strings::equal(a, b, self.equal),
            dtype => self.loops(dtype)?.apply(a, b),
        }
    }
}

impl Op for Equality {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = inputs.dtype(0);
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
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        if inputs.dtype(0) == DType::String {
            return Ok(Lowered::Eval);
        }
        if inputs.shape(0).broadcast(inputs.shape(1)).is_err() {
            let differ = !self.equal;
            return Ok(Lowered::Kernel(Box::new(move |o| {
                o.output::<bool>(0).fill(differ);
                Ok(())
            })));
        }
        let code = match self.equal {
            true => ScalarCode::Equal,
            false => ScalarCode::NotEqual,
        };
        let kernel = bind(self.loops(inputs.dtype(0))?, inputs, outputs)?;
        Ok(Lowered::Map(Map { code, kernel }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [a, b] if a.dtype() == b.dtype() => Ok(smallvec![self.of(a, b)?]),
            _ => evaluate(self, runner, inputs),
        }
    }
    fn eval_pair(&self, a: &Tensor, b: &Tensor) -> Option<Result<Tensor>> {
        (a.dtype() == b.dtype()).then(|| self.of(a, b))
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
