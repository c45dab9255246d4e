//! What rules emit again and again.

use super::{RowCount, Rowed, unbatchable};
use crate::emit::TraceEmitter;
use ferrograph_graph::Val;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, PartialShape, Result, Tensor};

/// The integers of a constant.
pub(crate) fn ints(val: &Val) -> Option<Vec<i64>> {
    Some(val.constant()?.to_i64s().ok()?.into_iter().collect())
}

impl TraceEmitter {
    /// A vector of integers of that dtype.
    pub(crate) fn ints(&mut self, values: &[i64], dtype: DType) -> Result<Val> {
        let narrow: Vec<i32> = values
            .iter()
            .filter_map(|&v| i32::try_from(v).ok())
            .collect();
        self.constant(match dtype {
            DType::Int64 => Tensor::vector(values)?,
            _ => Tensor::vector(&narrow)?,
        })
    }

    /// Vectors of integers one behind the other, in the dtype of the first.
    pub(crate) fn joined(&mut self, parts: &[&Val]) -> Result<Val> {
        let dtype = parts[0].dtype();
        let known: Option<Vec<Vec<i64>>> = parts.iter().map(|p| ints(p)).collect();
        if let Some(known) = known {
            return self.ints(&known.concat(), dtype);
        }
        let mut same = Vec::new();
        for part in parts {
            same.push(self.cast(part, dtype)?);
        }
        let axis = self.scalar(0.0, DType::Int32)?;
        self.concat_v2(&same, &axis)
    }

    /// A vector of integers behind a number.
    pub(crate) fn behind(&mut self, first: i64, rest: &Val) -> Result<Val> {
        let first = self.ints(&[first], rest.dtype())?;
        self.joined(&[&first, rest])
    }

    /// The number of rows as a vector of one.
    pub(crate) fn count(&mut self, rows: &RowCount, dtype: DType) -> Result<Val> {
        if let Some(n) = rows.dim.known().and_then(|n| i64::try_from(n).ok()) {
            return self.ints(&[n], dtype);
        }
        let cast = self.cast(&rows.val, dtype)?;
        let one = self.ints(&[1], DType::Int32)?;
        self.reshape(&cast, &one)
    }

    /// The shape with the number of rows in front.
    pub(crate) fn rows_of(&mut self, shape: &Val, rows: &RowCount) -> Result<Val> {
        let count = self.count(rows, shape.dtype())?;
        self.joined(&[&count, shape])
    }

    /// Elements of a vector from `begin` on.
    pub(crate) fn tail(&mut self, vector: &Val, begin: i64) -> Result<Val> {
        if let Some(known) = ints(vector) {
            let from = usize::try_from(begin).unwrap_or(0).min(known.len());
            return self.ints(&known[from..], vector.dtype());
        }
        let (begin, one) = (self.int_vector(&[begin])?, self.int_vector(&[1])?);
        self.strided_slice(vector, &begin, &begin, &one, 0, 1, 0, 0, 0)
    }

    /// The shape of one row, where there is one for each.
    pub(crate) fn row_shape(&mut self, val: &Val) -> Result<Val> {
        let shape = self.shape_of(val)?;
        self.tail(&shape, 1)
    }

    /// A value for each row.
    pub(crate) fn each(&mut self, value: &Rowed, rows: &RowCount) -> Result<Val> {
        let val = match value {
            Rowed::Each(val) => return Ok(val.clone()),
            Rowed::Same(val) => val,
        };
        if matches!(val.dtype(), DType::Variant | DType::Resource) {
            return Err(unbatchable("a list or resource that becomes one of many"));
        }
        let shape = self.shape_of(val)?;
        let all = self.rows_of(&shape, rows)?;
        self.broadcast_to(val, &all)
    }

    /// Axes of one row as those of all rows: counted from the front they move by one.
    pub(crate) fn moved_axes(&mut self, axes: &Val) -> Result<Val> {
        let up = |a: i64| if a < 0 { a } else { a + 1 };
        if let Some(constant) = axes.constant() {
            let moved: Vec<i64> = constant.to_i64s()?.into_iter().map(up).collect();
            let all = self.ints(&moved, axes.dtype())?;
            if constant.rank() == 1 {
                return Ok(all);
            }
            let shape: Vec<i64> = constant
                .shape()
                .iter()
                .map(|&d| i64::try_from(d).unwrap_or(0))
                .collect();
            let shape = self.int_vector(&shape)?;
            return self.reshape(&all, &shape);
        }
        let zero = self.scalar(0.0, axes.dtype())?;
        let is_front = self.greater_equal(axes, &zero)?;
        let step = self.cast(&is_front, axes.dtype())?;
        self.add(axes, &step)
    }

    /// A value for each row, of rank `from` in one row, with axes of size 1 behind the first up to rank `to`.
    pub(crate) fn widened(&mut self, val: &Val, from: usize, to: usize) -> Result<Val> {
        let mut wide = val.clone();
        let axis = self.scalar(1.0, DType::Int32)?;
        for _ in from..to {
            wide = self.expand_dims(&wide, &axis)?;
        }
        Ok(wide)
    }

    /// As [`widened`](Self::widened), to a rank known when it runs: a vector of one.
    pub(crate) fn widened_to(&mut self, val: &Val, to: &Val) -> Result<Val> {
        let shape = self.shape(val, DType::Int32)?;
        let own = self.rank(val)?;
        let one = self.scalar(1.0, DType::Int32)?;
        let own = self.sub(&own, &one)?;
        let missing = self.sub(to, &own)?;
        let ones = self.fill(&missing, &one)?;
        let first = self.int_vector(&[0])?;
        let begin = self.int_vector(&[1])?;
        let count = self.strided_slice(&shape, &first, &begin, &begin, 0, 0, 0, 0, 0)?;
        let rest = self.tail(&shape, 1)?;
        let wide = self.joined(&[&count, &ones, &rest])?;
        self.reshape(val, &wide)
    }

    /// Says what is known of a value's shape.
    pub(crate) fn known_shape(&mut self, val: &Val, shape: &PartialShape) -> Result<()> {
        match val {
            Val::Sym(sym) => self.trace.set_shape(sym.value, shape),
            Val::Eager(_) => Ok(()),
        }
    }

    /// The numbers of the rows, a vector of that dtype.
    pub(crate) fn numbers(&mut self, rows: &RowCount, dtype: DType) -> Result<Val> {
        let n = self.cast(&rows.val, dtype)?;
        let (zero, one) = (self.scalar(0.0, dtype)?, self.scalar(1.0, dtype)?);
        self.range(&zero, &n, &one)
    }
}
