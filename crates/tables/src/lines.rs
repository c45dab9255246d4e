//! Keys and values in the lines of text files.

use ferrograph_formats::files::failed;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, Result, Tensor, bail, err};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What of a line a key or value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// All of it.
    Line,
    /// Its number, from an offset.
    Number(i64),
    /// A part between delimiters.
    Column(usize),
}

impl Field {
    /// The field of that public number: -2 is the whole line, -1 its number, others are columns.
    ///
    /// # Errors
    /// `InvalidArgument` for a number below these.
    pub fn of(index: i64, offset: i64) -> Result<Field> {
        match index {
            -2 => Ok(Field::Line),
            -1 => Ok(Field::Number(offset)),
            _ => usize::try_from(index)
                .map(Field::Column)
                .map_err(|_| err!(InvalidArgument, "{index} names no field of a line")),
        }
    }

    /// Its bytes in a line.
    fn of_line<'a>(self, line: &Line<'a>) -> Option<std::borrow::Cow<'a, [u8]>> {
        match self {
            Field::Line => Some(line.text.into()),
            Field::Number(offset) => {
                let number = offset.wrapping_add(i64::try_from(line.number).unwrap_or(i64::MAX));
                Some(number.to_string().into_bytes().into())
            }
            Field::Column(i) => line.column(i).map(Into::into),
        }
    }
}

/// A line of a file.
pub(crate) struct Line<'a> {
    text: &'a [u8],
    number: usize,
    delimiter: u8,
}

impl<'a> Line<'a> {
    fn columns(&self) -> impl Iterator<Item = &'a [u8]> {
        let delimiter = self.delimiter;
        self.text.split(move |&b| b == delimiter)
    }

    fn column(&self, i: usize) -> Option<&'a [u8]> {
        self.columns().nth(i)
    }

    /// That field as a scalar of that dtype.
    ///
    /// # Errors
    /// `InvalidArgument` where it is not there, or no such number.
    pub fn value(&self, field: Field, dtype: DType, path: &Path) -> Result<Tensor> {
        let Some(text) = field.of_line(self) else {
            let Field::Column(i) = field else {
                bail!(Internal, "a line without itself");
            };
            bail!(
                InvalidArgument,
                "Invalid number of columns in {} line {} ({}) : expected at least {} got {}",
                path.display(),
                self.number,
                String::from_utf8_lossy(self.text),
                i + 1,
                self.columns().count()
            );
        };
        parsed(&text, dtype).unwrap_or_else(|| {
            bail!(
                InvalidArgument,
                "Field {} in line {} is not a valid {dtype}.",
                String::from_utf8_lossy(&text),
                self.number
            )
        })
    }
}

/// The scalar that a text spells.
fn parsed(text: &[u8], dtype: DType) -> Option<Result<Tensor>> {
    if dtype == DType::String {
        let text = Bytes::from(text);
        return Some(Tensor::from_strings(
            [0usize; 0].into_iter().collect(),
            vec![text],
        ));
    }
    let text = std::str::from_utf8(text).ok()?.trim();
    match dtype {
        DType::Int32 => text.parse::<i32>().ok().map(Tensor::scalar),
        DType::Int64 => text.parse::<i64>().ok().map(Tensor::scalar),
        DType::Float32 => text.parse::<f32>().ok().map(Tensor::scalar),
        DType::Float64 => text.parse::<f64>().ok().map(Tensor::scalar),
        _ => Some(Err(err!(
            InvalidArgument,
            "lines are read as strings, int32, int64, float32 and float64, not as {dtype}"
        ))),
    }
}

/// Calls `each` with the lines of a file, `most` of them where that is given; there have to be as many.
///
/// # Errors
/// What is wrong with the file, a line of it, or what `each` refuses.
pub(crate) fn each_line(
    path: &Path,
    delimiter: u8,
    most: Option<usize>,
    mut each: impl FnMut(&Line<'_>) -> Result<()>,
) -> Result<()> {
    let mut file = BufReader::new(File::open(path).map_err(|e| failed(path, &e))?);
    let (mut number, mut read, mut buffer) = (0, 0, Vec::new());
    while most.is_none_or(|most| number < most) {
        poll_cancellation();
        buffer.clear();
        let n = file.read_until(b'\n', &mut buffer);
        let n = n.map_err(|e| failed(path, &e))?;
        if n == 0 {
            break;
        }
        read += n;
        let text = ended(&buffer);
        if text.is_empty() {
            bail!(
                InvalidArgument,
                "Invalid content in {}: empty line found at position {read}.",
                path.display()
            );
        }
        each(&Line {
            text,
            number,
            delimiter,
        })?;
        number += 1;
    }
    match most {
        None if number == 0 => bail!(OutOfRange, "{} has no lines", path.display()),
        Some(most) if number < most => bail!(
            InvalidArgument,
            "Invalid vocab_size in {}: expected {most} but got {number}",
            path.display()
        ),
        _ => Ok(()),
    }
}

/// A line without its end.
fn ended(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
