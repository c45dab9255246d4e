//! What the operations have in common: shapes that broadcast, and a function applied to each element.

use ferrograph_graph::{Inputs, Kernel, Lowered, Map, ScalarCode, Specs};
use ferrograph_kernels::elementwise::Broadcast;
use ferrograph_tensor::{DType, Element, Result, Shape, TensorSpec, err, with_element};
use num_traits::AsPrimitive;
use smallvec::smallvec;

/// A function of `N` numbers.
pub(crate) type Function<const N: usize> = fn([f64; N]) -> f64;

/// Roughly what a call takes.
const COST_NS: f64 = 100.0;

/// The result: the operands' dtype, and the shape that they broadcast to.
pub(crate) fn infer(inputs: &Inputs<'_>, n: usize) -> Result<Specs> {
    let mut shape = inputs.shape(0).clone();
    for i in 1..n {
        shape = shape.broadcast(inputs.shape(i))?;
    }
    Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
}

/// The function, element by element.
pub(crate) fn lower<const N: usize>(
    function: Function<N>,
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
) -> Result<Lowered> {
    let mut shapes: [Shape; N] = std::array::from_fn(|_| Shape::default());
    for (i, shape) in shapes.iter_mut().enumerate() {
        *shape = fixed(inputs.spec(i))?;
    }
    let plan = Broadcast::new(shapes.each_ref().map(|s| &s[..]), &fixed(&outputs[0])?);
    let dtype = inputs.dtype(0);
    let kernel = with_element!(dtype, floating, T => bind::<T, N>(plan, function),
        else => return Err(refused(dtype)));
    Ok(Lowered::Map(Map {
        code: ScalarCode::Opaque,
        kernel,
    }))
}

fn refused(dtype: DType) -> ferrograph_tensor::Error {
    err!(
        DType,
        "special functions are not defined for {dtype} tensors"
    )
}

fn fixed(spec: &TensorSpec) -> Result<Shape> {
    let shape = spec.shape.to_static();
    shape.ok_or_else(|| err!(Internal, "shape {} is open", spec.shape))
}

fn bind<T, const N: usize>(plan: Broadcast<N>, function: Function<N>) -> Kernel
where
    T: Element + AsPrimitive<f64>,
    f64: AsPrimitive<T>,
{
    Box::new(move |o| {
        let operands: [&[T]; N] = std::array::from_fn(|i| o.input::<T>(i));
        let one = |x: [T; N]| function(x.map(AsPrimitive::as_)).as_();
        plan.map(operands, o.output::<T>(0), COST_NS, one);
        Ok(())
    })
}
