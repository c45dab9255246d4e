//! Slices and their gradients.

use crate::args::{elements, expect_few};
use crate::emit::*;
use crate::movement::{Ground, Io, Moving, Placed, Rearrange, Viewed, moving, static_shape};
use crate::slice_spec::{Entries, Selection, SliceMasks, Taken, entries_of};
use ferrograph_graph::{
    Emitter, Grads, IndexTerm, Inputs, Known, Lowered, Op, Places, Runner, Specs, Tensors, Val,
    VjpCall, declare, declared, evaluate,
};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};

/// Declares the operations of this family, the slice and its gradient with the same attributes.
macro_rules! declare_slices {
    ($($masks:tt)*) => {
        declare! {
            trait EmitSlice;

            /// `input[begin:end:strides]`. Bit `i` of a mask speaks of entry `i` of the three.
            StridedSlice as "strided_slice": strided_slice(
                input: T, begin: Index in index rank 1, end: _ in index rank 1, strides: _ in index rank 1,
            ) -> (output: T), gradient Vjp, batch Rule { $($masks)* };

            /// The gradient of `StridedSlice`: `dy` in zeros of the shape `shape`, where the slice was taken.
            StridedSliceGrad: strided_slice_grad(
                shape: _ in index rank 1, begin: Index in index rank 1, end: _ in index rank 1,
                strides: _ in index rank 1, dy: T,
            ) -> (output: T), gradient Vjp, batch Rule { $($masks)* };

            /// The box of the sizes `size` at `begin` of `input`; a size of -1 reaches to the end.
            Slice: slice(input: T, begin: Index in index rank 1, size: _ in index rank 1) -> (output: T), gradient Vjp, batch Rule;
        }
    };
}
declare_slices! {
    /// Begins at the start of the axis, whatever `begin` says.
    begin_mask: i64 = 0,
    /// Ends at the end of the axis, whatever `end` says.
    end_mask: i64 = 0,
    /// Stands for all axes that no other entry speaks of.
    ellipsis_mask: i64 = 0,
    /// Puts in an axis of size 1.
    new_axis_mask: i64 = 0,
    /// Takes the one index of `begin` and drops the axis.
    shrink_axis_mask: i64 = 0,
}

macro_rules! masks {
    ($op:ident) => {
        impl $op {
            fn masks(&self) -> SliceMasks {
                SliceMasks {
                    begin: self.begin_mask,
                    end: self.end_mask,
                    ellipsis: self.ellipsis_mask,
                    new_axis: self.new_axis_mask,
                    shrink_axis: self.shrink_axis_mask,
                }
            }
        }
    };
}
masks!(StridedSlice);
masks!(StridedSliceGrad);

impl From<SliceMasks> for StridedSlice {
    fn from(masks: SliceMasks) -> StridedSlice {
        StridedSlice {
            begin_mask: masks.begin,
            end_mask: masks.end,
            ellipsis_mask: masks.ellipsis,
            new_axis_mask: masks.new_axis,
            shrink_axis_mask: masks.shrink_axis,
        }
    }
}

/// Element `at` of a vector, counted from the end where negative.
pub(crate) fn element(e: &mut dyn Emitter, vector: &Val, at: i64) -> Result<Val> {
    let (begin, end) = (e.int_vector(&[at])?, e.int_vector(&[at + 1])?);
    let one = e.int_vector(&[1])?;
    e.strided_slice(vector, &begin, &end, &one, 0, 0, 0, 0, 1)
}

/// Elements `begin..end` of a vector, bounds being vectors of one; to its end where there is no other.
pub(crate) fn span(
    e: &mut dyn Emitter,
    vector: &Val,
    begin: &Val,
    end: Option<&Val>,
) -> Result<Val> {
    let one = e.int_vector(&[1])?;
    let to_end = i64::from(end.is_none());
    e.strided_slice(
        vector,
        begin,
        end.unwrap_or(begin),
        &one,
        0,
        to_end,
        0,
        0,
        0,
    )
}

fn view(known: &[Known; 3]) -> Entries<'_> {
    Entries {
        begin: &known[0],
        end: &known[1],
        strides: &known[2],
    }
}

/// Where the selected elements are in a tensor of that shape.
fn place(selection: &[Taken], dims: &[usize]) -> View {
    let sliced = |v: View, (axis, t): (usize, &Taken)| v.slice(axis, t.start, t.stride, t.size);
    let axes = selection.iter().enumerate();
    axes.fold(View::of(dims), sliced)
}

/// A slice that is bound: at once, or to be resolved when it runs, from index inputs of that dtype.
#[allow(missing_docs)]
pub(crate) enum BoundSlice {
    Fixed(Box<Viewed>),
    Late {
        masks: SliceMasks,
        dims: Shape,
        output: Shape,
        index: DType,
        places: Box<Places>,
    },
}

