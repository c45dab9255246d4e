//! Slices and their gradients.

use crate::args::{elements, expect_index, expect_rank};
use crate::emit::*;
use crate::movement::{Ground, Io, Moving, Placed, Rearrange, moving, static_shape};
use crate::slice_spec::{Entries, Selection, SliceMasks, Taken, entries_of};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Known, Op, Registry,
    Runner, Specs, Tensors, VjpCall, op_object,
};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

impl SliceMasks {
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("begin_mask", Attr::Int(self.begin))
            .with("end_mask", Attr::Int(self.end))
            .with("ellipsis_mask", Attr::Int(self.ellipsis))
            .with("new_axis_mask", Attr::Int(self.new_axis))
            .with("shrink_axis_mask", Attr::Int(self.shrink_axis))
    }

    fn list(&self) -> Vec<(&'static str, Attr)> {
        self.attrs().iter().map(|(n, a)| (n, a.clone())).collect()
    }

    fn read(a: &AttrReader<'_>) -> Result<SliceMasks> {
        Ok(SliceMasks {
            begin: a.int_or("begin_mask", 0)?,
            end: a.int_or("end_mask", 0)?,
            ellipsis: a.int_or("ellipsis_mask", 0)?,
            new_axis: a.int_or("new_axis_mask", 0)?,
            shrink_axis: a.int_or("shrink_axis_mask", 0)?,
        })
    }
}

fn view(known: &[Known; 3]) -> Entries<'_> {
    Entries {
        begin: &known[0],
        end: &known[1],
        strides: &known[2],
    }
}

/// Where the selected elements lie in a tensor of that shape.
fn place(selection: &[Taken], dims: &[usize]) -> View {
    let sliced = |v: View, (axis, t): (usize, &Taken)| v.slice(axis, t.start, t.stride, t.size);
    let axes = selection.iter().enumerate();
    axes.fold(View::of(dims), sliced)
}

/// `input[begin:end:strides]` under masks; inputs are the tensor, begin, end and strides.
#[derive(Debug)]
pub struct StridedSlice {
    /// The masks.
    pub masks: SliceMasks,
}

/// A slice that is bound: at once, or to be resolved when it runs, from index inputs of that dtype.
#[allow(missing_docs)]
pub(crate) enum BoundSlice {
    Fixed(Strided),
    Late {
        masks: SliceMasks,
        dims: Shape,
        output: Shape,
        index: DType,
    },
}

impl Rearrange for BoundSlice {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (masks, dims, output, index) = match self {
            BoundSlice::Fixed(strided) => return strided.run(io),
            BoundSlice::Late {
                masks,
                dims,
                output,
                index,
            } => (masks, dims, output, *index),
        };
        let known = [1, 2, 3].map(|i| io.ints(i, index).iter().map(Some).collect::<Known>());
        let selection = masks.resolve(&view(&known), dims)?;
        if selection.shape.as_slice() != output.dims() {
            bail!(
                Shape,
                "a slice has shape {} where {output} was inferred",
                Shape::new(&selection.shape)
            );
        }
        Strided::read(&place(&selection.taken, dims)).run(io)
    }
}

impl StridedSlice {
    /// The slice as rows of the input, where it is consecutive ones.
    fn as_rows(&self, inputs: &[Tensor]) -> Result<Option<Tensor>> {
        let specs: Specs = inputs.iter().map(Tensor::spec).collect();
        let all = Inputs::new(specs.iter().zip(inputs).map(|(s, t)| (s, Some(t), None)));
        all.expect(4)?;
        let known =
            entries_of(&all, 1)?.ok_or_else(|| err!(Internal, "a slice ran without its bounds"))?;
        let Selection { taken, shape } = self.masks.resolve(&view(&known), inputs[0].shape())?;
        let Some((first, rest)) = taken.split_first() else {
            return Ok(Some(inputs[0].reshaped(Shape::new(&shape))?));
        };
        let whole = rest
            .iter()
            .zip(&inputs[0].shape()[1..])
            .all(|(t, &n)| t.size == n && t.stride == 1);
        if !whole
            || first.stride != 1
            || !(inputs[0].dtype().is_dense() || inputs[0].dtype() == DType::String)
        {
            return Ok(None);
        }
        let rows = inputs[0].rows(first.start, first.start + first.size)?;
        Ok(Some(rows.reshaped(Shape::new(&shape))?))
    }
}

