//! Diagonals and bands of matrices.

use crate::args::{expect_integers, expect_one, scalar};
use crate::attrs::attr_enum;
use crate::emit::*;
use crate::movement::{Ground, Io, Moving, Placed, Rearrange, moving, static_shape};
use crate::pad::filling_grad;
use ferrograph_graph::{Emitter, Grads, Inputs, Op, Specs, VjpCall, declare, declared};
use ferrograph_kernels::movement::{Strided, View, band_part, diagonal};
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitDiag;

    /// The matrices `input` with only the diagonal, `num_lower` diagonals below it and `num_upper` above it kept; all
    /// where negative.
    MatrixBandPart: matrix_band_part(input: T, num_lower: Tindex in index, num_upper: _ in index)
        -> (band: T), gradient Vjp, batch Leads(1);

    /// The diagonals `k` of the matrices `input`, filled up with `padding_value`.
    MatrixDiagPartV3: matrix_diag_part_v3(input: T, k: _ in index, padding_value: T rank 0)
        -> (diagonal: T), gradient Vjp, batch Leads(1) {
        /// Where diagonals are filled up.
        align: Align = Align::RightLeft,
    };

    /// The matrices `input` with the diagonals `k` replaced by `diagonal`.
    MatrixSetDiagV3: matrix_set_diag_v3(input: T, diagonal: T, k: _ in index) -> (output: T), gradient Vjp, batch Leads(2) {
        /// Where diagonals are filled up.
        align: Align = Align::RightLeft,
    };

    /// Matrices of `padding_value` with the diagonals `k` set to `diagonal`; their sizes are `num_rows` and `num_cols`,
    /// as small as possible where -1.
    MatrixDiagV3: matrix_diag_v3(
        diagonal: T, k: _ in index, num_rows: _ in index, num_cols: _ in index, padding_value: T rank 0,
    ) -> (output: T), gradient Vjp, batch Leads(1) {
        /// Where diagonals are filled up.
        align: Align = Align::RightLeft,
    };
}

/// Rows and columns of matrices in the last two axes.
fn matrix(shape: &PartialShape) -> Result<Option<(&[Dim], Dim, Dim)>> {
    match shape.dims() {
        None => Ok(None),
        Some([lead @ .., rows, columns]) => Ok(Some((lead, *rows, *columns))),
        Some(_) => Err(err!(Shape, "expected matrices, got shape {shape}")),
    }
}

/// Keeps a band of each matrix of those sizes.
pub(crate) struct Kept {
    sizes: (usize, usize),
    away: (i64, i64),
}

impl Rearrange for Kept {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (from, zero) = (io.input(0), io.zero());
        band_part(from, self.sizes, self.away, &zero, io.output(0));
        Ok(())
    }
}

impl Op for MatrixBandPart {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        matrix(inputs.shape(0))?;
        expect_one(inputs, 1, "num_lower")?;
        expect_one(inputs, 2, "num_upper")?;
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.matrix_band_part(call.grad()?, &call.inputs[1], &call.inputs[2])?;
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

impl Moving for MatrixBandPart {
    type Bound = Kept;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kept>> {
        let dims = static_shape(inputs.spec(0))?;
        let (Some(lower), Some(upper)) = (scalar(inputs, 1), scalar(inputs, 2)) else {
            return Ok(None);
        };
        let [.., rows, columns] = *dims else {
            bail!(Shape, "expected matrices, got shape {dims}");
        };
        Ok(Some(Kept {
            sizes: (rows, columns),
            away: (lower, upper),
        }))
    }
}

/// The diagonals `lower..=upper` of matrices of that size, as rows of one length: where each is.
#[derive(Clone, Copy, Debug)]
struct Band {
    rows: usize,
    columns: usize,
    lower: i64,
    upper: i64,
    /// Whether diagonals above the main one, and those below it, are aligned to the right.
    right: (bool, bool),
}

impl Band {
    fn length(&self, d: i64) -> i64 {
        (self.rows as i64 + d.min(0)).min(self.columns as i64 - d.max(0))
    }

