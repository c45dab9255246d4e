//! Sequences of features read into tensors.

use super::lists::{ListForm, MadeLists, WantedList};
use super::wanted::{Form, Made, Place, Wanted, places};
use super::{as_damaged, check_count, check_rank, joined, names_of, rank_behind, unparsable};
use ferrograph_formats::example::{self, Feature};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use std::collections::HashMap;

declare! {
    trait EmitSequences;

    /// The features and lists of features of those names in a serialised `SequenceExample`, or in each of a vector of
    /// them: sparse ones, dense ones, and ragged ones.
    ParseSequenceExampleV2: parse_sequence_example_v2(
        serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string,
        context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string,
        feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool,
        context_dense_defaults: [Tcontext_dense],
    ) -> (
        context_sparse_indices: [int64; Ncontext_sparse], context_sparse_values: [context_sparse_types],
        context_sparse_shapes: [int64; Ncontext_sparse], context_dense_values: [Tcontext_dense],
        context_ragged_values: [context_ragged_value_types],
        context_ragged_row_splits: [context_ragged_split_types],
        feature_list_sparse_indices: [int64; Nfeature_list_sparse],
        feature_list_sparse_values: [feature_list_sparse_types],
        feature_list_sparse_shapes: [int64; Nfeature_list_sparse],
        feature_list_dense_values: [feature_list_dense_types],
        feature_list_dense_lengths: [int64; Nfeature_list_dense],
        feature_list_ragged_values: [feature_list_ragged_value_types],
        feature_list_ragged_outer_splits: [feature_list_ragged_split_types],
        feature_list_ragged_inner_splits: [feature_list_ragged_split_types],
    ), gradient Stops {
        /// The number of sparse features.
        ncontext_sparse as "Ncontext_sparse": usize = 0,
        /// The dtypes of the sparse features.
        context_sparse_types: Vec<DType> = Vec::new(),
        /// The dtypes of the ragged features.
        context_ragged_value_types: Vec<DType> = Vec::new(),
        /// The dtypes of the row splits of the ragged features.
        context_ragged_split_types: Vec<DType> = Vec::new(),
        /// The shapes of the dense features.
        context_dense_shapes: Vec<PartialShape> = Vec::new(),
        /// The number of sparse lists.
        nfeature_list_sparse as "Nfeature_list_sparse": usize = 0,
        /// The number of dense lists.
        nfeature_list_dense as "Nfeature_list_dense": usize = 0,
        /// The dtypes of the dense lists.
        feature_list_dense_types: Vec<DType> = Vec::new(),
        /// The dtypes of the sparse lists.
        feature_list_sparse_types: Vec<DType> = Vec::new(),
        /// The dtypes of the ragged lists.
        feature_list_ragged_value_types: Vec<DType> = Vec::new(),
        /// The dtypes of the row splits of the ragged lists.
        feature_list_ragged_split_types: Vec<DType> = Vec::new(),
        /// The shapes of the features in the dense lists.
        feature_list_dense_shapes: Vec<PartialShape> = Vec::new(),
    };
}

/// The inputs in front of the defaults.
const FIRST_DEFAULT: usize = 9;

