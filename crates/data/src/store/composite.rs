//! Ragged and sparse tensors as variants: one for a whole value, or a stack of one for each row, as batching in
//! TensorFlow leaves it.

use super::layout::malformed;
use ferrograph_formats::messages::{
    StoredTensor, StoredVariant, put_tensor, put_variants, variant_message,
};
use ferrograph_graph::Tensors;
use ferrograph_tensor::{
    Bytes, DType, Dim, Error, Result, Shape, Tensor, TensorSpec, bail, err, vec_for,
};

/// What a ragged tensor is called.
const RAGGED: &str = "RaggedTensorVariant";
/// What a tensor of a sparse one is called.
const TENSOR: &str = "tensorflow::Tensor";

fn message_of(tensor: &Tensor) -> Result<Vec<u8>> {
    let mut to = Vec::new();
    put_tensor(tensor, &mut to)?;
    Ok(to)
}

/// Appends the variant of a ragged tensor: its splits, and its values behind them.
pub(super) fn write_ragged(tensors: &[Tensor], to: &mut Vec<u8>) -> Result<()> {
    let Some((values, splits)) = tensors.split_first() else {
        bail!(Internal, "a ragged tensor without values");
    };
    let parts = splits.iter().chain([values]).map(message_of);
    let one = variant_message(RAGGED, &[], &parts.collect::<Result<Vec<_>>>()?);
    put_variants(&[], &[one], to);
    Ok(())
}

/// Appends the variants of a sparse tensor, one for each of its three tensors.
pub(super) fn write_sparse(tensors: &[Tensor], to: &mut Vec<u8>) -> Result<()> {
    let one = |t: &Tensor| Ok(variant_message(TENSOR, &[], &[message_of(t)?]));
    let all = tensors.iter().map(one).collect::<Result<Vec<_>>>()?;
    put_variants(&[all.len()], &all, to);
    Ok(())
}

/// The variants of a message, which have to be called so.
pub(super) fn variants_of<'a>(
    message: &StoredTensor<'a>,
    kind: &str,
) -> Result<Vec<StoredVariant<'a>>> {
    let all = message.variants().map_err(|e| malformed(&e))?;
    match all.iter().find(|one| one.kind != kind.as_bytes()) {
        None => Ok(all),
        Some(other) => bail!(
            InvalidArgument,
            "is a {}, expected a {kind}",
            String::from_utf8_lossy(other.kind)
        ),
    }
}

fn damaged(why: &str) -> Error {
    err!(DataLoss, "is malformed: {why}")
}

fn tensor_of(message: &[u8]) -> Result<Tensor> {
    let tensor = StoredTensor::read(message).and_then(|t| t.tensor());
    tensor.map_err(|e| malformed(&e))
}

/// Reads a ragged tensor of so many partitioned axes: its values, then its splits.
pub(super) fn read_ragged(
    message: &StoredTensor<'_>,
    rank: usize,
    specs: &[TensorSpec],
    to: &mut Tensors,
) -> Result<()> {
    let all = variants_of(message, RAGGED)?;
    let outer = &message.shape()[..];
    let Some(inner) = rank.checked_sub(outer.len()) else {
        bail!(
            InvalidArgument,
            "is ragged along {} axes at least, expected {rank}",
            outer.len()
        );
    };
    let mut rows = Vec::new();
    for one in &all {
        if one.tensors.len() != inner + 1 {
            bail!(
                InvalidArgument,
                "is ragged along {} axes, expected {rank}",
                (one.tensors.len() + outer.len()).saturating_sub(1)
            );
        }
        rows.push(Row::of(one)?);
    }
    let rows = match &mut rows[..] {
        [row] if outer.is_empty() => std::mem::take(row),
        rows => stacked(outer, rows, inner, specs)?,
    };
    rows.put(specs, to)
}

