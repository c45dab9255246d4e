//! Operations on tables.

use crate::cell::{Change, TableCell};
use crate::rows::{Elements, Target};
use ferrograph_graph::{
    Inputs, Lowered, ObjectKernel, Op, Operands, Runner, Specs, Tensors, declare, declared,
};
use ferrograph_kernels::scratch::vec_for;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;

declare! {
    trait EmitTables;

    /// The values of `keys` in the table, `default_value` for those that are not there.
    LookupTableFindV2: lookup_table_find(table_handle: resource, keys: Tin, default_value: Tout)
        -> (values: Tout), gradient Stops, effect Reads {
        /// How many dimensions a key has.
        key_rank as "_key_rank": usize = 0,
        /// The shape of a value.
        value_shape as "_value_shape": PartialShape = PartialShape::UNKNOWN,
    };

    /// Adds `keys` with their `values`, or gives those that are there other ones.
    LookupTableInsertV2: lookup_table_insert(table_handle: resource, keys: Tin, values: Tout)
        -> (), gradient Stops, effect Writes;

    /// Takes `keys` out of the table.
    LookupTableRemoveV2: lookup_table_remove(table_handle: resource, keys: Tin)
        -> (), gradient Stops, effect Writes;

    /// How many keys there are.
    LookupTableSizeV2: lookup_table_size(table_handle: resource)
        -> (size: int64 rank 0), gradient Stops, effect Reads;

    /// All keys and their values.
    LookupTableExportV2: lookup_table_export(table_handle: resource)
        -> (keys: Tkeys, values: Tvalues), gradient Stops, effect Reads {
        /// The dtype of the keys.
        tkeys as "Tkeys": DType,
        /// The dtype of the values.
        tvalues as "Tvalues": DType,
        /// What is known of the shape of the keys.
        keys_shape as "_keys_shape": PartialShape = PartialShape::UNKNOWN,
        /// What is known of the shape of the values.
        values_shape as "_values_shape": PartialShape = PartialShape::UNKNOWN,
    };

    /// Makes `keys` with their `values` all that is in the table.
    LookupTableImportV2: lookup_table_import(table_handle: resource, keys: Tin, values: Tout)
        -> (), gradient Stops, effect Writes;
}

impl LookupTableFindV2 {
    /// What is known of the shape of the values that are found.
    fn found(&self, keys: &PartialShape) -> Result<PartialShape> {
        let (Some(dims), Some(value)) = (keys.dims(), self.value_shape.dims()) else {
            return Ok(PartialShape::UNKNOWN);
        };
        let Some(outer) = dims.len().checked_sub(self.key_rank) else {
            bail!(
                Shape,
                "keys of rank {} were expected, got shape {keys}",
                self.key_rank
            );
        };
        let all: Vec<Dim> = dims[..outer].iter().chain(value).copied().collect();
        Ok(PartialShape::new(&all))
    }
}

impl Op for LookupTableFindV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = self.found(inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(2), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (Some(keys), Some(default)) = (fixed(inputs, 1), fixed(inputs, 2)) else {
            return Ok(Lowered::Eval);
        };
        Ok(Lowered::Object(ObjectKernel::Reads(Box::new(
            move |handle, operands| {
                let (keys, default) = (keys.input(operands, 0), default.input(operands, 1));
                let mut out = Target::Dense(operands.output_bytes(0), 0);
                TableCell::of(handle)?.find(keys, default, &mut out)
            },
        ))))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let cell = TableCell::of(&inputs[0])?;
        let (keys, default) = (Elements::of(&inputs[1])?, Elements::of(&inputs[2])?);
        let shape = cell.found_shape(keys)?;
        if !default.dtype.is_dense() {
            let mut out = Target::Strings(vec_for(shape.checked_count()?));
            cell.find(keys, default, &mut out)?;
            return match out {
                Target::Strings(found) => Ok(smallvec![Tensor::from_strings(shape, found)?]),
                Target::Dense(..) => Err(err!(Internal, "strings were written as bytes")),
            };
        }
        let mut values = Tensor::empty(default.dtype, shape)?;
        let fresh = values.bytes_mut();
        let bytes = fresh.ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
        cell.find(keys, default, &mut Target::Dense(bytes, 0))?;
        Ok(smallvec![values])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        work(inputs)
    }
}