impl ParseSequenceExampleV2 {
    /// The features that are wanted of the context.
    fn context<'a>(&self, inputs: &'a [Tensor]) -> Result<Vec<Wanted<'a>>> {
        let [sparse, dense, ragged] = [2, 3, 4].map(|i| inputs[i].as_strings());
        let (sparse, dense, ragged) = (sparse?, dense?, ragged?);
        let defaults = &inputs[FIRST_DEFAULT..];
        check_count(
            "context_sparse_keys",
            sparse.len(),
            self.context_sparse_types.len(),
        )?;
        check_count("context_dense_keys", dense.len(), defaults.len())?;
        check_count(
            "context_ragged_keys",
            ragged.len(),
            self.context_ragged_value_types.len(),
        )?;
        let mut all = Vec::new();
        for (name, dtype) in sparse.iter().zip(&self.context_sparse_types) {
            all.push(Wanted::new(name, *dtype, Form::Sparse)?);
        }
        for ((name, default), shape) in dense.iter().zip(defaults).zip(&self.context_dense_shapes) {
            all.push(Wanted::new(
                name,
                default.dtype(),
                Form::dense(shape, default)?,
            )?);
        }
        let types = self.context_ragged_value_types.iter();
        let types = types.zip(&self.context_ragged_split_types);
        for (name, (dtype, splits)) in ragged.iter().zip(types) {
            all.push(Wanted::new(name, *dtype, Form::Ragged { splits: *splits })?);
        }
        Ok(all)
    }

    /// The lists of features that are wanted.
    fn lists<'a>(&self, inputs: &'a [Tensor]) -> Result<Vec<WantedList<'a>>> {
        let [sparse, dense, ragged] = [5, 6, 7].map(|i| inputs[i].as_strings());
        let (sparse, dense, ragged) = (sparse?, dense?, ragged?);
        let may_be_missing = inputs[8].as_slice::<bool>()?;
        check_count(
            "feature_list_sparse_keys",
            sparse.len(),
            self.feature_list_sparse_types.len(),
        )?;
        check_count(
            "feature_list_dense_keys",
            dense.len(),
            self.feature_list_dense_types.len(),
        )?;
        check_count(
            "feature_list_ragged_keys",
            ragged.len(),
            self.feature_list_ragged_value_types.len(),
        )?;
        check_count(
            "feature_list_dense_missing_assumed_empty",
            may_be_missing.len(),
            dense.len(),
        )?;
        let mut all = Vec::new();
        for (name, dtype) in sparse.iter().zip(&self.feature_list_sparse_types) {
            all.push(WantedList::new(name, *dtype, ListForm::Sparse)?);
        }
        let types = self
            .feature_list_dense_types
            .iter()
            .zip(&self.feature_list_dense_shapes);
        for ((name, may_be_missing), (dtype, shape)) in dense.iter().zip(may_be_missing).zip(types)
        {
            let form = ListForm::Dense {
                row: known(shape)?,
                may_be_missing: *may_be_missing,
            };
            all.push(WantedList::new(name, *dtype, form)?);
        }
        let types = self.feature_list_ragged_value_types.iter();
        let types = types.zip(&self.feature_list_ragged_split_types);
        for (name, (dtype, splits)) in ragged.iter().zip(types) {
            let form = ListForm::Ragged {
                outer: *splits,
                inner: *splits,
            };
            all.push(WantedList::new(name, *dtype, form)?);
        }
        Ok(all)
    }

    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        check_rank(inputs.shape(0))?;
        let defaults = inputs.len() - FIRST_DEFAULT;
        check_count(
            "context_dense_defaults",
            defaults,
            self.context_dense_shapes.len(),
        )?;
        check_count(
            "Ncontext_sparse",
            self.ncontext_sparse,
            self.context_sparse_types.len(),
        )?;
        let (n, types) = (self.nfeature_list_sparse, &self.feature_list_sparse_types);
        check_count("Nfeature_list_sparse", n, types.len())?;
        let (n, types) = (self.nfeature_list_dense, &self.feature_list_dense_types);
        check_count("Nfeature_list_dense", n, types.len())?;
        check_count(
            "feature_list_dense_shapes",
            self.feature_list_dense_shapes.len(),
            n,
        )?;
        let (splits, types) = (
            &self.context_ragged_split_types,
            &self.context_ragged_value_types,
        );
        check_count("context_ragged_split_types", splits.len(), types.len())?;
        let splits = &self.feature_list_ragged_split_types;
        let types = &self.feature_list_ragged_value_types;
        check_count("feature_list_ragged_split_types", splits.len(), types.len())
    }

    /// The specs of the lists' outputs for examples of that shape.
    fn list_specs(&self, serialized: &PartialShape, specs: &mut Specs) {
        let of = |dtype: DType, dims: &[Dim]| TensorSpec::new(dtype, PartialShape::new(dims));
        let rank = rank_behind(serialized, 2);
        let sparse = &self.feature_list_sparse_types;
        specs.extend(
            sparse
                .iter()
                .map(|_| of(DType::Int64, &[Dim::UNKNOWN, rank])),
        );
        specs.extend(sparse.iter().map(|dtype| of(*dtype, &[Dim::UNKNOWN])));
        specs.extend(sparse.iter().map(|_| of(DType::Int64, &[rank])));
        let dense = self
            .feature_list_dense_types
            .iter()
            .zip(&self.feature_list_dense_shapes);
        let steps = joined(serialized, &PartialShape::new(&[Dim::UNKNOWN]));
        specs.extend(dense.map(|(dtype, row)| TensorSpec::new(*dtype, joined(&steps, row))));
        let lengths = || TensorSpec::new(DType::Int64, serialized.clone());
        specs.extend(self.feature_list_dense_types.iter().map(|_| lengths()));
        let ragged = &self.feature_list_ragged_value_types;
        specs.extend(ragged.iter().map(|dtype| of(*dtype, &[Dim::UNKNOWN])));
        for _ in 0..2 {
            let splits = self.feature_list_ragged_split_types.iter();
            specs.extend(splits.map(|dtype| of(*dtype, &[Dim::UNKNOWN])));
        }
    }
}