impl Op for StridedSlice {
    op_object!();
    fn name(&self) -> &'static str {
        "StridedSlice"
    }
    fn node_name(&self) -> &'static str {
        "strided_slice"
    }
    fn attrs(&self) -> Attrs {
        self.masks.attrs()
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(4)?;
        let shape = match (entries_of(inputs, 1)?, inputs.shape(0).dims()) {
            (Some(known), Some(dims)) => self.masks.infer(&view(&known), dims)?,
            _ => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let from = inputs.known(0)?;
        if inputs.shape(0).rank()? != 1 {
            return None;
        }
        let known = entries_of(inputs, 1).ok()??;
        if known.iter().any(|k| k.iter().any(Option::is_none)) {
            return None;
        }
        let Selection { taken, shape } = self.masks.resolve(&view(&known), &[from.len()]).ok()?;
        let [t] = taken.as_slice() else { return None };
        if shape.len() > 1 {
            return None;
        }
        let at = |i: usize| (t.start as isize + i as isize * t.stride) as usize;
        (0..t.size).map(|i| from.get(at(i)).copied()).collect()
    }
    fn kernel(
        &self,
        inputs: &Inputs<'_>,
        outputs: &[TensorSpec],
    ) -> Result<Option<ferrograph_graph::Kernel>> {
        crate::movement::kernel(self, inputs, outputs)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        if inputs.len() == 4
            && let Some(rows) = self.as_rows(inputs)?
        {
            return Ok(smallvec![rows]);
        }
        crate::movement::eval(self, inputs)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let index = call.inputs[1].dtype();
        let shape = e.shape_of(&call.inputs[0])?;
        let shape = e.cast(&shape, index)?;
        let [_, begin, end, strides] = call.inputs else {
            bail!(Internal, "a slice has {} inputs", call.inputs.len());
        };
        let grad = e.op(
            "StridedSliceGrad",
            &[&shape, begin, end, strides, call.grad()?],
            self.masks.list(),
        )?;
        Ok(smallvec![Some(grad.into()), None, None, None])
    }
}

impl Moving for StridedSlice {
    type Bound = BoundSlice;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<BoundSlice>> {
        let dims = static_shape(inputs.spec(0))?;
        let Some(known) = entries_of(inputs, 1)? else {
            return Ok(None);
        };
        let index = inputs.dtype(1);
        if known.iter().any(|k| k.iter().any(Option::is_none)) {
            if (1..4).any(|i| inputs.dtype(i) != index) {
                return Ok(None);
            }
            return Ok(Some(BoundSlice::Late {
                masks: self.masks,
                dims,
                output: static_shape(&outputs[0])?,
                index,
            }));
        }
        let selection = self.masks.resolve(&view(&known), &dims)?;
        let view = place(&selection.taken, &dims);
        Ok(Some(BoundSlice::Fixed(Strided::read(&view))))
    }
}

/// The gradient of a strided slice: the last input `dy` in zeros of the shape input 0, where the slice was taken.
#[derive(Debug)]
pub struct StridedSliceGrad {
    /// The masks of the slice.
    pub masks: SliceMasks,
}

impl Op for StridedSliceGrad {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "StridedSliceGrad"
    }
    fn attrs(&self) -> Attrs {
        self.masks.attrs()
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(5)?;
        expect_index(inputs, 0, "shape")?;
        expect_rank(inputs, 0, 1, "shape")?;
        let shape = inputs.shape_value(0);
        if let (Some(known), Some(dims)) = (entries_of(inputs, 1)?, shape.dims()) {
            let slice = self.masks.infer(&view(&known), dims)?;
            if !slice.is_compatible(inputs.shape(4)) {
                bail!(
                    Shape,
                    "dy has shape {}, the slice has shape {slice}",
                    inputs.shape(4)
                );
            }
        }
        Ok(smallvec![TensorSpec::new(inputs.dtype(4), shape)])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [_, begin, end, strides, _] = call.inputs else {
            bail!(
                Internal,
                "a slice gradient has {} inputs",
                call.inputs.len()
            );
        };
        let grad = e.op(
            "StridedSlice",
            &[call.grad()?, begin, end, strides],
            self.masks.list(),
        )?;
        Ok(smallvec![None, None, None, None, Some(grad.into())])
    }
}

impl Moving for StridedSliceGrad {
    type Bound = Placed;
    fn data(&self) -> usize {
        4
    }
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        let dims = static_shape(&outputs[0])?;
        let Some(known) = entries_of(inputs, 1)? else {
            return Ok(None);
        };
        if known.iter().any(|k| k.iter().any(Option::is_none)) {
            return Ok(None);
        }
        let selection = self.masks.resolve(&view(&known), &dims)?;
        let dy = static_shape(inputs.spec(4))?;
        if dy.dims() != selection.shape.as_slice() {
            bail!(
                Shape,
                "dy has shape {dy}, the slice has shape {}",
                Shape::new(&selection.shape)
            );
        }
        Ok(Some(Placed {
            ground: Ground::Zero,
            from: 4,
            parts: vec![Strided::write(&place(&selection.taken, &dims))],
        }))
    }
}

