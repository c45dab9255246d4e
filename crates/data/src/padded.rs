//! So many elements as one, each padded to the same shape.

use crate::batch::{collect, n_batches};
use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of};
use crate::op::{Maker, datasets, positive};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_tensor::{Bytes, DType, Dims, Result, Shape, Tensor, bail, vec_of};
use std::sync::Arc;

datasets! {
    trait EmitPadded;

    /// Stacks of `batch_size` consecutive elements of `input_dataset` padded at their ends. `shapes_and_paddings` holds for
    /// each component its padded shape (-1: as long as the longest), then each one's padding.
    PaddedBatchDatasetV2: padded_batch_dataset(input_dataset: variant, batch_size: int64, drop_remainder: bool, shapes_and_paddings: [Tpadding]) {
        /// How many components an element has.
        n_components as "N": usize,
    };
}

/// How one component is padded.
#[derive(Debug)]
struct Padding {
    dims: Vec<Option<usize>>,
    value: Tensor,
}

#[derive(Debug)]
struct Padded {
    input: DatasetRef,
    size: usize,
    drop_remainder: bool,
    paddings: Vec<Padding>,
}

impl Maker for PaddedBatchDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let rest = &inputs[3..];
        if rest.len() != 2 * self.n_components {
            bail!(
                InvalidArgument,
                "{} components need a shape and a padding each, got {} inputs",
                self.n_components,
                rest.len()
            );
        }
        let (shapes, values) = rest.split_at(self.n_components);
        let padding = |(shape, value): (&Tensor, &Tensor)| {
            let dims = shape.to_i64s()?;
            Ok(Padding {
                dims: dims.into_iter().map(|d| usize::try_from(d).ok()).collect(),
                value: value.clone(),
            })
        };
        Ok(Arc::new(Padded {
            input: dataset_of(&inputs[0])?,
            size: positive(&inputs[1], "batch_size")?,
            drop_remainder: inputs[2].item::<bool>()?,
            paddings: shapes
                .iter()
                .zip(values)
                .map(padding)
                .collect::<Result<_>>()?,
        }))
    }
}

impl Dataset for Padded {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(PaddedElements {
            input: self.input.clone().open()?,
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        n_batches(self.input.cardinality(), self.size, self.drop_remainder)
    }
}

struct PaddedElements {
    dataset: Arc<Padded>,
    input: BoxedElements,
}

impl Elements for PaddedElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let size = self.dataset.size;
        let elements = collect(self.input.as_mut(), size, runner)?;
        if elements.is_empty() || (elements.len() < size && self.dataset.drop_remainder) {
            return Ok(None);
        }
        let component = |(c, p): (usize, &Padding)| {
            let parts: Vec<&Tensor> = elements.iter().filter_map(|e| e.get(c)).collect();
            p.stack(&parts)
        };
        let paddings = self.dataset.paddings.iter().enumerate();
        paddings.map(component).collect::<Result<_>>().map(Some)
    }
}

impl Padding {
    /// The parts padded and stacked.
    fn stack(&self, parts: &[&Tensor]) -> Result<Tensor> {
        let row = self.shape_for(parts)?;
        let mut dims = Dims::from_slice(&row);
        dims.insert(0, parts.len());
        let shape = Shape::from(dims);
        if self.value.dtype() == DType::String {
            return self.strings(parts, &row, shape);
        }
        let mut out = Tensor::empty(self.value.dtype(), shape)?;
        let unit = self.value.dtype().size();
        let n_row = row.iter().product::<usize>() * unit;
        let pad = self.value.bytes().to_vec();
        if let Some(bytes) = out.bytes_mut().filter(|_| n_row > 0) {
            bytes
                .chunks_exact_mut(unit)
                .for_each(|x| x.copy_from_slice(&pad));
            for (to, part) in bytes.chunks_exact_mut(n_row).zip(parts) {
                at_beginning(part.shape(), &row, unit).copy(part.bytes(), to);
            }
        }
        Ok(out)
    }

    fn strings(&self, parts: &[&Tensor], row: &[usize], shape: Shape) -> Result<Tensor> {
        let n_row: usize = row.iter().product();
        let pad = self.value.item_string()?;
        let mut all: Vec<Bytes> = vec_of(pad, shape.checked_count()?)?;
        for (i, part) in parts.iter().enumerate() {
            let to = &mut all[i * n_row..(i + 1) * n_row];
            at_beginning(part.shape(), row, 1).copy(part.as_strings()?, to);
        }
        Tensor::from_strings(shape, all)
    }

    /// The shape that all parts are padded to.
    fn shape_for(&self, parts: &[&Tensor]) -> Result<Vec<usize>> {
        let mut row: Vec<usize> = self.dims.iter().map(|d| d.unwrap_or(0)).collect();
        for part in parts {
            if part.rank() != row.len() || part.dtype() != self.value.dtype() {
                bail!(
                    InvalidArgument,
                    "an element of {} cannot be padded by {} to rank {}",
                    part.spec(),
                    self.value.dtype(),
                    row.len()
                );
            }
            for (axis, &n) in part.shape().iter().enumerate() {
                match self.dims[axis] {
                    Some(most) if n > most => bail!(
                        DataLoss,
                        "an element of shape {} does not fit the padded shape: axis {axis} may have at most {most}",
                        part.shape()
                    ),
                    Some(_) => {}
                    None => row[axis] = row[axis].max(n),
                }
            }
        }
        Ok(row)
    }
}

/// The copy of a tensor of shape `part` to the beginning of each axis of one of shape `whole`, whose elements are
/// `unit` long.
fn at_beginning(part: &[usize], whole: &[usize], unit: usize) -> Strided {
    let mut dims = Dims::from_slice(whole);
    dims.push(unit);
    let axes = part.iter().enumerate();
    Strided::write(&axes.fold(View::of(&dims), |v, (axis, &n)| v.slice(axis, 0, 1, n)))
}

/// The one string in a tensor.
trait ItemString {
    fn item_string(&self) -> Result<Bytes>;
}

impl ItemString for Tensor {
    fn item_string(&self) -> Result<Bytes> {
        match self.as_strings()? {
            [one] => Ok(one.clone()),
            _ => bail!(
                InvalidArgument,
                "a padding is one value, got {}",
                self.spec()
            ),
        }
    }
}