/// A ragged tensor: its values, and its splits from the first axis on.
#[derive(Default)]
struct Row {
    values: Option<Tensor>,
    splits: Vec<Vec<i64>>,
    dtype: Option<DType>,
}

impl Row {
    fn of(one: &StoredVariant<'_>) -> Result<Row> {
        let (values, splits) =
            (one.tensors.split_last()).ok_or_else(|| damaged("it has no values"))?;
        let values = tensor_of(values)?;
        let mut row = Row::default();
        for splits in splits {
            let splits = tensor_of(splits)?;
            if splits.rank() != 1 || !matches!(splits.dtype(), DType::Int32 | DType::Int64) {
                return Err(damaged("its splits are no vectors of integers"));
            }
            row.dtype = Some(splits.dtype());
            row.splits.push(splits.to_i64s()?);
        }
        row.values = Some(values);
        row.check()?;
        Ok(row)
    }

    /// Refuses splits that do not part the axis behind them.
    fn check(&self) -> Result<()> {
        let n_values = self
            .values
            .as_ref()
            .and_then(|v| v.shape().first())
            .copied();
        let behind = self.splits.iter().skip(1).map(|s| s.len().checked_sub(1));
        for (splits, n) in self.splits.iter().zip(behind.chain([n_values])) {
            let n = n.and_then(|n| i64::try_from(n).ok());
            let is_sound = splits.first() == Some(&0)
                && splits.is_sorted()
                && n.is_some()
                && splits.last().copied() == n;
            if !is_sound {
                return Err(damaged("its splits do not part its values"));
            }
        }
        Ok(())
    }

    /// How many rows it has.
    fn n_rows(&self) -> Result<usize> {
        let of_values = || {
            self.values
                .as_ref()
                .and_then(|v| v.shape().first())
                .copied()
        };
        let n = match self.splits.first() {
            Some(splits) => splits.len().checked_sub(1),
            None => of_values(),
        };
        n.ok_or_else(|| damaged("a row of it is a scalar"))
    }

    /// Appends the values and the splits, of the dtypes of these types.
    fn put(self, specs: &[TensorSpec], to: &mut Tensors) -> Result<()> {
        let Some(values) = self.values else {
            return Err(damaged("it has no values"));
        };
        to.push(values);
        let expected = specs.get(1).map(|spec| spec.dtype);
        let dtype = self.dtype.or(expected).unwrap_or(DType::Int64);
        for splits in &self.splits {
            to.push(match dtype {
                DType::Int32 => {
                    let short = splits.iter().map(|n| i32::try_from(*n));
                    let short = short.collect::<std::result::Result<Vec<_>, _>>();
                    Tensor::vector(&short.map_err(|_| damaged("its splits are too large"))?)?
                }
                _ => Tensor::vector(splits)?,
            });
        }
        Ok(())
    }
}

/// The rows as one ragged tensor, whose first axes have these sizes.
fn stacked(outer: &[usize], rows: &[Row], inner: usize, specs: &[TensorSpec]) -> Result<Row> {
    let mut splits = uniform(outer, rows.len())?;
    let mut lengths = vec![0];
    for row in rows {
        let n = i64::try_from(row.n_rows()?).map_err(|_| damaged("it has too many rows"))?;
        lengths.push(following(&lengths, n)?);
    }
    splits.push(lengths);
    for axis in 0..inner {
        let mut all = vec![0];
        for row in rows {
            let own = row.splits.get(axis).map_or(&[][..], |s| &s[..]);
            let start = all.last().copied().unwrap_or(0);
            for n in own.iter().skip(1) {
                all.push(following(&[start], *n)?);
            }
        }
        splits.push(all);
    }
    let values: Vec<&Tensor> = rows.iter().filter_map(|row| row.values.as_ref()).collect();
    Ok(Row {
        values: Some(joined(&values, specs.first())?),
        splits,
        dtype: rows.iter().find_map(|row| row.dtype),
    })
}

