//! Lists of features in sequences, and what becomes of their values.

use super::values::{Values, matrix, splits};
use super::wanted::Place;
use ferrograph_formats::example;
use ferrograph_tensor::{DType, Dims, Result, Shape, Tensor, bail};

/// What becomes of the values of a list of features.
pub(super) enum ListForm {
    /// Coordinates and values of those that are there.
    Sparse,
    /// `row` in each step, filled up to the longest list.
    Dense { row: Shape, may_be_missing: bool },
    /// Steps one behind the other.
    Ragged { outer: DType, inner: DType },
}

/// One wanted list of features, and what came of it.
pub(super) struct WantedList<'a> {
    pub(super) name: &'a [u8],
    form: ListForm,
    values: Values,
    /// How many values each step had.
    counts: Vec<usize>,
    /// How many steps each example had.
    steps: Vec<usize>,
}

/// The tensors that came of lists, by kind.
#[derive(Default)]
pub(super) struct MadeLists {
    pub(super) indices: Vec<Tensor>,
    pub(super) values: Vec<Tensor>,
    pub(super) shapes: Vec<Tensor>,
    pub(super) dense: Vec<Tensor>,
    pub(super) lengths: Vec<Tensor>,
    pub(super) ragged: Vec<Tensor>,
    pub(super) outer: Vec<Tensor>,
    pub(super) inner: Vec<Tensor>,
}

impl<'a> WantedList<'a> {
    pub(super) fn new(name: &'a [u8], dtype: DType, form: ListForm) -> Result<WantedList<'a>> {
        Ok(WantedList {
            name,
            form,
            values: Values::new(dtype)?,
            counts: Vec::new(),
            steps: Vec::new(),
        })
    }

    /// Takes the steps of the next example's list, where it has one.
    pub(super) fn take(&mut self, list: Option<&[u8]>, place: &Place<'_>) -> Result<()> {
        let Some(list) = list else {
            self.check_missing(place)?;
            self.steps.push(0);
            return Ok(());
        };
        let steps = example::steps(list)?;
        for (i, step) in steps.iter().enumerate() {
            let before = self.values.len();
            let dtype = self.values.dtype();
            if step.kind().is_some_and(|kind| kind != dtype) {
                bail!(
                    InvalidArgument,
                    "{}, Index: {i}.  Data types don't match. Expected type: {dtype}",
                    place.of_list(self.name)
                );
            }
            if step.kind().is_some() {
                self.values.add(step)?;
            }
            let count = self.values.len() - before;
            self.check(count, i, place)?;
            self.counts.push(count);
        }
        self.steps.push(steps.len());
        Ok(())
    }

    fn check_missing(&self, place: &Place<'_>) -> Result<()> {
        match self.form {
            ListForm::Dense {
                may_be_missing: false,
                ..
            } => bail!(
                InvalidArgument,
                "{} is required but could not be found.  Did you mean to allow that it is missing?",
                place.of_list(self.name)
            ),
            _ => Ok(()),
        }
    }

    fn check(&self, count: usize, step: usize, place: &Place<'_>) -> Result<()> {
        match &self.form {
            ListForm::Dense { row, .. } if count != row.n_elements() => bail!(
                InvalidArgument,
                "{}, Index: {step}.  Number of values != expected.  values size: {count} but output shape: {row}",
                place.of_list(self.name)
            ),
            _ => Ok(()),
        }
    }

    /// Adds the tensors of these lists to those of their kind; `is_batch` where there are several examples.
    pub(super) fn finish(self, is_batch: bool, made: &mut MadeLists) -> Result<()> {
        match self.form {
            ListForm::Sparse => self.sparse(is_batch, made),
            ListForm::Dense { ref row, .. } => {
                let row = row.clone();
                self.dense(&row, is_batch, made)
            }
            ListForm::Ragged { outer, inner } => {
                made.outer.push(splits(outer, self.steps.iter().copied())?);
                made.inner.push(splits(inner, self.counts.iter().copied())?);
                made.ragged.push(self.values.vector()?);
                Ok(())
            }
        }
    }

    fn sparse(self, is_batch: bool, made: &mut MadeLists) -> Result<()> {
        let mut indices: Vec<i64> = Vec::new();
        let mut counts = self.counts.iter();
        for (i, steps) in self.steps.iter().enumerate() {
            for (step, count) in counts.by_ref().take(*steps).enumerate() {
                for k in 0..*count {
                    indices.extend(is_batch.then_some(i as i64));
                    indices.extend([step as i64, k as i64]);
                }
            }
        }
        let most = |all: &[usize]| all.iter().copied().max().unwrap_or(0) as i64;
        let mut shape = vec![most(&self.steps), most(&self.counts)];
        if is_batch {
            shape.insert(0, self.steps.len() as i64);
        }
        made.indices.push(matrix(&indices, shape.len())?);
        made.shapes.push(Tensor::vector(&shape)?);
        made.values.push(self.values.vector()?);
        Ok(())
    }

    fn dense(self, row: &Shape, is_batch: bool, made: &mut MadeLists) -> Result<()> {
        let longest = self.steps.iter().copied().max().unwrap_or(0);
        let lengths: Vec<i64> = self.steps.iter().map(|n| *n as i64).collect();
        if !is_batch {
            let dims: Dims = [longest].into_iter().chain(row.iter().copied()).collect();
            made.dense.push(self.values.tensor(Shape::from(dims))?);
            made.lengths.push(Tensor::scalar(longest as i64)?);
            return Ok(());
        }
        let filler = Tensor::zeros(self.values.dtype(), Shape::scalar())?;
        let width = longest.saturating_mul(row.n_elements());
        let counts: Vec<usize> = self.steps.iter().map(|n| n * row.n_elements()).collect();
        let first = [counts.len(), longest];
        let dims: Dims = first.into_iter().chain(row.iter().copied()).collect();
        made.dense
            .push(self.values.padded(&counts, width, &filler, dims)?);
        made.lengths.push(Tensor::vector(&lengths)?);
        Ok(())
    }
}
