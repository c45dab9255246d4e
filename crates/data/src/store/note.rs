//! What is said of the elements that a folder holds.

use super::{load, path};
use ferrograph_formats::compression::Compression;
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Result, Shape, Tensor, string_of};
use smallvec::smallvec;

declare! {
    trait EmitNote;

    /// What was said of the elements in the folder `path` when they were saved: the structure of their types, or nothing.
    SavedNote: saved_note(path: string rank 0) -> (note: string rank 0), gradient Stops, effect World;
}

impl Op for SavedNote {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let manifest = load::manifest(&path(&inputs[0])?, Compression::None)?;
        let note = vec![string_of(manifest.element_spec())?];
        Ok(smallvec![Tensor::from_strings(Shape::scalar(), note)?])
    }
}
