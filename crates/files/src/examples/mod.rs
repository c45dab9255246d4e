//! Examples read into tensors.

mod lists;
mod sequence;
mod values;
mod wanted;

use ferrograph_formats::example::{self, Feature};
use ferrograph_graph::{Inputs, Op, Registry, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Dim, Error, ErrorKind, PartialShape, Result, Tensor, TensorSpec, bail, err,
};
use wanted::{Form, Made, Place, Wanted, places};

declare! {
    trait EmitExamples;

    /// The features of those names in a serialised `Example`, or in each of a vector of them: sparse ones, dense ones
    /// with their defaults, and ragged ones.
    ParseExampleV2: parse_example_v2(
        serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string,
        dense_defaults: [Tdense],
    ) -> (
        sparse_indices: [int64; num_sparse], sparse_values: [sparse_types], sparse_shapes: [int64; num_sparse],
        dense_values: [Tdense], ragged_values: [ragged_value_types], ragged_row_splits: [ragged_split_types],
    ), gradient Stops {
        /// The number of sparse features.
        num_sparse: usize,
        /// The dtypes of the sparse features.
        sparse_types: Vec<DType>,
        /// The dtypes of the ragged features.
        ragged_value_types: Vec<DType>,
        /// The dtypes of the row splits of the ragged features.
        ragged_split_types: Vec<DType>,
        /// The shapes of the dense features, whose first size may be unknown.
        dense_shapes: Vec<PartialShape>,
    };
}

/// The inputs in front of the defaults.
const FIRST_DEFAULT: usize = 5;

impl ParseExampleV2 {
    /// What is wanted, of these inputs.
    fn wanted<'a>(&self, inputs: &'a [Tensor]) -> Result<Vec<Wanted<'a>>> {
        let [sparse, dense, ragged] = [2, 3, 4].map(|i| inputs[i].as_strings());
        let (sparse, dense, ragged) = (sparse?, dense?, ragged?);
        let defaults = &inputs[FIRST_DEFAULT..];
        check_count("sparse_keys", sparse.len(), self.sparse_types.len())?;
        check_count("dense_keys", dense.len(), self.dense_shapes.len())?;
        check_count("dense_defaults", defaults.len(), dense.len())?;
        check_count("ragged_keys", ragged.len(), self.ragged_value_types.len())?;
        let mut all = Vec::new();
        for (name, dtype) in sparse.iter().zip(&self.sparse_types) {
            all.push(Wanted::new(name, *dtype, Form::Sparse)?);
        }
        for ((name, default), shape) in dense.iter().zip(defaults).zip(&self.dense_shapes) {
            let form = Form::dense(shape, default)?;
            all.push(Wanted::new(name, default.dtype(), form)?);
        }
        let types = self.ragged_value_types.iter().zip(&self.ragged_split_types);
        for (name, (dtype, splits)) in ragged.iter().zip(types) {
            let form = Form::Ragged { splits: *splits };
            all.push(Wanted::new(name, *dtype, form)?);
        }
        Ok(all)
    }
}

fn check_count(what: &str, got: usize, wanted: usize) -> Result<()> {
    if got != wanted {
        bail!(
            InvalidArgument,
            "{what} has {got} elements, {wanted} are needed"
        );
    }
    Ok(())
}

/// Takes what is wanted of a serialised example.
fn take<'a>(
    example: &'a [u8],
    wanted: &mut [Wanted<'_>],
    places: &std::collections::HashMap<&[u8], Vec<usize>>,
    found: &mut Vec<Option<&'a [u8]>>,
    place: &Place<'_>,
) -> Result<()> {
    found.clear();
    found.resize(wanted.len(), None);
    let damaged = |_| unparsable(example);
    example::features(example, |name, feature| {
        for &i in places.get(name).into_iter().flatten() {
            found[i] = Some(feature);
        }
        Ok(())
    })
    .map_err(damaged)?;
    for (wanted, found) in wanted.iter_mut().zip(found) {
        let feature = found.map(Feature::new).transpose().map_err(damaged)?;
        let taken = wanted.take(feature.as_ref(), place);
        taken.map_err(|e| as_damaged(e, example))?;
    }
    Ok(())
}

/// The error of reading an example: where its bytes are to blame, they are shown.
fn as_damaged(e: Error, example: &[u8]) -> Error {
    match e.kind() {
        ErrorKind::DataLoss => unparsable(example),
        _ => e,
    }
}

/// Registers the operations.
pub(crate) fn register_all(registry: &mut Registry) {
    register(registry);
    sequence::register(registry);
}

