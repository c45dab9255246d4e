//! Kernels of several elementwise operations at once, for executors that join them.

use ferrograph_graph::{Kernel, Operands, ScalarCode};
pub use ferrograph_kernels::chain::Operand;
use ferrograph_kernels::chain::{Chain, Link};
use ferrograph_kernels::elementwise::{self as k, Binary, Unary};
use ferrograph_tensor::{DType, Element};

/// An operation of a chain, and what it reads.
#[derive(Clone, Debug)]
pub struct Joined {
    /// What it computes.
    pub code: ScalarCode,
    /// One operand or two.
    pub operands: Vec<Operand>,
}

/// Whether chains of that dtype have that operation.
pub fn joins(dtype: DType, code: ScalarCode) -> bool {
    match dtype {
        DType::Float32 => f32::function(code).is_some(),
        DType::Float64 => f64::function(code).is_some(),
        _ => false,
    }
}

/// A kernel that gives what the operations of these numbers give, from inputs that have as many elements as the results
/// or one for all. None where an operation does not join.
pub fn joined(dtype: DType, operations: &[Joined], results: Vec<usize>) -> Option<Kernel> {
    match dtype {
        DType::Float32 => kernel::<f32>(operations, results),
        DType::Float64 => kernel::<f64>(operations, results),
        _ => None,
    }
}

fn kernel<T: Joins>(operations: &[Joined], results: Vec<usize>) -> Option<Kernel> {
    let links = operations
        .iter()
        .map(link::<T>)
        .collect::<Option<Vec<_>>>()?;
    let chain = Chain::new(links, results);
    Some(Box::new(move |o: &mut Operands<'_>| {
        let inputs: Vec<&[T]> = (0..o.n_inputs()).map(|i| o.input(i)).collect();
        chain.run(&inputs, o.outputs());
        Ok(())
    }))
}

fn link<T: Joins>(operation: &Joined) -> Option<Link<T>> {
    match (T::function(operation.code)?, &operation.operands[..]) {
        (Function::Unary(f), [x]) => Some(Link::Unary(f, *x)),
        (Function::Binary(f), [a, b]) => Some(Link::Binary(f, *a, *b)),
        _ => None,
    }
}

enum Function<T> {
    Unary(Unary<T, T>),
    Binary(Binary<T, T>),
}

/// Element types that have chains.
trait Joins: Element {
    /// The loops of the kernel that an operation of this code binds.
    fn function(code: ScalarCode) -> Option<Function<Self>>;
}

macro_rules! function {
    ($code:expr; unary $($unary:ident)*; binary $($binary:ident)*) => {
        match $code {
            $(ScalarCode::$unary => Some(Function::Unary(Unary::of::<k::$unary>())),)*
            $(ScalarCode::$binary => Some(Function::Binary(Binary::of::<k::$binary>())),)*
            _ => None,
        }
    };
}

macro_rules! joins {
    ($($t:ty)*) => {$(
        impl Joins for $t {
            fn function(code: ScalarCode) -> Option<Function<$t>> {
                function! {
                    code;
                    unary Neg Abs Sign Square Sqrt Rsqrt Reciprocal Exp Expm1 Log Log1p Sin Cos Tan Tanh Sigmoid Erf
                        Relu Floor Ceil Round;
                    binary Add Sub Mul Div Maximum Minimum SquaredDifference Pow ReluGrad TanhGrad SigmoidGrad
                }
            }
        }
    )*};
}
joins!(f32 f64);
