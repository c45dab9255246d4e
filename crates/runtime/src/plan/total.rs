//! Reductions over the rows of a fused step, which are fed a tile at a time.

use ferrograph_graph::{Operands, ReduceCode};
use ferrograph_kernels::reduce as k;
use ferrograph_kernels::reduce::{ReduceOp, ReductionStream, StreamingReduction};
use ferrograph_machine::vector::{BLOCK, SUMS};
use ferrograph_tensor::{DType, Element, bf16, f16};

/// The lengths of what is reduced, and of what is around and inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
}

/// Makes the reduction of one run.
pub(crate) type Total = Box<dyn Fn() -> Box<dyn Running> + Send + Sync>;

/// A reduction on its way.
pub(crate) trait Running {
    /// What threads feed, all at once.
    fn streams(&mut self) -> Box<dyn TotalStream + '_>;
    /// Writes the result to that output, once all elements were fed.
    fn finish(self: Box<Self>, o: &mut Operands<'_>, output: usize);
}

/// Where a reduction is fed.
pub(crate) trait TotalStream: Sync {
    /// Takes input 0, the elements from `first` on.
    ///
    /// # Safety
    /// As [`ReductionStream::feed`].
    unsafe fn feed(&self, first: usize, o: &Operands<'_>);

    /// Where the sums of so many elements from `first` on are written to that vector code makes, where these are what the
    /// total keeps of them: they are blocks of it.
    fn sums(&self, first: usize, n: usize) -> Option<*mut u8>;
}

impl<T: Element, O: ReduceOp<T, Out = T>> Running for StreamingReduction<T, O> {
    fn streams(&mut self) -> Box<dyn TotalStream + '_> {
        Box::new(self.stream())
    }

    fn finish(self: Box<Self>, o: &mut Operands<'_>, output: usize) {
        StreamingReduction::finish(*self, o.output(output));
    }
}

impl<T: Element, O: ReduceOp<T, Out = T>> TotalStream for ReductionStream<'_, T, O> {
    unsafe fn feed(&self, first: usize, o: &Operands<'_>) {
        // SAFETY: promised by the caller.
        unsafe { ReductionStream::feed(self, first, o.input(0)) };
    }

    fn sums(&self, first: usize, n: usize) -> Option<*mut u8> {
        self.lanes::<SUMS, BLOCK>(first, n).map(<*mut O::Acc>::cast)
    }
}

/// Elements that one thread feeds in their order.
pub(crate) fn block(inner: usize) -> usize {
    StreamingReduction::<f32, k::Sum>::block(inner)
}

/// The reduction of the middle of `[outer, n, inner]`, where it can be fed.
pub(crate) fn total(code: ReduceCode, dtype: DType, extent: Extent) -> Option<Total> {
    match dtype {
        DType::Float32 => numbers::<f32>(code, extent),
        DType::Float64 => numbers::<f64>(code, extent),
        DType::Float16 => numbers::<f16>(code, extent),
        DType::BFloat16 => numbers::<bf16>(code, extent),
        DType::Int32 => numbers::<i32>(code, extent),
        DType::Int64 => numbers::<i64>(code, extent),
        DType::Bool => match code {
            ReduceCode::All => of::<bool, k::All>(extent),
            ReduceCode::Any => of::<bool, k::Any>(extent),
            _ => None,
        },
        _ => None,
    }
}

fn numbers<T: Element>(code: ReduceCode, extent: Extent) -> Option<Total>
where
    k::Sum: ReduceOp<T, Out = T>,
    k::Mean: ReduceOp<T, Out = T>,
    k::Max: ReduceOp<T, Out = T>,
    k::Min: ReduceOp<T, Out = T>,
{
    match code {
        ReduceCode::Sum => of::<T, k::Sum>(extent),
        ReduceCode::Mean => of::<T, k::Mean>(extent),
        ReduceCode::Max => of::<T, k::Max>(extent),
        ReduceCode::Min => of::<T, k::Min>(extent),
        _ => None,
    }
}

#[allow(clippy::unnecessary_wraps)]
fn of<T: Element, O: ReduceOp<T, Out = T>>(extent: Extent) -> Option<Total> {
    let Extent { outer, n, inner } = extent;
    Some(Box::new(move || {
        Box::new(StreamingReduction::<T, O>::new(outer, n, inner))
    }))
}
