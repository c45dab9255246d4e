//! Reductions over the rows of a joined step, which are fed a tile at a time.

use ferrograph_graph::{Operands, ReduceCode};
use ferrograph_kernels::reduce as k;
use ferrograph_kernels::reduce::{Fed, Feeder, ReduceOp};
use ferrograph_tensor::{DType, Element, bf16, f16};

/// Makes the reduction of one run.
pub(crate) type Total = Box<dyn Fn() -> Box<dyn Running> + Send + Sync>;

/// A reduction on its way.
pub(crate) trait Running {
    /// What threads feed, all at once.
    fn feeds(&mut self) -> Box<dyn Feeds + '_>;
    /// Writes the result to that output, once all elements were fed.
    fn finish(self: Box<Self>, o: &mut Operands<'_>, output: usize);
}

/// Where a reduction is fed.
pub(crate) trait Feeds: Sync {
    /// Takes input 0, the elements from `first` on.
    ///
    /// # Safety
    /// As [`Feeder::feed`].
    unsafe fn feed(&self, first: usize, o: &Operands<'_>);
}

impl<T: Element, O: ReduceOp<T, Out = T>> Running for Fed<T, O> {
    fn feeds(&mut self) -> Box<dyn Feeds + '_> {
        Box::new(self.feeder())
    }

    fn finish(self: Box<Self>, o: &mut Operands<'_>, output: usize) {
        Fed::finish(*self, o.output(output));
    }
}

impl<T: Element, O: ReduceOp<T, Out = T>> Feeds for Feeder<'_, T, O> {
    unsafe fn feed(&self, first: usize, o: &Operands<'_>) {
        // SAFETY: promised by the caller.
        unsafe { Feeder::feed(self, first, o.input(0)) };
    }
}

/// Elements that one thread feeds in their order.
pub(crate) fn block(n: usize, inner: usize) -> usize {
    Fed::<f32, k::Sum>::block(n, inner)
}

/// The reduction of the first axis of `[n, inner]`, where it can be fed.
pub(crate) fn total(code: ReduceCode, dtype: DType, n: usize, inner: usize) -> Option<Total> {
    match dtype {
        DType::Float32 => numbers::<f32>(code, n, inner),
        DType::Float64 => numbers::<f64>(code, n, inner),
        DType::Float16 => numbers::<f16>(code, n, inner),
        DType::BFloat16 => numbers::<bf16>(code, n, inner),
        DType::Int32 => numbers::<i32>(code, n, inner),
        DType::Int64 => numbers::<i64>(code, n, inner),
        DType::Bool => match code {
            ReduceCode::All => of::<bool, k::All>(n, inner),
            ReduceCode::Any => of::<bool, k::Any>(n, inner),
            _ => None,
        },
        _ => None,
    }
}

fn numbers<T: Element>(code: ReduceCode, n: usize, inner: usize) -> Option<Total>
where
    k::Sum: ReduceOp<T, Out = T>,
    k::Mean: ReduceOp<T, Out = T>,
    k::Max: ReduceOp<T, Out = T>,
    k::Min: ReduceOp<T, Out = T>,
{
    match code {
        ReduceCode::Sum => of::<T, k::Sum>(n, inner),
        ReduceCode::Mean => of::<T, k::Mean>(n, inner),
        ReduceCode::Max => of::<T, k::Max>(n, inner),
        ReduceCode::Min => of::<T, k::Min>(n, inner),
        _ => None,
    }
}

#[allow(clippy::unnecessary_wraps)]
fn of<T: Element, O: ReduceOp<T, Out = T>>(n: usize, inner: usize) -> Option<Total> {
    Some(Box::new(move || Box::new(Fed::<T, O>::new(n, inner))))
}
