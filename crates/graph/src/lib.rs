//! The graph IR and the contract of an operation. It knows no particular operation: what one means is said by its
//! [`Op`] implementation.
//!
//! * [`Graph`] is a finished, immutable graph: nodes in program order, inputs (arguments, then captures), outputs.
//! * [`GraphBuilder`] adds nodes, infers their types and names them.
//! * [`Trace`] is a graph being built by a running program: it captures values from outside.
//! * [`Val`] is what operations take and give: an eager tensor or a symbolic value of a trace.
//! * [`Region`] is a graph that an operation holds, whatever the operation.
//! * [`text`] prints graphs and reads them back.
//! * [`verify`] checks the invariants listed in its module, [`check`] does so where verification is on.
//! * [`Interpreter`] is the plain evaluator that judges every faster one.

mod attr;
mod attr_eq;
mod attr_field;
mod attr_value;
mod batching;
mod builder;
mod decl;
mod declare;
mod declare_family;
mod graph;
mod identity;
mod ids;
mod interpret;
mod lowered;
mod mixed;
mod names;
mod op;
mod operands;
mod outputs;
mod refine;
mod region;
mod registry;
mod sources;
pub mod text;
mod trace;
mod val;
mod verify;

pub use attr::{Attr, AttrReader, Attrs};
pub use attr_eq::{hash_tensor, same_tensor};
pub use attr_field::AttrField;
pub use attr_value::{AttrKind, AttrValue};
pub use batching::Batching;
pub use builder::{GraphBuilder, MAX_DEPTH};
pub use decl::{AttrDecl, DTypeSet, Decl, Kind, Port, sets};
#[doc(hidden)]
pub use declare::declared_default;
pub use declare::{Declared, FromOutputs, emit_as};
pub use graph::{Graph, Node, ValueInfo};
pub use identity::AlgebraicIdentity;
pub use ids::{NodeId, ValueId};
pub use interpret::{Interpreter, run_nodes};
pub use lowered::{
    IndexTerm, Lowered, Map, MatMul, Movement, Places, ReduceCode, Reduction, ScalarCode, lower,
};
pub use mixed::{explain_mixed, explain_other, explain_pair};
pub use op::{
    Differentiability, Effect, Emitter, Grad, Grads, Inputs, Kernel, Known, KnownOutputs,
    MOST_KNOWN, MOST_KNOWN_IN_ROWS, Memo, ObjectKernel, Op, OpRef, Runner, Slices, Specs, Tensors,
    VjpCall, evaluate, run_kernel,
};
pub use operands::{Operands, SlotType};
pub use region::{Branch, Carried, Region, Role, picked_branch};
pub use registry::{Constructor, Registry};
pub use sources::dtype_sources;
pub use trace::{Capture, Leaves, Made, Trace, TraceRef};
pub use val::{EagerVal, Sym, Val, Vals};
pub use verify::{all_or_error, check, verifies, verify};
