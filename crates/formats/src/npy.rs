//! Arrays in the layout of `.npy` files: a head that tells dtype, order and dimensions, then the elements.
//!
//! Numbers of either byte order, bools, bytes (`S`) and text (`U`) are read, text as UTF-8. Written are numbers, bools and
//! strings, these as bytes; a two-byte `V` is `bfloat16`, as `ml_dtypes` writes it. Objects are refused: they are pickles.

use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, bail, checked_bytes, err, vec_for};
use std::fmt::Write;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The head is filled up so that the elements begin at a multiple of this.
const ALIGN: usize = 64;

/// The type of the elements of a file.
struct Layout {
    dtype: DType,
    /// The bytes of an element.
    size: usize,
    /// Whether they are in the other byte order.
    swapped: bool,
    /// Whether strings are text of four bytes a character.
    is_text: bool,
}

/// The head of a file.
struct Head {
    layout: Layout,
    columns_first: bool,
    dims: Vec<usize>,
}

/// The array in the bytes of a file.
///
/// # Errors
/// `DataLoss` for bytes that are no such file, `Unimplemented` for elements that no tensor has, `ResourceExhausted` for
/// more elements than there is memory for.
pub fn read(file: &[u8]) -> Result<Tensor> {
    let (head, elements) = parts(file)?;
    let head = parse(head)?;
    let shape: Shape = head.dims.iter().copied().collect();
    let count = shape.checked_count()?;
    if checked_bytes(count, head.layout.size)? != elements.len() {
        bail!(
            DataLoss,
            "an array of shape {shape} and {} bytes an element has other than {} bytes",
            head.layout.size,
            elements.len()
        );
    }
    let is_turned = head.columns_first && head.dims.len() > 1;
    let places = is_turned.then(|| columns_first(&head.dims, count));
    let places = places.transpose()?;
    if head.layout.dtype == DType::String {
        return strings(&head.layout, shape, count, elements, places.as_deref());
    }
    let mut tensor = Tensor::empty(head.layout.dtype, shape)?;
    let Some(to) = tensor.bytes_mut() else {
        bail!(Internal, "a new tensor is shared");
    };
    let size = head.layout.size;
    match &places {
        None => to.copy_from_slice(elements),
        Some(places) => {
            for (to, &from) in to.chunks_exact_mut(size).zip(places) {
                to.copy_from_slice(&elements[from * size..][..size]);
            }
        }
    }
    if head.layout.swapped {
        let unit = if head.layout.dtype.is_complex() {
            size / 2
        } else {
            size
        };
        to.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
    if head.layout.dtype == DType::Bool {
        to.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    Ok(tensor)
}

/// The text of the head, and the elements.
fn parts(file: &[u8]) -> Result<(&str, &[u8])> {
    let damaged = || err!(DataLoss, "this is no .npy file, or not all of one");
    let rest = file.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let (&[major, _], rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (length, rest) = match major {
        1 => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
            let length = usize::try_from(u32::from_le_bytes(*length));
            (length.map_err(|_| damaged())?, rest)
        }
        other => bail!(Unimplemented, ".npy files of version {other} are not read"),
    };
    let (head, elements) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let head = std::str::from_utf8(head).map_err(|_| damaged())?;
    Ok((head, elements))
}

/// The text behind a key of the head's dictionary.
fn field<'a>(head: &'a str, key: &str) -> Result<&'a str> {
    let quoted = [format!("'{key}':"), format!("\"{key}\":")];
    let found = quoted.iter().find_map(|k| head.split_once(k.as_str()));
    let (_, value) = found.ok_or_else(|| err!(DataLoss, "the head of the array has no {key}"))?;
    Ok(value.trim_start())
}

fn parse(head: &str) -> Result<Head> {
    let descr = field(head, "descr")?;
    let quote = descr.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        bail!(
            Unimplemented,
            "arrays whose elements have fields are not read"
        );
    };
    let descr = descr[1..].split(quote).next().unwrap_or_default();
    let order = field(head, "fortran_order")?;
    let columns_first = order.starts_with("True");
    if !columns_first && !order.starts_with("False") {
        bail!(DataLoss, "the head of the array has no order");
    }
    let dims = field(head, "shape")?.strip_prefix('(');
    let dims = dims.and_then(|d| d.split_once(')')).map(|(d, _)| d);
    let dims = dims.ok_or_else(|| err!(DataLoss, "the head of the array has no shape"))?;
    let dims = dims.split(',').map(|d| d.trim().trim_end_matches('L'));
    let dims = dims.filter(|d| !d.is_empty()).map(|d| {
        d.parse()
            .map_err(|_| err!(DataLoss, "the head of the array has a dimension {d:?}"))
    });
    Ok(Head {
        layout: layout(descr)?,
        columns_first,
        dims: dims.collect::<Result<_>>()?,
    })
}