fn known(shape: &PartialShape) -> Result<Shape> {
    let known = shape.to_static();
    known.ok_or_else(|| {
        err!(
            InvalidArgument,
            "the shape of a dense list is unknown: {shape}"
        )
    })
}

/// What is wanted, and where it is by its name.
struct Request<'a> {
    context: Vec<Wanted<'a>>,
    lists: Vec<WantedList<'a>>,
    context_places: HashMap<&'a [u8], Vec<usize>>,
    list_places: HashMap<&'a [u8], Vec<usize>>,
}

impl Request<'_> {
    /// Takes what is wanted of a serialised example.
    fn take(&mut self, example: &[u8], place: &Place<'_>) -> Result<()> {
        let mut context: Vec<Option<&[u8]>> = vec![None; self.context.len()];
        let mut lists: Vec<Option<&[u8]>> = vec![None; self.lists.len()];
        example::sequences(
            example,
            |name, found| {
                for &i in self.context_places.get(name).into_iter().flatten() {
                    context[i] = Some(found);
                }
                Ok(())
            },
            |name, found| {
                for &i in self.list_places.get(name).into_iter().flatten() {
                    lists[i] = Some(found);
                }
                Ok(())
            },
        )
        .map_err(|_| unparsable(example))?;
        let damaged = |e| as_damaged(e, example);
        for (wanted, found) in self.context.iter_mut().zip(context) {
            let feature = found.map(Feature::new).transpose().map_err(damaged)?;
            wanted.take(feature.as_ref(), place).map_err(damaged)?;
        }
        for (wanted, found) in self.lists.iter_mut().zip(lists) {
            wanted.take(found, place).map_err(damaged)?;
        }
        Ok(())
    }
}

impl Op for ParseSequenceExampleV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.check(inputs)?;
        let dense = (FIRST_DEFAULT..inputs.len()).map(|i| inputs.dtype(i));
        let mut specs = super::specs(
            inputs.shape(0),
            &self.context_sparse_types,
            self.context_dense_shapes.iter().zip(dense),
            (
                &self.context_ragged_value_types,
                &self.context_ragged_split_types,
            ),
        );
        self.list_specs(inputs.shape(0), &mut specs);
        Ok(specs)
    }

    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        if inputs[0].rank() > 1 {
            bail!(InvalidArgument, "serialized must be a scalar or a vector");
        }
        let serialized = inputs[0].as_strings()?;
        let is_batch = inputs[0].rank() > 0;
        let names = names_of(&inputs[1], serialized.len())?;
        let (context, lists) = (self.context(inputs)?, self.lists(inputs)?);
        let mut request = Request {
            context_places: places(context.iter().map(|w| w.name)),
            list_places: places(lists.iter().map(|w| w.name)),
            context,
            lists,
        };
        for (i, example) in serialized.iter().enumerate() {
            poll_cancellation();
            let name = names.map(|names| &names[i][..]);
            let place = Place {
                index: is_batch.then_some(i),
                name,
            };
            request.take(example, &place)?;
        }
        let (mut made, mut lists) = (Made::default(), MadeLists::default());
        for wanted in request.context {
            wanted.finish(is_batch, &mut made)?;
        }
        for wanted in request.lists {
            wanted.finish(is_batch, &mut lists)?;
        }
        let behind = [
            lists.indices,
            lists.values,
            lists.shapes,
            lists.dense,
            lists.lengths,
            lists.ragged,
            lists.outer,
            lists.inner,
        ];
        Ok(made.all().chain(behind.into_iter().flatten()).collect())
    }
}