/// The last of these splits and so many more.
fn following(splits: &[i64], n: i64) -> Result<i64> {
    let last = splits.last().copied().unwrap_or(0);
    last.checked_add(n)
        .ok_or_else(|| damaged("it has too many rows"))
}

/// How many rows a stack without values may have.
const MOST_EMPTY: usize = 1 << 16;

/// The splits of all but the last of these axes of a stack of `n` rows, along which all have the size of the next.
fn uniform(outer: &[usize], n: usize) -> Result<Vec<Vec<i64>>> {
    let mut all = Vec::new();
    let mut n_rows = 1usize;
    for (i, &size) in outer.iter().enumerate() {
        let product = n_rows.checked_mul(size).filter(|p| *p <= n.max(MOST_EMPTY));
        let product = product.ok_or_else(|| damaged("it has too many rows"))?;
        if i > 0 {
            all.push((0..=n_rows).map(|row| (row * size) as i64).collect());
        }
        n_rows = product;
    }
    Ok(all)
}

/// Tensors one behind the other along their first axis; of that type where there are none.
fn joined(all: &[&Tensor], expected: Option<&TensorSpec>) -> Result<Tensor> {
    let Some(first) = all.first() else {
        return nothing(expected);
    };
    let inner = |t: &Tensor| t.shape().get(1..).map(<[usize]>::to_vec);
    let Some(row) = inner(first) else {
        return Err(damaged("a row of it is a scalar"));
    };
    let mut n_rows = 0usize;
    for t in all {
        if t.dtype() != first.dtype() || inner(t).as_ref() != Some(&row) {
            return Err(damaged("its rows have different types"));
        }
        n_rows = n_rows.saturating_add(t.shape()[0]);
    }
    let shape = Shape::new(&[&[n_rows], &row[..]].concat());
    if first.dtype() == DType::String {
        let mut texts: Vec<Bytes> = vec_for(shape.checked_count()?)?;
        for t in all {
            texts.extend_from_slice(t.as_strings()?);
        }
        return Tensor::from_strings(shape, texts);
    }
    let mut made = Tensor::empty(first.dtype(), shape)?;
    let mut room = made.bytes_mut().unwrap_or_default();
    for t in all {
        let (own, rest) = room.split_at_mut(t.bytes().len());
        own.copy_from_slice(t.bytes());
        room = rest;
    }
    Ok(made)
}

/// A tensor of that type without rows.
fn nothing(expected: Option<&TensorSpec>) -> Result<Tensor> {
    let Some(spec) = expected else {
        bail!(
            Unimplemented,
            "is a stack of nothing, whose type is not known"
        );
    };
    let size = |dim: &Dim| dim.known().unwrap_or(0);
    let mut dims: Vec<usize> = spec.shape.dims().unwrap_or(&[]).iter().map(size).collect();
    match dims.first_mut() {
        Some(first) => *first = 0,
        None => dims.push(0),
    }
    Tensor::zeros(spec.dtype, Shape::new(&dims))
}

/// Reads a sparse tensor: its indices, values and dense shape.
pub(super) fn read_sparse(
    message: &StoredTensor<'_>,
    specs: &[TensorSpec],
    to: &mut Tensors,
) -> Result<()> {
    let all = variants_of(message, TENSOR)?;
    let Some((3, outer)) = message.shape().split_last().map(|(n, outer)| (*n, outer)) else {
        return Err(damaged("a sparse tensor is three tensors"));
    };
    let mut parts = Vec::new();
    for triple in all.as_chunks::<3>().0 {
        parts.push(Sparse::of(triple)?);
    }
    let whole = match &mut parts[..] {
        [one] if outer.is_empty() => std::mem::take(one),
        parts => stacked_sparse(outer, parts, specs)?,
    };
    let (n, rank) = (whole.n(), whole.shape.len());
    to.push(Tensor::from_slice([n, rank], &whole.indices)?);
    to.push(match whole.values {
        Some(values) => values,
        None => return Err(damaged("it has no values")),
    });
    to.push(Tensor::vector(&whole.shape)?);
    Ok(())
}

