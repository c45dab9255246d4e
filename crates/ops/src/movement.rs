//! Moving whole elements without looking at them.
//!
//! An operation that only moves elements binds, once shapes are known, a [`Rearrange`]: a routine generic over the
//! element. Dense elements are chunks of as many bytes as their dtype has, strings are shared pointers, so that one
//! routine serves every dtype.

use ferrograph_graph::{Inputs, Kernel, Lowered, Movement, Op, Operands, Places, Specs, Tensors};
use ferrograph_kernels::movement::{self as k, Indices, Strided, View};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, TensorSpec, bail, err, vec_of};
use smallvec::SmallVec;
use std::sync::Arc;

/// The elements of a tensor of a dtype that indexes: int32, int64, or uint8 and int8 where a label fits a byte.
pub(crate) fn indices_of(t: &Tensor) -> Result<Indices<'_>> {
    match t.dtype() {
        DType::UInt8 => Ok(Indices::Bytes(t.as_slice()?)),
        DType::Int8 => Ok(Indices::Signed(t.as_slice()?)),
        DType::Int32 => Ok(Indices::Narrow(t.as_slice()?)),
        _ => Ok(Indices::Wide(t.as_slice()?)),
    }
}

/// The elements of input `i` of such a dtype.
pub(crate) fn index_input<'a>(operands: &Operands<'a>, i: usize, dtype: DType) -> Indices<'a> {
    match dtype {
        DType::UInt8 => Indices::Bytes(operands.input(i)),
        DType::Int8 => Indices::Signed(operands.input(i)),
        DType::Int32 => Indices::Narrow(operands.input(i)),
        _ => Indices::Wide(operands.input(i)),
    }
}

/// Where a rearrangement reads and writes elements of type `T`.
pub(crate) trait Io<'a, T> {
    /// The elements of input `i`.
    fn input(&self, i: usize) -> &'a [T];
    /// The elements of index input `i` of that dtype, as in [`indices_of`].
    fn ints(&self, i: usize, dtype: DType) -> Indices<'a>;
    /// The elements of input `i` of bools.
    fn truths(&self, i: usize) -> &'a [bool];
    /// The elements of output `i`.
    fn output(&mut self, i: usize) -> &mut [T];
    /// Zero, false or the empty string.
    fn zero(&self) -> T;
}

/// A movement of elements bound to shapes.
pub(crate) trait Rearrange: Send + Sync + 'static {
    /// Fills the outputs.
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()>;

    /// Where the elements of the outputs come from, as executors see it.
    fn places(&self) -> Places {
        Places::Opaque
    }
}

/// An operation that only moves elements.
pub(crate) trait Moving: Op + Sized {
    /// What it binds.
    type Bound: Rearrange;

    /// The movement for inputs and outputs of static shapes; `None` where constants that it needs are not known.
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Self::Bound>>;

    /// The input whose elements are moved.
    fn data(&self) -> usize {
        0
    }
}

/// The `lower` and `compute` of an operation that is [`Moving`].
macro_rules! moving {
    () => {
        fn lower(
            &self,
            inputs: &::ferrograph_graph::Inputs<'_>,
            outputs: &[::ferrograph_tensor::TensorSpec],
        ) -> ::ferrograph_tensor::Result<::ferrograph_graph::Lowered> {
            $crate::movement::lower(self, inputs, outputs)
        }
        fn compute(
            &self,
            _runner: &dyn ::ferrograph_graph::Runner,
            inputs: &[::ferrograph_tensor::Tensor],
        ) -> ::ferrograph_tensor::Result<::ferrograph_graph::Tensors> {
            $crate::movement::move_strings(self, inputs)
        }
    };
}
pub(crate) use moving;

struct Chunks<'o, 'a, const N: usize> {
    operands: &'o mut Operands<'a>,
}

impl<'a, const N: usize> Io<'a, [u8; N]> for Chunks<'_, 'a, N> {
    fn input(&self, i: usize) -> &'a [[u8; N]] {
        self.operands.input_bytes(i).as_chunks().0
    }
    fn ints(&self, i: usize, dtype: DType) -> Indices<'a> {
        index_input(self.operands, i, dtype)
    }
    fn truths(&self, i: usize) -> &'a [bool] {
        self.operands.input(i)
    }
    fn output(&mut self, i: usize) -> &mut [[u8; N]] {
        self.operands.output_bytes(i).as_chunks_mut().0
    }
    fn zero(&self) -> [u8; N] {
        [0; N]
    }
}

struct Strings<'a> {
    inputs: &'a [Tensor],
    outputs: SmallVec<[Vec<Bytes>; 1]>,
    empty: Bytes,
}

impl<'a> Io<'a, Bytes> for Strings<'a> {
    fn input(&self, i: usize) -> &'a [Bytes] {
        self.inputs[i].as_strings().unwrap_or(&[])
    }
    fn ints(&self, i: usize, _dtype: DType) -> Indices<'a> {
        indices_of(&self.inputs[i]).unwrap_or(Indices::Wide(&[]))
    }
    fn truths(&self, i: usize) -> &'a [bool] {
        self.inputs[i].as_slice().unwrap_or(&[])
    }
    fn output(&mut self, i: usize) -> &mut [Bytes] {
        &mut self.outputs[i]
    }
    fn zero(&self) -> Bytes {
        self.empty.clone()
    }
}

