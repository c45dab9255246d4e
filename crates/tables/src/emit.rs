//! Typed emission of the operations of this crate.

pub use crate::file_ops::EmitTableFiles;
pub use crate::make_ops::EmitTableMakers;
pub use crate::queue_ops::EmitQueues;
pub use crate::table_ops::EmitTables;
