//! Running things: the dispatcher that every operation goes through, tapes, plans and their execution, and the cache
//! that maps the signature of a call to a trace.
//!
//! * [`emit`] is the dispatcher: eager it computes, in a trace it adds a node; then it informs the active tapes.
//! * [`Plan`] is a graph compiled for concrete input shapes; [`PlanRunner`] runs graphs by their plans.
//! * [`TraceCache`] finds the trace for a [`Signature`].

mod cache;
mod compile;
mod context;
mod dispatcher;
mod function;
mod gradient_path;
mod numerics;
mod plan;
mod profile;
mod signature;
mod tape;

pub use cache::{CacheStats, Cached, TraceCache};
pub use compile::{Stage, print_stage};
pub use context::{
    Level, LevelGuard, active_tapes, begin_unrecorded, current_trace, end_unrecorded, enter_eager,
    enter_trace, is_tracing, set_origin_provider,
};
pub use dispatcher::{Dispatcher, compute, compute_pair, computes_now, emit, emit_named, when_run};
pub use function::{ConcreteFunction, Planned, evaluate_output};
pub use gradient_path::{Break, Reason};
pub use numerics::check_numerics;
pub use plan::{
    FusedOutline, NodeOutline, Outline, Plan, PlanRunner, SlotOutline, StepOutline, Tier,
    compile_unoptimised, plan_for, set_warning, verify_plan,
};
pub use profile::{Profile, ProfileData, ProfiledRun, ProfiledStep};
pub use signature::{
    Leaf, Signature, SignatureBuilder, distance, generalise, is_general, leaves, matches,
    tensor_shapes, with_words_of_class, words_of_class,
};
pub use tape::{Tape, left_graph, may_be_followed};
