//! What is wanted of examples: features by name, and what becomes of their values.

use super::values::{Values, matrix, splits};
use ferrograph_formats::example::Feature;
use ferrograph_tensor::{DType, Dims, PartialShape, Result, Shape, Tensor, bail, err};
use std::collections::HashMap;

/// What becomes of a feature's values.
pub(super) enum Form {
    /// Coordinates and values of those that are there.
    Sparse,
    /// As many as `shape` says, or the default.
    Dense { shape: Shape, default: Tensor },
    /// Any number of rows of `row` each, filled up to the longest.
    Padded { row: Shape, filler: Tensor },
    /// One behind the other.
    Ragged { splits: DType },
}

impl Form {
    /// The dense form of that shape, whose first size may be unknown.
    ///
    /// # Errors
    /// `InvalidArgument` where another one is, or the default does not fit.
    pub(super) fn dense(shape: &PartialShape, default: &Tensor) -> Result<Form> {
        if let Some(shape) = shape.to_static() {
            let n = default.n_elements();
            if n != 0 && n != shape.n_elements() {
                bail!(
                    InvalidArgument,
                    "a default value of shape {} does not fit a feature of shape {shape}",
                    default.shape()
                );
            }
            let default = default.clone();
            return Ok(Form::Dense { shape, default });
        }
        let row = shape.dims().and_then(|dims| {
            let rest: Option<Dims> = dims.get(1..)?.iter().map(|d| d.known()).collect();
            rest.map(Shape::from)
        });
        let row = row.ok_or_else(|| {
            err!(
                InvalidArgument,
                "a dense feature of shape {shape} has an unknown rank or unknown inner dimensions"
            )
        })?;
        let filler = filler_of(default)?;
        Ok(Form::Padded { row, filler })
    }
}

/// The value that fills rows up: the default, or nothing of its dtype.
fn filler_of(default: &Tensor) -> Result<Tensor> {
    match default.n_elements() {
        0 => Tensor::zeros(default.dtype(), Shape::scalar()),
        1 => default.reshaped(Shape::scalar()),
        _ => bail!(
            InvalidArgument,
            "the default value of a feature of unknown length must be a scalar, got {}",
            default.spec()
        ),
    }
}

/// One wanted feature, and what came of it.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a [u8],
    form: Form,
    values: Values,
    /// How many values each example had.
    counts: Vec<usize>,
}

/// Which example it is that has a fault.
pub(super) struct Place<'a> {
    /// Its number among several.
    pub(super) index: Option<usize>,
    /// Its name, where examples have some.
    pub(super) name: Option<&'a [u8]>,
}

impl Place<'_> {
    fn name(&self) -> String {
        match self.name {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => "<unknown>".to_owned(),
        }
    }

    /// What to say of a feature in this example.
    fn of(&self, key: &[u8]) -> String {
        let key = String::from_utf8_lossy(key);
        match self.index {
            Some(i) => format!("Name: {}, Key: {key}, Index: {i}. ", self.name()),
            None => format!("Key: {key}. "),
        }
    }

    /// What to say of a list of features in this example.
    pub(super) fn of_list(&self, key: &[u8]) -> String {
        let key = String::from_utf8_lossy(key);
        format!("Name: {}, Feature list: {key}", self.name())
    }

    fn missing(&self, key: &[u8], dtype: DType) -> String {
        let key = String::from_utf8_lossy(key);
        let whose = self.index.map(|_| format!("Name: {}, ", self.name()));
        let whose = whose.unwrap_or_default();
        format!("{whose}Feature: {key} (data type: {dtype}) is required but could not be found.")
    }
}