    fn longest(&self) -> usize {
        // Diagonals grow towards the main one.
        self.length(0.max(self.lower).min(self.upper)).max(0) as usize
    }

    fn count(&self) -> usize {
        (self.upper - self.lower + 1) as usize
    }

    fn check(&self) -> Result<()> {
        let inside = |d: i64| d == 0 || (-(self.rows as i64) < d && d < self.columns as i64);
        if self.lower > self.upper || !inside(self.lower) || !inside(self.upper) {
            bail!(
                Shape,
                "diagonals {} to {} do not lie in matrices of {} rows and {} columns",
                self.lower,
                self.upper,
                self.rows,
                self.columns
            );
        }
        Ok(())
    }

    /// Where each diagonal of `batch` matrices is in them, and where among the diagonals.
    fn places(&self, batch: usize) -> impl Iterator<Item = (View, View)> + '_ {
        let longest = self.longest();
        let all = [batch, self.count(), longest];
        let none = batch == 0 || longest == 0;
        let upper = if none { self.lower - 1 } else { self.upper };
        (self.lower..=upper).map(move |d| {
            let n = self.length(d).max(0) as usize;
            let right = if d >= 0 { self.right.0 } else { self.right.1 };
            let shift = if right { longest - n } else { 0 };
            let row = View::of(&all).at(1, (self.upper - d) as usize);
            let inside = diagonal((batch, self.rows, self.columns), d);
            (inside, row.slice(1, shift, 1, n))
        })
    }

    /// Copies of the diagonals, input `from`, into matrices that hold something else around them.
    fn put(&self, batch: usize, from: usize, ground: Ground) -> Placed {
        let places = self.places(batch);
        Placed {
            ground,
            from,
            parts: places
                .map(|(to, from)| Strided::between(&from, &to))
                .collect(),
        }
    }
}

attr_enum! {
    /// To which side diagonals shorter than the rows that hold them are: those above the main one and itself, those
    /// below.
    Align {
        /// Above to the right, below to the left.
        RightLeft = "RIGHT_LEFT",
        /// Above to the left, below to the right.
        LeftRight = "LEFT_RIGHT",
        /// All to the left.
        LeftLeft = "LEFT_LEFT",
        /// All to the right.
        RightRight = "RIGHT_RIGHT",
    }
}

impl Align {
    /// Whether the diagonals above, and those below, are to the right.
    fn right(self) -> (bool, bool) {
        match self {
            Align::RightLeft => (true, false),
            Align::LeftRight => (false, true),
            Align::LeftLeft => (false, false),
            Align::RightRight => (true, true),
        }
    }
}

/// The range of diagonals that input `i` gives.
fn diagonals(inputs: &Inputs<'_>, i: usize) -> Result<Option<(i64, i64)>> {
    const FARTHEST: i64 = 1 << 40;
    expect_integers(inputs, i, "k")?;
    match inputs.ints(i).as_deref() {
        None => Ok(None),
        Some(k) if k.iter().any(|d| !(-FARTHEST..=FARTHEST).contains(d)) => {
            Err(err!(Shape, "k is too large: {k:?}"))
        }
        Some([d]) => Ok(Some((*d, *d))),
        Some([a, b]) if a <= b => Ok(Some((*a, *b))),
        Some(k) => Err(err!(
            Shape,
            "k must be a diagonal or a range of them, got {k:?}"
        )),
    }
}

/// The band of matrices of these sizes where all of it is known.
fn band(
    inputs: &Inputs<'_>,
    k: usize,
    rows: Dim,
    columns: Dim,
    align: Align,
) -> Result<Option<Band>> {
    let band = band_anywhere(inputs, k, rows, columns, align)?;
    if let Some(band) = band {
        band.check()?;
    }
    Ok(band)
}