/// The type that a description such as `<f4` names.
fn layout(descr: &str) -> Result<Layout> {
    let unknown = || {
        err!(
            Unimplemented,
            "arrays of {descr:?} are not read: numbers, bools and strings are"
        )
    };
    let (order, rest) = match descr.as_bytes().first() {
        Some(b'<' | b'>' | b'|' | b'=') => descr.split_at(1),
        _ => ("=", descr),
    };
    let kind = rest.chars().next().ok_or_else(unknown)?;
    let size: usize = rest[kind.len_utf8()..].parse().map_err(|_| unknown())?;
    let dtype = match (kind, size) {
        ('b', 1) => DType::Bool,
        ('i', 1) => DType::Int8,
        ('i', 2) => DType::Int16,
        ('i', 4) => DType::Int32,
        ('i', 8) => DType::Int64,
        ('u', 1) => DType::UInt8,
        ('u', 2) => DType::UInt16,
        ('u', 4) => DType::UInt32,
        ('u', 8) => DType::UInt64,
        ('f', 2) => DType::Float16,
        ('V', 2) => DType::BFloat16,
        ('f', 4) => DType::Float32,
        ('f', 8) => DType::Float64,
        ('c', 8) => DType::Complex64,
        ('c', 16) => DType::Complex128,
        ('S' | 'U', _) => DType::String,
        _ => return Err(unknown()),
    };
    let is_text = kind == 'U';
    let size = if is_text {
        size.checked_mul(4).ok_or_else(unknown)?
    } else {
        size
    };
    let is_big = order == ">";
    Ok(Layout {
        dtype,
        size,
        swapped: is_big != cfg!(target_endian = "big") && matches!(order, "<" | ">"),
        is_text,
    })
}

/// Where the elements are of an array whose columns come one after the other, row by row.
fn columns_first(dims: &[usize], count: usize) -> Result<Vec<usize>> {
    let mut strides = Vec::with_capacity(dims.len());
    let mut step = 1usize;
    for &dim in dims {
        strides.push(step);
        step = step.saturating_mul(dim);
    }
    let mut places = vec_for(count)?;
    let mut index = vec![0; dims.len()];
    let mut at = 0;
    for _ in 0..count {
        places.push(at);
        for axis in (0..dims.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < dims[axis] {
                break;
            }
            at -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
    Ok(places)
}

fn strings(
    layout: &Layout,
    shape: Shape,
    count: usize,
    elements: &[u8],
    places: Option<&[usize]>,
) -> Result<Tensor> {
    let mut all: Vec<Bytes> = vec_for(count)?;
    for i in 0..count {
        let at = places.map_or(i, |p| p[i]) * layout.size;
        let element = &elements[at..at + layout.size];
        all.push(match layout.is_text {
            true => text(element, layout.swapped)?,
            false => Bytes::from(without_filling(element)),
        });
    }
    Tensor::from_strings(shape, all)
}

/// The UTF-8 of text of four bytes a character, up to the zeros that fill it up.
fn text(element: &[u8], swapped: bool) -> Result<Bytes> {
    let code = |c: &[u8]| {
        let code = c.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b));
        if swapped { code.swap_bytes() } else { code }
    };
    let mut codes: Vec<u32> = element.chunks_exact(4).map(code).collect();
    while codes.last() == Some(&0) {
        codes.pop();
    }
    let chars = codes.into_iter().map(char::from_u32);
    let text = chars.collect::<Option<String>>();
    let text = text.ok_or_else(|| err!(DataLoss, "an array of text holds no text"))?;
    Ok(Bytes::from(text.into_bytes()))
}

/// A string of a fixed length without the zeros that fill it up.
fn without_filling(element: &[u8]) -> &[u8] {
    let end = element.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
    &element[..end]
}

/// The bytes of a file that holds an array.
///
/// # Errors
/// `Unimplemented` for resources and variants, `InvalidArgument` for a string that ends in a zero, which such a file
/// cannot hold.
pub fn write(tensor: &Tensor) -> Result<Vec<u8>> {
    let (descr, size) = description(tensor)?;
    let mut dims = String::new();
    for dim in tensor.shape().dims() {
        // Writing to a string does not fail.
        let _ = write!(dims, "{dim}, ");
    }
    if tensor.rank() > 1 {
        dims.truncate(dims.len() - 2);
    } else {
        dims.truncate(dims.trim_end().len());
    }
    let mut head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    let before = MAGIC.len() + 4;
    let filled = (before + head.len() + 1).next_multiple_of(ALIGN);
    head.extend(std::iter::repeat_n(' ', filled - before - head.len() - 1));
    head.push('\n');
    let length = u16::try_from(head.len())
        .map_err(|_| err!(InvalidArgument, "an array of {} dimensions", tensor.rank()))?;
    let count = checked_bytes(tensor.n_elements(), size)?;
    let mut file = vec_for(filled + count)?;
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(head.as_bytes());
    match tensor.dtype() {
        DType::String => {
            for element in tensor.as_strings()? {
                file.extend_from_slice(element);
                file.extend(std::iter::repeat_n(0, size - element.len()));
            }
        }
        _ => file.extend_from_slice(tensor.bytes()),
    }
    Ok(file)
}

