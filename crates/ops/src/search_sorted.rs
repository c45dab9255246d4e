//! Places in sorted rows.

use crate::movement::static_shape;
use ferrograph_graph::{Inputs, Lowered, Op, Specs, declare_family, of_family};
use ferrograph_kernels::movement::{Ints, search_sorted};
use ferrograph_tensor::{DType, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;

declare_family! {
    trait EmitSearch;

    /// For each row of `values` the first place in the same row of `sorted_inputs` at which they could stand: before
    /// those that are equal, or behind them.
    SearchSorted {
        /// Behind equal elements.
        upper: bool,
    } (sorted_inputs: T in real rank 2, values: T rank 2) -> (output: out_type in index) {
        /// The dtype of the places.
        out_type: DType = DType::Int32,
    };

    /// The first places, before those that are equal.
    LowerBound: lower_bound, gradient Stops, batch Folds(2) { upper: false };
    /// The last places, behind those that are equal.
    UpperBound: upper_bound, gradient Stops, batch Folds(2) { upper: true };
}

impl Op for SearchSorted {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (rows, values) = (inputs.shape(0), inputs.shape(1));
        if !rows.dim(0).is_compatible(values.dim(0)) {
            bail!(
                Shape,
                "sorted_inputs of shape {rows} and values of shape {values} have different numbers of rows"
            );
        }
        Ok(smallvec![TensorSpec::new(self.out_type, values.clone())])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (rows, values) = (static_shape(inputs.spec(0))?, static_shape(inputs.spec(1))?);
        let (upper, out_type, n, m) = (self.upper, outputs[0].dtype, rows[1], values[1].max(1));
        with_element!(inputs.dtype(0), real, T => Ok(Lowered::Kernel(Box::new(move |operands| {
            let (sorted, values) = (operands.input::<T>(0), operands.input::<T>(1));
            let out = match out_type {
                DType::Int32 => Ints::Narrow(operands.output(0)),
                _ => Ints::Wide(operands.output(0)),
            };
            search_sorted((sorted, n), (values, m), upper, out);
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
}