/// As `band`, of diagonals that need not be in the matrices.
fn band_anywhere(
    inputs: &Inputs<'_>,
    k: usize,
    rows: Dim,
    columns: Dim,
    align: Align,
) -> Result<Option<Band>> {
    let (Some((lower, upper)), Some(rows), Some(columns)) =
        (diagonals(inputs, k)?, rows.known(), columns.known())
    else {
        return Ok(None);
    };
    Ok(Some(Band {
        rows,
        columns,
        lower,
        upper,
        right: align.right(),
    }))
}

/// How many matrices a tensor of that shape holds.
fn n_matrices(dims: &[usize]) -> usize {
    dims[..dims.len().saturating_sub(2)].iter().product()
}

impl MatrixDiagPartV3 {
    fn band(&self, inputs: &Inputs<'_>) -> Result<Option<Band>> {
        match matrix(inputs.shape(0))? {
            Some((_, rows, columns)) => band(inputs, 1, rows, columns, self.align),
            None => Ok(None),
        }
    }
}

impl Op for MatrixDiagPartV3 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match (matrix(inputs.shape(0))?, diagonals(inputs, 1)?) {
            (Some((lead, ..)), Some((lower, upper))) => {
                let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(lead);
                if lower < upper {
                    dims.push(Dim::new((upper - lower + 1) as usize));
                }
                dims.push(Dim::from(self.band(inputs)?.map(|b| b.longest())));
                PartialShape::new(&dims)
            }
            _ => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let zeros = e.zeros_like(&call.inputs[0])?;
        let grad = e.matrix_set_diag_v3(&zeros, call.grad()?, &call.inputs[1], self.align)?;
        let padding = filling_grad(e, call, 2, &grad)?;
        Ok(smallvec![Some(grad.into()), None, padding])
    }
}

impl Moving for MatrixDiagPartV3 {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        let Some(band) = self.band(inputs)? else {
            return Ok(None);
        };
        let places = band.places(n_matrices(&static_shape(inputs.spec(0))?));
        Ok(Some(Placed {
            ground: Ground::Value(2),
            from: 0,
            parts: places
                .map(|(from, to)| Strided::between(&from, &to))
                .collect(),
        }))
    }
}

/// The shape of matrices with new diagonals, which have the same leading axes.
fn set_shape(inputs: &Inputs<'_>) -> Result<PartialShape> {
    let (shape, diagonal) = (inputs.shape(0), inputs.shape(1));
    let (Some(dims), Some((lower, upper))) = (diagonal.dims(), diagonals(inputs, 2)?) else {
        return Ok(shape.clone());
    };
    let own = if lower < upper { 2 } else { 1 };
    let Some(lead) = dims.len().checked_sub(own) else {
        bail!(
            Shape,
            "diagonal must have rank {own} at least, got shape {diagonal}"
        );
    };
    let of_lead: PartialShape = dims[..lead]
        .iter()
        .copied()
        .chain([Dim::UNKNOWN; 2])
        .collect();
    shape.merge(&of_lead).map_err(|_| {
        err!(
            Shape,
            "diagonal of shape {diagonal} has not the leading axes of matrices of shape {shape}"
        )
    })
}

impl Op for MatrixSetDiagV3 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some((lead, rows, columns)) = matrix(inputs.shape(0))?
            && let Some(band) = band(inputs, 2, rows, columns, self.align)?
        {
            let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(lead);
            if band.count() > 1 {
                dims.push(Dim::new(band.count()));
            }
            dims.push(Dim::new(band.longest()));
            let wanted = PartialShape::new(&dims);
            if !wanted.is_compatible(inputs.shape(1)) {
                bail!(
                    Shape,
                    "diagonal must have shape {wanted} for matrices of shape {}, got {}",
                    inputs.shape(0),
                    inputs.shape(1)
                );
            }
        }
        let shape = set_shape(inputs)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let (diagonal, k) = (&call.inputs[1], &call.inputs[2]);
        let zeros = e.zeros_like(diagonal)?;
        let rest = e.matrix_set_diag_v3(grad, &zeros, k, self.align)?;
        let zero = e.scalar(0.0, grad.dtype())?;
        let part = e.matrix_diag_part_v3(grad, k, &zero, self.align)?;
        Ok(smallvec![Some(rest.into()), Some(part.into()), None])
    }
}

