//! The operations that write and read checkpoints.

use crate::store::{Stored, save};
use ferrograph_formats::files::path_of;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{Bytes, DType, Error, PartialShape, Result, Tensor, TensorSpec, bail, err};
use std::borrow::Cow;
use std::path::Path;

/// The operation's own estimate for what waits for a disk, so that others go on meanwhile.
const WAITING_FLOPS: f64 = 1e9;

declare! {
    trait EmitCheckpoints;

    /// Writes `tensors` under `tensor_names` to the checkpoint of `prefix`.
    SaveV2: save_v2(
        prefix: string rank 0, tensor_names: string rank 1, shape_and_slices: string rank 1, tensors: [dtypes],
    ) -> (), gradient Stops, effect World {
        /// For each tensor the number of the data file that it goes to; where there are none, all go to one.
        shards: Vec<i64> = Vec::new(),
    };

    /// The tensors of these names out of the checkpoint of `prefix`.
    RestoreV2: restore_v2(
        prefix: string rank 0, tensor_names: string rank 1, shape_and_slices: string rank 1,
    ) -> (tensors: [dtypes]), gradient Stops, effect World {
        /// The dtypes of the tensors.
        dtypes: Vec<DType>,
    };
}

/// The one string of a scalar, as a path.
fn prefix(tensor: &Tensor) -> Result<Cow<'_, Path>> {
    match tensor.as_strings()? {
        [name] => Ok(path_of(name)),
        _ => bail!(Shape, "prefix must be a scalar, got {}", tensor.spec()),
    }
}

/// The names, of as many tensors as there are, each of which is whole.
fn names<'a>(inputs: &'a [Tensor], n: usize) -> Result<Vec<&'a str>> {
    let (names, slices) = (inputs[1].as_strings()?, inputs[2].as_strings()?);
    if names.len() != n || slices.len() != n {
        bail!(
            InvalidArgument,
            "{n} tensors need as many tensor_names and shape_and_slices, got {} and {}",
            names.len(),
            slices.len()
        );
    }
    if slices.iter().any(|s| !s.is_empty()) {
        bail!(
            Unimplemented,
            "slices of tensors are neither written nor read: shape_and_slices must be empty strings"
        );
    }
    let text = |name: &'a Bytes| {
        std::str::from_utf8(name)
            .map_err(|_| err!(InvalidArgument, "the name of a tensor must be UTF-8"))
    };
    names.iter().map(text).collect()
}

impl SaveV2 {
    /// How many data files there are: as many as the highest number says, and no more than tensors.
    fn n_shards(&self, n_tensors: usize) -> Result<usize> {
        if self.shards.is_empty() {
            return Ok(1);
        }
        let n = i64::try_from(n_tensors).unwrap_or(i64::MAX);
        if self.shards.len() != n_tensors || self.shards.iter().any(|s| !(0..n).contains(s)) {
            bail!(
                InvalidArgument,
                "{n_tensors} tensors need as many shards, each less than that, got {:?}",
                self.shards
            );
        }
        let last = self.shards.iter().max().copied().unwrap_or(0);
        Ok(last.unsigned_abs() as usize + 1)
    }
}

impl Op for SaveV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        for i in 3..inputs.len() {
            if !inputs.dtype(i).is_dense() && inputs.dtype(i) != DType::String {
                bail!(DType, "a {} tensor can't be saved", inputs.dtype(i));
            }
        }
        Ok(Specs::new())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let tensors = &inputs[3..];
        let names = names(inputs, tensors.len())?;
        let mut groups = vec![Vec::new(); self.n_shards(tensors.len())?];
        for (i, pair) in names.into_iter().zip(tensors).enumerate() {
            let shard = self.shards.get(i).copied().unwrap_or(0);
            groups[shard.unsigned_abs() as usize].push(pair);
        }
        save(&prefix(&inputs[0])?, &groups)?;
        Ok(Tensors::new())
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for RestoreV2 {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let spec = |&dtype: &DType| TensorSpec::new(dtype, PartialShape::UNKNOWN);
        Ok(self.dtypes.iter().map(spec).collect())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let names = names(inputs, self.dtypes.len())?;
        let stored = Stored::open(&prefix(&inputs[0])?)?;
        let read = |(name, dtype): (&str, &DType)| -> Result<Tensor, Error> {
            let found = stored.entry(name)?.dtype()?;
            if found != *dtype {
                bail!(
                    InvalidArgument,
                    "tensor_name = {name}; expected dtype {dtype} does not equal original dtype {found}"
                );
            }
            stored.read(name)
        };
        names.into_iter().zip(&self.dtypes).map(read).collect()
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}