/// How the elements are described, and the bytes of each.
fn description(tensor: &Tensor) -> Result<(String, usize)> {
    let dtype = tensor.dtype();
    let order = if cfg!(target_endian = "big") {
        '>'
    } else {
        '<'
    };
    let kind = match dtype {
        DType::Bool => return Ok(("|b1".into(), 1)),
        DType::String => {
            let all = tensor.as_strings()?;
            if all.iter().any(|s| s.last() == Some(&0)) {
                bail!(
                    InvalidArgument,
                    "a string that ends in a zero byte cannot be written to a .npy file, which fills strings up with them"
                );
            }
            let size = all.iter().map(|s| s.len()).max().unwrap_or(0).max(1);
            return Ok((format!("|S{size}"), size));
        }
        DType::Resource | DType::Variant => {
            bail!(Unimplemented, "a {dtype} can't be written to a .npy file")
        }
        d if d.float8().is_some() => {
            bail!(
                Unimplemented,
                "a .npy file has no form of {d}: cast to float32 first"
            )
        }
        DType::BFloat16 => 'V',
        d if d.is_floating() => 'f',
        d if d.is_complex() => 'c',
        d if d.is_unsigned() => 'u',
        _ => 'i',
    };
    let size = dtype.size();
    let order = if size == 1 { '|' } else { order };
    Ok((format!("{order}{kind}{size}"), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::ErrorKind;

    fn file(head: &str, elements: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend(u16::try_from(head.len()).unwrap().to_le_bytes());
        file.extend(head.as_bytes());
        file.extend(elements);
        file
    }

    #[test]
    fn what_is_written_is_read() {
        let numbers = Tensor::from_slice([2, 3], &[1.5f32, -2.0, 0.0, 4.0, 5.0, f32::MIN]).unwrap();
        let flags = Tensor::vector(&[true, false]).unwrap();
        let one = Tensor::scalar(7i64).unwrap();
        let none = Tensor::from_slice([0, 4], &[0u16; 0]).unwrap();
        for tensor in [numbers, flags, one, none] {
            let file = write(&tensor).unwrap();
            let again = read(&file).unwrap();
            assert_eq!(
                (again.spec(), again.bytes()),
                (tensor.spec(), tensor.bytes())
            );
            assert_eq!((file.len() - tensor.bytes().len()) % ALIGN, 0);
        }
        let words = ["a".as_bytes(), b"", "é".as_bytes()].map(Bytes::from);
        let words = Tensor::from_strings([3].into(), words.to_vec()).unwrap();
        let again = read(&write(&words).unwrap()).unwrap();
        assert_eq!(again.as_strings().unwrap(), words.as_strings().unwrap());
    }

    #[test]
    fn other_orders_are_read() {
        let head = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
        let found = read(&file(head, &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6])).unwrap();
        assert_eq!(found.as_slice::<i16>().unwrap(), [1, 2, 3, 4, 5, 6]);
        let head = "{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }";
        let found = read(&file(head, &[0xE9, 0, 0, 0, 0, 0, 0, 0])).unwrap();
        assert_eq!(&*found.as_strings().unwrap()[0], "é".as_bytes());
        let head = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }";
        assert_eq!(
            read(&file(head, &[7, 0]))
                .unwrap()
                .as_slice::<bool>()
                .unwrap(),
            [true, false]
        );
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let kind = |head: &str| read(&file(head, &[0; 8])).unwrap_err().kind();
        let of = |descr: &str, shape: &str| {
            kind(&format!(
                "{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
            ))
        };
        assert_eq!(of("'|O'", "(1,)"), ErrorKind::Unimplemented);
        assert_eq!(of("[('a', '<f4')]", "(1,)"), ErrorKind::Unimplemented);
        assert_eq!(of("'<f4'", "(3,)"), ErrorKind::DataLoss);
        assert_eq!(of("'<f4'", "(-3,)"), ErrorKind::DataLoss);
        assert_eq!(
            of("'<f4'", "(99999999999999999, 99999)"),
            ErrorKind::ResourceExhausted
        );
        assert_eq!(kind(""), ErrorKind::DataLoss);
        let whole = write(&Tensor::vector(&[1i32, 2]).unwrap()).unwrap();
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        let ends_in_zero = vec![Bytes::from(&b"a\0"[..])];
        assert!(write(&Tensor::from_strings([1].into(), ends_in_zero).unwrap()).is_err());
    }
}