fn of_size<R: Rearrange, const N: usize>(bound: R) -> Kernel {
    Box::new(move |operands| bound.run(&mut Chunks::<N> { operands }))
}

/// What a moving operation on dense elements lowers to.
pub(crate) fn lower<M: Moving>(
    op: &M,
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
) -> Result<Lowered> {
    let dtype = inputs.dtype(op.data());
    if !dtype.is_dense() {
        return Ok(Lowered::Eval);
    }
    let Some(bound) = op.bind(inputs, outputs)? else {
        return Ok(Lowered::Eval);
    };
    let places = bound.places();
    let kernel = match dtype.size() {
        1 => of_size::<_, 1>(bound),
        2 => of_size::<_, 2>(bound),
        4 => of_size::<_, 4>(bound),
        8 => of_size::<_, 8>(bound),
        16 => of_size::<_, 16>(bound),
        n => bail!(Internal, "no movement of elements of {n} bytes"),
    };
    Ok(Lowered::Move(Movement { places, kernel }))
}

/// The outputs of a moving operation on strings.
pub(crate) fn move_strings<M: Moving>(op: &M, tensors: &[Tensor]) -> Result<Tensors> {
    let specs: Specs = tensors.iter().map(Tensor::spec).collect();
    let inputs = Inputs::new(specs.iter().zip(tensors).map(|(s, t)| (s, Some(t), None)));
    let outputs = op.as_dyn().specs(&inputs)?;
    let bound = op
        .bind(&inputs, &outputs)?
        .ok_or_else(|| err!(Internal, "operation {} did not bind", op.name()))?;
    let mut io = Strings {
        inputs: tensors,
        outputs: SmallVec::new(),
        empty: Arc::from(&b""[..]),
    };
    for spec in &outputs {
        let n = static_shape(spec)?.n_elements();
        io.outputs.push(vec_of(io.empty.clone(), n)?);
    }
    bound.run(&mut io)?;
    let outputs_and_specs = io.outputs.into_iter().zip(&outputs);
    outputs_and_specs
        .map(|(elements, spec)| Tensor::from_strings(static_shape(spec)?, elements))
        .collect()
}

/// The static shape that a spec must have where kernels are bound.
pub(crate) fn static_shape(spec: &TensorSpec) -> Result<Shape> {
    spec.shape.to_static().ok_or_else(|| {
        err!(
            Internal,
            "shape {} is open where it must be static",
            spec.shape
        )
    })
}

/// Copies input 0 to the only output.
impl Rearrange for Strided {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let from = io.input(0);
        self.copy(from, io.output(0));
        Ok(())
    }
}

/// Input 0 read by a view with the axes of the only output, but for those of one.
pub(crate) struct Viewed {
    places: Places,
    copy: Strided,
}

impl Viewed {
    /// The elements of that view.
    pub(crate) fn new(view: &View) -> Viewed {
        let places = match usize::try_from(view.start()) {
            Ok(start) => Places::Strided {
                input: 0,
                start,
                dims: view.shape(),
                strides: view.strides(),
            },
            Err(_) => Places::Opaque,
        };
        let copy = Strided::read(view);
        Viewed { places, copy }
    }
}

impl Rearrange for Viewed {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        self.copy.run(io)
    }
    fn places(&self) -> Places {
        self.places.clone()
    }
}

/// Copies of input 0 to parts of the only output.
impl Rearrange for Vec<Strided> {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let from = io.input(0);
        let to = io.output(0);
        self.iter().for_each(|part| part.copy(from, to));
        Ok(())
    }
}

/// What a result holds before parts of it are moved there.
pub(crate) enum Ground {
    /// Zeros, false or empty strings.
    Zero,
    /// The only element of that input.
    Value(usize),
    /// The elements of that input, which has the result's shape.
    Input(usize),
}

impl Ground {
    /// Fills the only output.
    pub(crate) fn lay<'a, T: Clone + Send + Sync + 'a>(
        &self,
        io: &mut impl Io<'a, T>,
    ) -> Result<()> {
        match *self {
            Ground::Zero => {
                let zero = io.zero();
                k::fill(&zero, io.output(0));
            }
            Ground::Value(i) => match io.input(i) {
                [value] => k::fill(value, io.output(0)),
                _ => bail!(Internal, "input {i} must be a scalar"),
            },
            Ground::Input(i) => {
                let from = io.input(i);
                k::copy(from, io.output(0));
            }
        }
        Ok(())
    }
}

/// Copies of one input to parts of a result that holds something else around them.
pub(crate) struct Placed {
    /// What is around them.
    pub ground: Ground,
    /// The input.
    pub from: usize,
    /// The copies.
    pub parts: Vec<Strided>,
}

impl Rearrange for Placed {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        self.ground.lay(io)?;
        let from = io.input(self.from);
        let to = io.output(0);
        self.parts.iter().for_each(|part| part.copy(from, to));
        Ok(())
    }
}