/// The box of the sizes input 2 at the begins input 1 of input 0; a size of -1 reaches to the end.
#[derive(Debug)]
pub struct Slice;

impl Slice {
    /// The size along an axis of `n` elements.
    fn size(axis: usize, begin: Option<i64>, size: Option<i64>, n: Option<usize>) -> Result<Dim> {
        if begin.is_some_and(|b| b < 0) || size.is_some_and(|s| s < -1) {
            bail!(
                Shape,
                "slice of axis {axis}: begin must not be negative and size at least -1"
            );
        }
        let (Some(begin), Some(size)) = (begin, size) else {
            return Ok(Dim::from(size.and_then(|s| usize::try_from(s).ok())));
        };
        let end = if size < 0 {
            Some(begin)
        } else {
            begin.checked_add(size)
        };
        if let Some(n) = n
            && end.is_none_or(|e| e > n as i64)
        {
            bail!(
                Shape,
                "slice of axis {axis}: begin {begin} and size {size} do not fit {n} elements"
            );
        }
        Ok(match (usize::try_from(size), n) {
            (Ok(size), _) => Dim::new(size),
            (Err(_), Some(n)) => Dim::new(n - begin as usize),
            (Err(_), None) => Dim::UNKNOWN,
        })
    }
}

impl Op for Slice {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "Slice"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        for (i, what) in [(1, "begin"), (2, "size")] {
            expect_index(inputs, i, what)?;
            expect_rank(inputs, i, 1, what)?;
        }
        let (begin, size) = (elements(inputs, 1), elements(inputs, 2));
        let rank = inputs.shape(0).rank();
        let rank = rank
            .or(begin.as_ref().map(|k| k.len()))
            .or(size.as_ref().map(|k| k.len()));
        let Some(rank) = rank else {
            return Ok(smallvec![TensorSpec::unknown(inputs.dtype(0))]);
        };
        for (what, known) in [("begin", &begin), ("size", &size)] {
            if let Some(known) = known
                && known.len() != rank
            {
                bail!(
                    Shape,
                    "{what} has {} elements for a tensor of shape {}",
                    known.len(),
                    inputs.shape(0)
                );
            }
        }
        let at = |known: &Option<Known>, i: usize| known.as_ref().and_then(|k| k[i]);
        let dim = |i| {
            Slice::size(
                i,
                at(&begin, i),
                at(&size, i),
                inputs.shape(0).dim(i).known(),
            )
        };
        let dims: SmallVec<[Dim; 4]> = (0..rank).map(dim).collect::<Result<_>>()?;
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&dims)
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let from = inputs.known(0)?;
        if inputs.shape(0).rank()? != 1 {
            return None;
        }
        let begin = usize::try_from(*inputs.ints(1)?.first()?).ok()?;
        let size = *inputs.ints(2)?.first()?;
        let end = match usize::try_from(size) {
            Ok(size) => begin.checked_add(size)?,
            Err(_) => from.len(),
        };
        Some(from.get(begin..end)?.iter().copied().collect())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let begin = &call.inputs[1];
        let index = begin.dtype();
        let in_index = |e: &mut dyn Emitter, like| {
            let shape = e.shape_of(like)?;
            e.cast(&shape, index)
        };
        let shape = in_index(e, &call.inputs[0])?;
        let size = in_index(e, &call.outputs[0])?;
        let end = e.add(begin, &size)?;
        let strides = e.ones_like(begin)?;
        let grad = e.op(
            "StridedSliceGrad",
            &[&shape, begin, &end, &strides, call.grad()?],
            vec![],
        )?;
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

impl Moving for Slice {
    type Bound = Strided;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Strided>> {
        let Some(begin) = inputs.ints(1) else {
            return Ok(None);
        };
        let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
        let mut view = View::of(&from);
        for (axis, &b) in begin.iter().enumerate() {
            let fits = usize::try_from(b).is_ok_and(|b| b + to[axis] <= from[axis]);
            if !fits {
                bail!(Shape, "slice of axis {axis}: begin {b} is out of range");
            }
            view = view.slice(axis, b as usize, 1, to[axis]);
        }
        Ok(Some(Strided::read(&view)))
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("StridedSlice", |a| {
        Ok(Arc::new(StridedSlice {
            masks: SliceMasks::read(a)?,
        }))
    });
    r.add("StridedSliceGrad", |a| {
        Ok(Arc::new(StridedSliceGrad {
            masks: SliceMasks::read(a)?,
        }))
    });
    r.add("Slice", |_| Ok(Arc::new(Slice)));
}