/// Where a slice with open bounds reads, as far as it can be said.
fn late_places(masks: &SliceMasks, known: &[Known; 3], dims: &[usize]) -> Result<Places> {
    let Some((selection, open)) = masks.resolve_open(&view(known), dims)? else {
        return Ok(Places::Opaque);
    };
    let (strides, walk) = (View::of(dims).strides(), place(&selection.taken, dims));
    let Ok(start) = usize::try_from(walk.start()) else {
        return Ok(Places::Opaque);
    };
    let term = |&(entry, axis): &(usize, usize)| IndexTerm {
        entry,
        len: dims[axis],
        stride: strides[axis],
        wraps: true,
    };
    Ok(Places::Indexed {
        index: 1,
        terms: open.iter().map(term).collect(),
        start,
        dims: walk.shape(),
        strides: walk.strides(),
    })
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
                ..
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
    fn places(&self) -> Places {
        match self {
            BoundSlice::Fixed(viewed) => viewed.places(),
            BoundSlice::Late { places, .. } => Places::clone(places),
        }
    }
}

impl StridedSlice {
    /// The slice as rows of the input, where it is consecutive ones.
    fn as_rows(&self, inputs: &[Tensor]) -> Result<Option<Tensor>> {
        let specs: Specs = inputs.iter().map(Tensor::spec).collect();
        let all = Inputs::new(specs.iter().zip(inputs).map(|(s, t)| (s, Some(t), None)));
        self.decl().check(&all)?;
        let known =
            entries_of(&all, 1)?.ok_or_else(|| err!(Internal, "a slice ran without its bounds"))?;
        let Selection { taken, shape } = self.masks().resolve(&view(&known), inputs[0].shape())?;
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
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match (entries_of(inputs, 1)?, inputs.shape(0).dims()) {
            (Some(known), Some(dims)) => self.masks().infer(&view(&known), dims)?,
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
        let Selection { taken, shape } = self.masks().resolve(&view(&known), &[from.len()]).ok()?;
        let [t] = taken.as_slice() else { return None };
        if shape.len() > 1 {
            return None;
        }
        let at = |i: usize| (t.start as isize + i as isize * t.stride) as usize;
        (0..t.size).map(|i| from.get(at(i)).copied()).collect()
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        crate::movement::lower(self, inputs, outputs)
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        if inputs.len() == 4
            && let Some(rows) = self.as_rows(inputs)?
        {
            return Ok(smallvec![rows]);
        }
        evaluate(self, runner, inputs)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::movement::move_strings(self, inputs)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [x, begin, end, strides] = call.all()?;
        let shape = e.shape_of(x)?;
        let [shape, begin, end, strides] = e.in_one_dtype([&shape, begin, end, strides])?;
        let grad = e.strided_slice_grad(
            &shape,
            &begin,
            &end,
            &strides,
            call.grad()?,
            self.begin_mask,
            self.end_mask,
            self.ellipsis_mask,
            self.new_axis_mask,
            self.shrink_axis_mask,
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
                masks: self.masks(),
                places: Box::new(late_places(&self.masks(), &known, &dims)?),
                dims,
                output: static_shape(&outputs[0])?,
                index,
            }));
        }
        let selection = self.masks().resolve(&view(&known), &dims)?;
        let view = place(&selection.taken, &dims);
        Ok(Some(BoundSlice::Fixed(Box::new(Viewed::new(&view)))))
    }
}

impl Op for StridedSliceGrad {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = inputs.shape_value(0);
        if let (Some(known), Some(dims)) = (entries_of(inputs, 1)?, shape.dims()) {
            let slice = self.masks().infer(&view(&known), dims)?;
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
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [_, begin, end, strides, _] = call.all()?;
        let grad = e.strided_slice(
            call.grad()?,
            begin,
            end,
            strides,
            self.begin_mask,
            self.end_mask,
            self.ellipsis_mask,
            self.new_axis_mask,
            self.shrink_axis_mask,
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
        let selection = self.masks().resolve(&view(&known), &dims)?;
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
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        for (i, what) in [(1, "begin"), (2, "size")] {
            expect_few(inputs, i, what)?;
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
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = e.shape_of(&call.inputs[0])?;
        let size = e.shape_of(&call.outputs[0])?;
        let [shape, size, begin] = e.in_one_dtype([&shape, &size, &call.inputs[1]])?;
        let end = e.add(&begin, &size)?;
        let strides = e.ones_like(&begin)?;
        let dy = call.grad()?;
        let grad = e.strided_slice_grad(&shape, &begin, &end, &strides, dy, 0, 0, 0, 0, 0)?;
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

impl Moving for Slice {
    type Bound = Viewed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Viewed>> {
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
        Ok(Some(Viewed::new(&view)))
    }
}