impl Moving for MatrixSetDiagV3 {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        let dims = static_shape(&outputs[0])?;
        let [.., rows, columns] = *dims else {
            bail!(Shape, "expected matrices, got shape {dims}");
        };
        let Some(band) = band(inputs, 2, Dim::new(rows), Dim::new(columns), self.align)? else {
            return Ok(None);
        };
        Ok(Some(band.put(n_matrices(&dims), 1, Ground::Input(0))))
    }
}

impl MatrixDiagV3 {
    fn band(&self, inputs: &Inputs<'_>) -> Result<Option<Band>> {
        expect_one(inputs, 2, "num_rows")?;
        expect_one(inputs, 3, "num_cols")?;
        let (Some((lower, upper)), Some(dims), Some(rows), Some(columns)) = (
            diagonals(inputs, 1)?,
            inputs.shape(0).dims(),
            scalar(inputs, 2),
            scalar(inputs, 3),
        ) else {
            return Ok(None);
        };
        let Some(longest) = dims.last().and_then(|d| d.known()) else {
            return Ok(None);
        };
        let longest = longest as i64;
        let least = (longest - upper.min(0), longest + lower.max(0));
        let (rows, columns) = match (rows, columns) {
            (-1, -1) => (least.0.max(least.1), least.0.max(least.1)),
            (-1, c) => (least.0, c),
            (r, -1) => (r, least.1),
            both => both,
        };
        let size = |n: i64| Dim::from(usize::try_from(n).ok());
        // Diagonals of no elements end at a corner, or beyond it.
        let is_nothing = longest == 0 && (rows == least.0 || columns == least.1);
        let band = if is_nothing { band_anywhere } else { band };
        match band(inputs, 1, size(rows), size(columns), self.align)? {
            Some(band) if band.longest() as i64 == longest => Ok(Some(band)),
            _ => Err(err!(
                Shape,
                "diagonals {lower} to {upper} of shape {} do not fit matrices of {rows} rows and {columns} columns",
                inputs.shape(0)
            )),
        }
    }
}

impl Op for MatrixDiagV3 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match (inputs.shape(0).dims(), diagonals(inputs, 1)?) {
            (Some(dims), Some((lower, upper))) => {
                let taken = if lower < upper { 2 } else { 1 };
                let Some(lead) = dims.len().checked_sub(taken) else {
                    bail!(
                        Shape,
                        "diagonal must have rank {taken} at least, got {}",
                        inputs.shape(0)
                    );
                };
                if taken == 2 && !dims[lead].is_compatible(Dim::new((upper - lower + 1) as usize)) {
                    bail!(
                        Shape,
                        "k spans {} diagonals, got shape {}",
                        upper - lower + 1,
                        inputs.shape(0)
                    );
                }
                let band = self.band(inputs)?;
                let sizes = [band.map(|b| b.rows), band.map(|b| b.columns)].map(Dim::from);
                dims[..lead].iter().copied().chain(sizes).collect()
            }
            _ => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let spec = call.inputs[0].spec();
        if spec.shape.dims().is_some_and(|d| d.contains(&Dim::new(0))) {
            let nothing = e.zeros_like(&call.inputs[0])?;
            let padding = filling_grad(e, call, 4, &nothing)?;
            return Ok(smallvec![Some(nothing.into()), None, None, None, padding]);
        }
        let zero = e.scalar(0.0, grad.dtype())?;
        let part = e.matrix_diag_part_v3(grad, &call.inputs[1], &zero, self.align)?;
        let part = e.reshape_like(&part, &call.inputs[0])?;
        let padding = filling_grad(e, call, 4, &part)?;
        Ok(smallvec![Some(part.into()), None, None, None, padding])
    }
}

impl Moving for MatrixDiagV3 {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        let Some(band) = self.band(inputs)? else {
            return Ok(None);
        };
        let batch = n_matrices(&static_shape(&outputs[0])?);
        Ok(Some(band.put(batch, 0, Ground::Value(4))))
    }
}