impl<'a> Wanted<'a> {
    pub(super) fn new(name: &'a [u8], dtype: DType, form: Form) -> Result<Wanted<'a>> {
        Ok(Wanted {
            name,
            form,
            values: Values::new(dtype)?,
            counts: Vec::new(),
        })
    }

    /// Takes the values of the next example's feature, where it has some.
    pub(super) fn take(&mut self, feature: Option<&Feature<'_>>, place: &Place<'_>) -> Result<()> {
        let feature = feature.filter(|f| f.kind().is_some());
        let before = self.values.len();
        if let Some(feature) = feature {
            let dtype = self.values.dtype();
            if let Some(kind) = feature.kind().filter(|kind| *kind != dtype) {
                bail!(
                    InvalidArgument,
                    "{} Data types don't match. Data type: {kind} but expected type: {dtype}",
                    place.of(self.name)
                );
            }
            self.values.add(feature)?;
        }
        let count = self.values.len() - before;
        self.check(feature.is_some(), count, place)?;
        self.counts.push(count);
        Ok(())
    }

    /// Holds the number of values against the form; takes the default for a dense feature that is not there.
    fn check(&mut self, is_there: bool, count: usize, place: &Place<'_>) -> Result<()> {
        let dtype = self.values.dtype();
        match &self.form {
            Form::Dense { shape, default } if !is_there => {
                if default.n_elements() == 0 && shape.n_elements() != 0 {
                    bail!(InvalidArgument, "{}", place.missing(self.name, dtype));
                }
                self.values.extend(default)
            }
            Form::Dense { shape, .. } if count != shape.n_elements() => bail!(
                InvalidArgument,
                "{} Number of {dtype} values != expected.  Values size: {count} but output shape: {shape}",
                place.of(self.name)
            ),
            Form::Padded { row, .. } if !fits(count, row.n_elements()) => bail!(
                InvalidArgument,
                "{} Number of {dtype} values is not a multiple of stride length. Saw {count} values in rows of shape {row}",
                place.of(self.name)
            ),
            _ => Ok(()),
        }
    }

    /// Adds its tensors to those of its kind; `is_batch` where there are several examples.
    pub(super) fn finish(self, is_batch: bool, made: &mut Made) -> Result<()> {
        match is_batch {
            true => self.batch(made),
            false => self.single(made),
        }
    }

    /// Adds the tensors of a batch of examples to those of its kind.
    fn batch(self, made: &mut Made) -> Result<()> {
        let n = self.counts.len();
        let longest = self.counts.iter().copied().max().unwrap_or(0);
        match self.form {
            Form::Sparse => {
                let mut indices = Vec::with_capacity(2 * self.values.len());
                for (i, count) in self.counts.iter().enumerate() {
                    indices.extend((0..*count).flat_map(|j| [i as i64, j as i64]));
                }
                made.indices.push(matrix(&indices, 2)?);
                made.shapes
                    .push(Tensor::vector(&[n as i64, longest as i64])?);
                made.values.push(self.values.vector()?);
            }
            Form::Dense { shape, .. } => {
                let dims: Dims = [n].into_iter().chain(shape.iter().copied()).collect();
                made.dense.push(self.values.tensor(Shape::from(dims))?);
            }
            Form::Padded { row, filler } => {
                let rows = longest / row.n_elements().max(1);
                let dims = [n, rows].into_iter().chain(row.iter().copied()).collect();
                let width = rows.saturating_mul(row.n_elements());
                made.dense
                    .push(self.values.padded(&self.counts, width, &filler, dims)?);
            }
            Form::Ragged { splits: dtype } => {
                made.splits
                    .push(splits(dtype, self.counts.iter().copied())?);
                made.ragged.push(self.values.vector()?);
            }
        }
        Ok(())
    }

    /// Adds the tensors of one example to those of its kind.
    fn single(self, made: &mut Made) -> Result<()> {
        let n = self.values.len();
        match self.form {
            Form::Sparse => {
                let indices: Vec<i64> = (0..n as i64).collect();
                made.indices.push(matrix(&indices, 1)?);
                made.shapes.push(Tensor::vector(&[n as i64])?);
                made.values.push(self.values.vector()?);
            }
            Form::Dense { shape, .. } => made.dense.push(self.values.tensor(shape)?),
            Form::Padded { row, .. } => {
                let rows = n / row.n_elements().max(1);
                let dims: Dims = [rows].into_iter().chain(row.iter().copied()).collect();
                made.dense.push(self.values.tensor(Shape::from(dims))?);
            }
            Form::Ragged { splits: dtype } => {
                made.splits.push(splits(dtype, std::iter::empty())?);
                made.ragged.push(self.values.vector()?);
            }
        }
        Ok(())
    }
}

/// Whether so many values are whole rows.
fn fits(count: usize, row: usize) -> bool {
    count == 0 || (row > 0 && count.is_multiple_of(row))
}

/// The tensors that came of features, by kind.
#[derive(Default)]
pub(super) struct Made {
    indices: Vec<Tensor>,
    values: Vec<Tensor>,
    shapes: Vec<Tensor>,
    dense: Vec<Tensor>,
    ragged: Vec<Tensor>,
    splits: Vec<Tensor>,
}

impl Made {
    /// All of them, kind by kind.
    pub(super) fn all(self) -> impl Iterator<Item = Tensor> {
        let kinds = [
            self.indices,
            self.values,
            self.shapes,
            self.dense,
            self.ragged,
            self.splits,
        ];
        kinds.into_iter().flatten()
    }
}

/// The places of names in a list.
pub(super) fn places<'a>(names: impl Iterator<Item = &'a [u8]>) -> HashMap<&'a [u8], Vec<usize>> {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (i, name) in names.enumerate() {
        places.entry(name).or_default().push(i);
    }
    places
}