/// A sparse tensor: the indices of its values in the order of the axes, one after the other.
#[derive(Default)]
struct Sparse {
    indices: Vec<i64>,
    values: Option<Tensor>,
    shape: Vec<i64>,
}

impl Sparse {
    fn of(triple: &[StoredVariant<'_>; 3]) -> Result<Sparse> {
        let part = |one: &StoredVariant<'_>| match one.tensors[..] {
            [tensor] => tensor_of(tensor),
            _ => Err(damaged("a tensor is not one")),
        };
        let [indices, values, shape] = triple;
        let (indices, values, shape) = (part(indices)?, part(values)?, part(shape)?);
        let of_int64 = indices.dtype() == DType::Int64 && shape.dtype() == DType::Int64;
        let expected = [values.n_elements(), shape.n_elements()];
        if !of_int64 || values.rank() != 1 || shape.rank() != 1 || indices.shape()[..] != expected {
            return Err(damaged("its tensors do not fit each other"));
        }
        Ok(Sparse {
            indices: indices.to_i64s()?,
            values: Some(values),
            shape: shape.to_i64s()?,
        })
    }

    /// How many values it has.
    fn n(&self) -> usize {
        self.values.as_ref().map_or(0, Tensor::n_elements)
    }
}

/// Sparse tensors as one, whose first axes have these sizes.
fn stacked_sparse(outer: &[usize], parts: &[Sparse], specs: &[TensorSpec]) -> Result<Sparse> {
    let own = parts.first().map_or(0, |part| part.shape.len());
    let known = specs
        .get(2)
        .and_then(|spec| spec.shape.dims()?.first()?.known());
    let rank = match parts.is_empty() {
        true => known.unwrap_or(outer.len()).max(outer.len()),
        false => outer.len() + own,
    };
    let mut shape: Vec<i64> = outer.iter().map(|&n| n as i64).collect();
    shape.resize(rank, 0);
    let mut indices = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        if part.shape.len() != own {
            return Err(damaged("its rows have different ranks"));
        }
        for (size, n) in shape[outer.len()..].iter_mut().zip(&part.shape) {
            *size = (*size).max(*n);
        }
        let place = place(i, outer);
        for row in 0..part.n() {
            indices.extend_from_slice(&place);
            indices.extend_from_slice(&part.indices[row * own..(row + 1) * own]);
        }
    }
    let values: Vec<&Tensor> = parts
        .iter()
        .filter_map(|part| part.values.as_ref())
        .collect();
    Ok(Sparse {
        indices,
        values: Some(joined(&values, specs.get(1))?),
        shape,
    })
}