/// Checks the rank of serialised examples.
fn check_rank(serialized: &PartialShape) -> Result<()> {
    if serialized.rank().is_some_and(|rank| rank > 1) {
        bail!(
            InvalidArgument,
            "Expected serialized to be a scalar or vector, got shape: {serialized}"
        );
    }
    Ok(())
}

#[cold]
fn unparsable(example: &[u8]) -> Error {
    const SHOWN: usize = 200;
    let start = &example[..example.len().min(SHOWN)];
    err!(
        InvalidArgument,
        "Could not parse example input, value: '{}'",
        start.escape_ascii()
    )
}

/// The names of examples, one for each or none.
fn names_of(names: &Tensor, n: usize) -> Result<Option<&[Bytes]>> {
    let names = names.as_strings()?;
    match names.len() {
        0 => Ok(None),
        k if k == n => Ok(Some(names)),
        k => bail!(InvalidArgument, "there are {k} names for {n} examples"),
    }
}

impl Op for ParseExampleV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let serialized = inputs.shape(0);
        check_rank(serialized)?;
        check_count("num_sparse", self.num_sparse, self.sparse_types.len())?;
        check_count(
            "dense_defaults",
            inputs.len() - FIRST_DEFAULT,
            self.dense_shapes.len(),
        )?;
        check_count(
            "ragged_split_types",
            self.ragged_split_types.len(),
            self.ragged_value_types.len(),
        )?;
        let dense = (FIRST_DEFAULT..inputs.len()).map(|i| inputs.dtype(i));
        Ok(specs(
            serialized,
            &self.sparse_types,
            self.dense_shapes.iter().zip(dense),
            (&self.ragged_value_types, &self.ragged_split_types),
        ))
    }

    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let serialized = inputs[0].as_strings()?;
        let is_batch = inputs[0].rank() > 0;
        let names = names_of(&inputs[1], serialized.len())?;
        let mut wanted = self.wanted(inputs)?;
        let places = places(wanted.iter().map(|w| w.name));
        let mut found = Vec::new();
        for (i, example) in serialized.iter().enumerate() {
            poll_cancellation();
            let place = Place {
                index: is_batch.then_some(i),
                name: names.map(|names| &names[i][..]),
            };
            take(example, &mut wanted, &places, &mut found, &place)?;
        }
        let mut made = Made::default();
        for wanted in wanted {
            wanted.finish(is_batch, &mut made)?;
        }
        Ok(made.all().collect())
    }
}

/// A size that is so much more than the rank of examples of that shape.
fn rank_behind(serialized: &PartialShape, more: usize) -> Dim {
    let rank = serialized.rank();
    rank.map_or(Dim::UNKNOWN, |rank| Dim::new(rank + more))
}

/// The specs of the tensors of features for examples of that shape.
fn specs<'a>(
    serialized: &PartialShape,
    sparse: &[DType],
    dense: impl Iterator<Item = (&'a PartialShape, DType)>,
    ragged: (&[DType], &[DType]),
) -> Specs {
    let of = |dtype: DType, dims: &[Dim]| TensorSpec::new(dtype, PartialShape::new(dims));
    let rank = rank_behind(serialized, 1);
    let mut specs = Specs::new();
    specs.extend(
        sparse
            .iter()
            .map(|_| of(DType::Int64, &[Dim::UNKNOWN, rank])),
    );
    specs.extend(sparse.iter().map(|dtype| of(*dtype, &[Dim::UNKNOWN])));
    specs.extend(sparse.iter().map(|_| of(DType::Int64, &[rank])));
    specs.extend(dense.map(|(shape, dtype)| TensorSpec::new(dtype, joined(serialized, shape))));
    specs.extend(ragged.0.iter().map(|dtype| of(*dtype, &[Dim::UNKNOWN])));
    let splits = match (serialized.rank(), serialized.dim(0).known()) {
        (Some(0), _) => Dim::new(1),
        (Some(1), Some(n)) => Dim::new(n + 1),
        _ => Dim::UNKNOWN,
    };
    specs.extend(ragged.1.iter().map(|dtype| of(*dtype, &[splits])));
    specs
}

/// The dimensions of both, one behind the other.
fn joined(first: &PartialShape, second: &PartialShape) -> PartialShape {
    match (first.dims(), second.dims()) {
        (Some(first), Some(second)) => first.iter().chain(second).copied().collect(),
        _ => PartialShape::UNKNOWN,
    }
}
