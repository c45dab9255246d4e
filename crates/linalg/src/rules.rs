//! What gradient rules of matrices are made of.

use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::{DType, Result};

use crate::emit::*;

/// Emits compositions over matrices in the last two axes.
pub(crate) trait Matrices: Emitter {
    /// The transpose, conjugated.
    fn adjoint(&mut self, a: &Val) -> Result<Val> {
        let conj = self.conj(a)?;
        let perm = match a.spec().shape.rank() {
            Some(rank) => {
                let mut perm: Vec<i64> = (0..rank as i64).collect();
                perm.swap(rank - 2, rank - 1);
                self.int_vector(&perm)?
            }
            None => self.swapped(a)?,
        };
        self.transpose(&conj, &perm)
    }

    /// The axes of a tensor of unknown rank, the last two exchanged.
    fn swapped(&mut self, a: &Val) -> Result<Val> {
        let rank = self.rank(a)?;
        let [zero, one, two] = [0.0, 1.0, 2.0].map(|x| self.scalar(x, DType::Int32));
        let (zero, one, two) = (zero?, one?, two?);
        let (last, before) = (self.sub(&rank, &one)?, self.sub(&rank, &two)?);
        let lead = self.range(&zero, &before, &one)?;
        let ends = [
            self.expand_dims(&last, &zero)?,
            self.expand_dims(&before, &zero)?,
        ];
        self.concat_v2(&[lead, ends[0].clone(), ends[1].clone()], &zero)
    }

    /// The band of `below` diagonals under the main one and `above` over it; all where negative.
    fn band(&mut self, a: &Val, below: i32, above: i32) -> Result<Val> {
        let [below, above] = [below, above].map(|n| self.scalar(f64::from(n), DType::Int32));
        self.matrix_band_part(a, &below?, &above?)
    }

    /// The lower triangle with half the diagonal.
    fn lower_half(&mut self, a: &Val) -> Result<Val> {
        let (lower, diagonal) = (self.band(a, -1, 0)?, self.band(a, 0, 0)?);
        let half = self.scale(&diagonal, 0.5)?;
        self.sub(&lower, &half)
    }

    /// `a` and its adjoint, added.
    fn plus_adjoint(&mut self, a: &Val) -> Result<Val> {
        let adjoint = self.adjoint(a)?;
        self.add(a, &adjoint)
    }

    /// `a` less its adjoint.
    fn minus_adjoint(&mut self, a: &Val) -> Result<Val> {
        let adjoint = self.adjoint(a)?;
        self.sub(a, &adjoint)
    }

    /// The real part, in the same dtype.
    fn real_part(&mut self, a: &Val) -> Result<Val> {
        if !a.dtype().is_complex() {
            return Ok(a.clone());
        }
        let conj = self.conj(a)?;
        let twice = self.add(a, &conj)?;
        self.scale(&twice, 0.5)
    }

    /// Numbers along the last axis, as they multiply columns: `[..., 1, n]`.
    fn across(&mut self, v: &Val) -> Result<Val> {
        self.with_axis(v, -2)
    }

    /// Numbers along the last axis, as they multiply rows: `[..., n, 1]`.
    fn down(&mut self, v: &Val) -> Result<Val> {
        self.with_axis(v, -1)
    }

    /// An axis of size 1 put in.
    fn with_axis(&mut self, v: &Val, axis: i32) -> Result<Val> {
        let axis = self.scalar(f64::from(axis), DType::Int32)?;
        self.expand_dims(v, &axis)
    }

    /// One number a matrix, as it multiplies matrices: `[..., 1, 1]`.
    fn everywhere(&mut self, v: &Val) -> Result<Val> {
        let row = self.down(v)?;
        self.down(&row)
    }

    /// `1 / (v_j - v_i)` in row `i`, column `j`; 0 where they are equal.
    fn gaps(&mut self, v: &Val) -> Result<Val> {
        let (across, down) = (self.across(v)?, self.down(v)?);
        let differences = self.sub(&across, &down)?;
        let one = self.scalar(1.0, v.dtype())?;
        self.div_no_nan(&one, &differences)
    }

    /// A gradient summed over the leading dimensions along which matrices were repeated.
    fn unbroadcast_stack(&mut self, grad: &Val, like: &Val) -> Result<Val> {
        let (from, to) = (grad.spec().shape, like.spec().shape);
        if from.rank() == Some(2) && to.rank() == Some(2) {
            return Ok(grad.clone());
        }
        self.unbroadcast(grad, like, grad)
    }

    /// The lower triangle with ones on the diagonal.
    fn unit_lower(&mut self, a: &Val) -> Result<Val> {
        let (lower, diagonal) = (self.band(a, -1, 0)?, self.band(a, 0, 0)?);
        let below = self.sub(&lower, &diagonal)?;
        let identity = self.identity_like(a)?;
        self.add(&below, &identity)
    }

    /// Identities in the shape of square matrices.
    fn identity_like(&mut self, a: &Val) -> Result<Val> {
        let ones = self.ones_like(a)?;
        self.band(&ones, 0, 0)
    }

    /// For each order of rows the matrix that puts rows in that order, of the dtype and size of the matrices `like`.
    fn rows_picked(&mut self, order: &Val, like: &Val) -> Result<Val> {
        let shape = self.shape_of(like)?;
        let [last, end, step] = [-1, 0, 1].map(|i| self.int_vector(&[i]));
        let depth = self.strided_slice(&shape, &last?, &end?, &step?, 0, 0, 0, 0, 1)?;
        let (on, off) = (
            self.scalar(1.0, like.dtype())?,
            self.scalar(0.0, like.dtype())?,
        );
        self.one_hot(order, &depth, &on, &off, -1)
    }

    /// How many columns matrices have, behind a zero for the other axes where slices end or begin.
    fn ends_of_columns(&mut self, a: &Val) -> Result<Val> {
        let shape = self.shape_of(a)?;
        let [zero, last, end, step] = [0, -1, 0, 1].map(|i| self.int_vector(&[i]));
        let n = self.strided_slice(&shape, &last?, &end?, &step?, 0, 1, 0, 0, 0)?;
        let axis = self.scalar(0.0, DType::Int32)?;
        self.concat_v2(&[zero?, n], &axis)
    }

    /// The columns before those ends.
    fn first_columns(&mut self, a: &Val, ends: &Val) -> Result<Val> {
        let [begin, step] = [[0, 0], [1, 1]].map(|v| self.int_vector(&v));
        self.strided_slice(a, &begin?, ends, &step?, 2, 0, 1, 0, 0)
    }

    /// The columns from those ends on.
    fn last_columns(&mut self, a: &Val, ends: &Val) -> Result<Val> {
        let [end, step] = [[0, 0], [1, 1]].map(|v| self.int_vector(&v));
        self.strided_slice(a, ends, &end?, &step?, 0, 2, 1, 0, 0)
    }

    /// `x r^-H` for an upper triangular `r`.
    fn over_upper(&mut self, x: &Val, r: &Val) -> Result<Val> {
        let x = self.adjoint(x)?;
        let solved = self.matrix_triangular_solve(r, &x, false, false)?;
        self.adjoint(&solved)
    }
}

impl<E: Emitter + ?Sized> Matrices for E {}
