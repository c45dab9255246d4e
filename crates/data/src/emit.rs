//! Typed emission of the operations of this crate.

pub use crate::batch::EmitBatch;
pub use crate::choose::EmitChoose;
pub use crate::combine::EmitCombine;
pub use crate::count::EmitCount;
pub use crate::files::EmitFiles;
pub use crate::flat::EmitFlat;
pub use crate::generator::EmitGenerator;
pub use crate::group::EmitGroup;
pub use crate::interleave::EmitInterleave;
pub use crate::iterator_ops::EmitIterators;
pub use crate::keep::EmitKeep;
pub use crate::map::EmitMap;
pub use crate::optional::EmitOptionals;
pub use crate::padded::EmitPadded;
pub use crate::parallel::EmitParallel;
pub use crate::parallel_interleave::EmitParallelInterleave;
pub use crate::rebatch::EmitRebatch;
pub use crate::reduce::EmitFolds;
pub use crate::scan::EmitScan;
pub use crate::shuffle::EmitShuffle;
pub use crate::source::EmitSources;
pub use crate::store::{EmitNote, EmitStore};
pub use crate::window::EmitWindow;