/// The index along each of these axes of the element of that number.
fn place(number: usize, sizes: &[usize]) -> Vec<i64> {
    let (mut rest, mut all) = (number, vec![0; sizes.len()]);
    for (to, size) in all.iter_mut().zip(sizes).rev() {
        *to = (rest % size) as i64;
        rest /= size;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(all: &[i64]) -> Tensor {
        Tensor::vector(all).unwrap()
    }

    fn row(values: &Tensor, splits: &[&[i64]]) -> Vec<u8> {
        let parts = splits.iter().map(|s| vector(s)).chain([values.clone()]);
        let parts: Vec<_> = parts.map(|t| message_of(&t).unwrap()).collect();
        variant_message(RAGGED, &[], &parts)
    }

    fn ragged(shape: &[usize], rows: &[Vec<u8>], rank: usize) -> Result<Vec<Vec<i64>>> {
        let mut message = Vec::new();
        put_variants(shape, rows, &mut message);
        let specs = vec![
            TensorSpec::new(DType::Int64, [None].into_iter().map(Dim::from).collect());
            rank + 1
        ];
        let mut found = Tensors::new();
        read_ragged(&StoredTensor::read(&message)?, rank, &specs, &mut found)?;
        found.iter().map(Tensor::to_i64s).collect()
    }

    #[test]
    fn rows_are_stacked() {
        let (one, two) = (row(&vector(&[1, 2]), &[]), row(&vector(&[3]), &[]));
        let flat = ragged(&[2], &[one.clone(), two.clone()], 1).unwrap();
        assert_eq!(flat, [vec![1, 2, 3], vec![0, 2, 3]]);
        let square = [one.clone(), two.clone(), two.clone(), one];
        let found = ragged(&[2, 2], &square, 2).unwrap();
        let expected = [vec![1, 2, 3, 3, 1, 2], vec![0, 2, 4], vec![0, 2, 3, 4, 6]];
        assert_eq!(found, expected);
        let whole = row(&vector(&[5, 6, 7]), &[&[0, 1, 3]]);
        let expected = [vec![5, 6, 7], vec![0, 1, 3]];
        assert_eq!(
            ragged(&[], std::slice::from_ref(&whole), 1).unwrap(),
            expected
        );
        let found = ragged(&[2], &[whole.clone(), whole], 2).unwrap();
        let expected = [vec![5, 6, 7, 5, 6, 7], vec![0, 2, 4], vec![0, 1, 3, 4, 6]];
        assert_eq!(found, expected);
        assert_eq!(ragged(&[0], &[], 1).unwrap(), [vec![], vec![0]]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let values = vector(&[1, 2]);
        for splits in [
            &[0i64, 1][..],
            &[1, 2],
            &[0, 2, 1, 2],
            &[],
            &[0, 3],
            &[0, -1, 2],
        ] {
            assert!(
                ragged(&[], &[row(&values, &[splits])], 1).is_err(),
                "{splits:?}"
            );
        }
        let scalar = Tensor::scalar(1i64).unwrap();
        assert!(ragged(&[1], &[row(&scalar, &[])], 1).is_err());
        assert!(ragged(&[1], &[row(&values, &[])], 2).is_err());
        assert!(ragged(&[1, 1], &[row(&values, &[])], 1).is_err());
        assert!(ragged(&[1 << 40, 0], &[], 2).is_err());
        assert!(ragged(&[2, 1 << 63, 0], &[], 3).is_err());
    }

    #[test]
    fn sparse_rows_are_stacked() {
        let texts = |all: &[&str]| {
            let all: Vec<Bytes> = all.iter().map(|t| Bytes::from(t.as_bytes())).collect();
            Tensor::from_strings(Shape::from([all.len()]), all).unwrap()
        };
        let triple = |indices: &[i64], values: &[&str], size: i64| {
            let indices = Tensor::from_slice([values.len(), 1], indices).unwrap();
            [indices, texts(values), vector(&[size])]
        };
        let (one, two) = (triple(&[0], &["a"], 2), triple(&[1, 2], &["b", "c"], 3));
        let variant = |t: &Tensor| variant_message(TENSOR, &[], &[message_of(t).unwrap()]);
        let all: Vec<_> = one.iter().chain(&two).map(variant).collect();
        let mut message = Vec::new();
        put_variants(&[2, 3], &all, &mut message);
        let mut found = Tensors::new();
        read_sparse(&StoredTensor::read(&message).unwrap(), &[], &mut found).unwrap();
        assert_eq!(found[0].shape()[..], [3, 2]);
        assert_eq!(found[0].to_i64s().unwrap(), [0, 0, 1, 1, 1, 2]);
        assert_eq!(&*found[1].as_strings().unwrap()[2], b"c");
        assert_eq!(found[2].to_i64s().unwrap(), [2, 3]);
        put_variants(&[2], &all[..2], &mut message);
        assert!(read_sparse(&StoredTensor::read(&message[..]).unwrap(), &[], &mut found).is_err());
    }
}
