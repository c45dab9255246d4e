//! What is said of the elements that a folder holds.

use super::{load, path};
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Result, Shape, Tensor, string_of};
use smallvec::smallvec;

declare! {
    trait EmitNote;

    /// What was said of the elements in the folder `path` when they were saved.
    SavedNote: saved_note(path: string rank 0) -> (note: string rank 0), gradient Stops, effect World;
}

impl Op for SavedNote {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let manifest = load::manifest(&path(&inputs[0])?)?;
        let note = vec![string_of(manifest.note())?];
        Ok(smallvec![Tensor::from_strings(Shape::scalar(), note)?])
    }
}
