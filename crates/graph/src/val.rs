//! What operations take and give.

use crate::{TraceRef, ValueId};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec};
use smallvec::SmallVec;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values given or returned.
pub type Vals = SmallVec<[Val; 2]>;

/// A tensor with an identity, by which tapes know it.
#[derive(Clone)]
pub struct EagerVal {
    id: u64,
    /// The tensor.
    pub tensor: Tensor,
}

/// A value of a graph that is being traced.
#[derive(Clone)]
pub struct Sym {
    /// The trace it belongs to.
    pub trace: TraceRef,
    /// Which of its values it is.
    pub value: ValueId,
}

/// An eager tensor or a symbolic value.
#[derive(Clone)]
pub enum Val {
    /// A tensor.
    Eager(EagerVal),
    /// A value of a trace.
    Sym(Sym),
}

const EAGER_BIT: u64 = 1 << 63;
const IDS_PER_BLOCK: u64 = 1 << 16;

/// Ids are handed to threads in blocks, so that making one costs no shared write.
fn fresh_id() -> u64 {
    static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NEXT: Cell<u64> = const { Cell::new(0) };
    }
    NEXT.with(|next| {
        let mut id = next.get();
        if id.is_multiple_of(IDS_PER_BLOCK) {
            id = NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * IDS_PER_BLOCK + 1;
        }
        next.set(id + 1);
        EAGER_BIT | id
    })
}

impl EagerVal {
    /// A tensor under a new identity.
    pub fn new(tensor: Tensor) -> EagerVal {
        EagerVal {
            id: fresh_id(),
            tensor,
        }
    }
}

impl Sym {
    /// The key of a value of the same trace.
    fn key_of(&self, value: ValueId) -> u64 {
        (u64::from(self.trace.id()) << 32) | value.index() as u64
    }
}

impl Val {
    /// An eager value under a new identity.
    pub fn eager(tensor: Tensor) -> Val {
        Val::Eager(EagerVal::new(tensor))
    }

    /// What tapes and traces know this value by: equal for clones, different for different results.
    pub fn key(&self) -> u64 {
        match self {
            Val::Eager(e) => e.id,
            Val::Sym(s) => s.key_of(s.value),
        }
    }

    /// The keys of all that the same node gives. Nodes with regions get further outputs when gradients need them; those
    /// depend on what the others depend on.
    pub fn node_keys(&self) -> SmallVec<[u64; 2]> {
        match self {
            Val::Eager(e) => SmallVec::from_elem(e.id, 1),
            Val::Sym(s) => s
                .trace
                .siblings(s.value)
                .into_iter()
                .map(|v| s.key_of(v))
                .collect(),
        }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        match self {
            Val::Eager(e) => e.tensor.dtype(),
            Val::Sym(s) => s.trace.dtype_of(s.value),
        }
    }

    /// The spec as known now; a symbolic one may be refined later.
    pub fn spec(&self) -> TensorSpec {
        match self {
            Val::Eager(e) => e.tensor.spec(),
            Val::Sym(s) => s.trace.spec_of(s.value),
        }
    }

    /// The tensor, unless symbolic.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Val::Eager(e) => Some(&e.tensor),
            Val::Sym(_) => None,
        }
    }

    /// The value where it is known now: an eager tensor, or a constant of the trace.
    pub fn constant(&self) -> Option<Tensor> {
        match self {
            Val::Eager(e) => Some(e.tensor.clone()),
            Val::Sym(s) => s.trace.constant_of(s.value),
        }
    }

    /// The tensor.
    ///
    /// # Errors
    /// `Leak` for a symbolic value, which has none.
    pub fn expect_tensor(&self) -> Result<&Tensor> {
        match self {
            Val::Eager(e) => Ok(&e.tensor),
            Val::Sym(s) => Err(s.trace.leak_error(s.value)),
        }
    }
}

impl fmt::Debug for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Eager(e) => fmt::Debug::fmt(&e.tensor, f),
            Val::Sym(s) => write!(f, "{}:{}", s.value, s.trace.spec_of(s.value)),
        }
    }
}