/// What a step of a lookup counts as, a hash and a jump in memory.
const FLOPS: usize = 50;

/// The work that as many keys are as input 1 has.
fn work(inputs: &Inputs<'_>) -> f64 {
    let n = inputs.shape(1).n_elements().unwrap_or(0);
    #[allow(clippy::cast_precision_loss)]
    let flops = n.saturating_mul(FLOPS) as f64;
    flops
}

/// A dense operand of static shape.
struct Fixed {
    dtype: DType,
    shape: Shape,
}

impl Fixed {
    fn input<'a>(&'a self, operands: &Operands<'a>, i: usize) -> Elements<'a> {
        Elements::of_bytes(self.dtype, &self.shape, operands.input_bytes(i))
    }
}

fn fixed(inputs: &Inputs<'_>, i: usize) -> Option<Fixed> {
    let dtype = inputs.dtype(i);
    let shape = inputs.shape(i).to_static()?;
    dtype.is_dense().then_some(Fixed { dtype, shape })
}

/// A kernel that changes a table by keys and values.
fn lowered(inputs: &Inputs<'_>, change: Change) -> Lowered {
    let (Some(keys), Some(values)) = (fixed(inputs, 1), fixed(inputs, 2)) else {
        return Lowered::Eval;
    };
    Lowered::Object(ObjectKernel::Reads(Box::new(move |handle, operands| {
        let (keys, values) = (keys.input(operands, 0), values.input(operands, 1));
        TableCell::of(handle)?.change(keys, values, change)
    })))
}

fn changed(inputs: &[Tensor], change: Change) -> Result<Tensors> {
    let (keys, values) = (Elements::of(&inputs[1])?, Elements::of(&inputs[2])?);
    TableCell::of(&inputs[0])?.change(keys, values, change)?;
    Ok(Tensors::new())
}

impl Op for LookupTableInsertV2 {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(lowered(inputs, Change::Insert))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        changed(inputs, Change::Insert)
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        work(inputs)
    }
}

impl Op for LookupTableImportV2 {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(lowered(inputs, Change::Import))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        changed(inputs, Change::Import)
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        work(inputs)
    }
}

/// Makes keys with their values all that is in the table of a handle.
///
/// # Errors
/// `InvalidArgument` where the handle is of no table, or the tensors do not fit it.
pub fn import_into(handle: &Tensor, keys: &Tensor, values: &Tensor) -> Result<()> {
    let inputs = [handle, keys, values].map(Clone::clone);
    changed(&inputs, Change::Import).map(drop)
}

impl Op for LookupTableRemoveV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        TableCell::of(&inputs[0])?.remove(Elements::of(&inputs[1])?)?;
        Ok(Tensors::new())
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        work(inputs)
    }
}

impl Op for LookupTableSizeV2 {
    declared!();
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Object(ObjectKernel::Reads(Box::new(
            |handle, operands| {
                let n = size(handle)?;
                operands.output::<i64>(0).fill(n);
                Ok(())
            },
        ))))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![Tensor::scalar(size(&inputs[0])?)?])
    }
}

fn size(handle: &Tensor) -> Result<i64> {
    let n = TableCell::of(handle)?.size()?;
    i64::try_from(n).map_err(|_| err!(OutOfRange, "a table of {n} keys"))
}

impl Op for LookupTableExportV2 {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![
            TensorSpec::new(self.tkeys, self.keys_shape.clone()),
            TensorSpec::new(self.tvalues, self.values_shape.clone()),
        ])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [keys, values] = TableCell::of(&inputs[0])?.export()?;
        if (keys.dtype(), values.dtype()) != (self.tkeys, self.tvalues) {
            bail!(
                InvalidArgument,
                "the table holds {} and {}, not {} and {}",
                keys.dtype(),
                values.dtype(),
                self.tkeys,
                self.tvalues
            );
        }
        Ok(smallvec![keys, values])
    }
}
