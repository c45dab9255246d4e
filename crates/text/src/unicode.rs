//! Operations on the characters of strings.

use crate::encoding::{Encoding, Errors, Policy, Written};
use crate::splits;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::text::{made, map_strings};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, string_of};
use smallvec::smallvec;

declare! {
    trait EmitUnicode;

    /// The code points of each of `input`, in its rows one after another, and where each row ends.
    UnicodeDecode: unicode_decode(input: string)
        -> (row_splits: Tsplits in index, char_values: int32), gradient Stops {
        /// How they are encoded.
        input_encoding: String,
        /// What becomes of bytes that are no character.
        errors: Errors = Errors::Replace,
        /// The code point that takes their place.
        replacement_char: i64 = 65533,
        /// Whether control characters are replaced too.
        replace_control_characters: bool = false,
        /// The dtype of the row splits.
        tsplits as "Tsplits": DType = DType::Int64,
    };

    /// As `UnicodeDecode`, and the byte at which each character starts.
    UnicodeDecodeWithOffsets: unicode_decode_with_offsets(input: string)
        -> (row_splits: Tsplits in index, char_values: int32, char_to_byte_starts: int64), gradient Stops {
        /// How they are encoded.
        input_encoding: String,
        /// What becomes of bytes that are no character.
        errors: Errors = Errors::Replace,
        /// The code point that takes their place.
        replacement_char: i64 = 65533,
        /// Whether control characters are replaced too.
        replace_control_characters: bool = false,
        /// The dtype of the row splits.
        tsplits as "Tsplits": DType = DType::Int64,
    };

    /// A string for each row of code points.
    UnicodeEncode: unicode_encode(input_values: int32, input_splits: Tsplits in index rank 1)
        -> (output: string), gradient Stops {
        /// What becomes of numbers that are no character.
        errors: Errors = Errors::Replace,
        /// How strings are encoded.
        output_encoding: Written,
        /// The code point that takes their place.
        replacement_char: i64 = 65533,
    };

    /// Each of `input` in another encoding.
    UnicodeTranscode: unicode_transcode(input: string) -> (output: string like input), gradient Stops, batch Broadcasts {
        /// How they are encoded.
        input_encoding: String,
        /// How they are to be encoded.
        output_encoding: Written,
        /// What becomes of bytes that are no character.
        errors: Errors = Errors::Replace,
        /// The code point that takes their place.
        replacement_char: i64 = 65533,
        /// Whether control characters are replaced too.
        replace_control_characters: bool = false,
    };
}

const WRONG: &str = "Invalid formatting on input string";

/// Calls `f` with each character that is kept, and the byte at which it starts.
fn each_char(
    text: &[u8],
    encoding: Encoding,
    policy: Policy,
    mut f: impl FnMut(char, usize),
) -> Result<()> {
    let mut at = 0;
    while at < text.len() {
        poll_cancellation();
        let (read, n) = encoding.first(&text[at..]);
        if let Some(c) = policy.apply(read, WRONG)? {
            f(c, at);
        }
        at += n.max(1);
    }
    Ok(())
}

/// The characters of strings: where rows end, code points, and the bytes at which they start.
struct Decoded {
    ends: Vec<i64>,
    points: Vec<i32>,
    starts: Vec<i64>,
}

fn decoded(strings: &Tensor, encoding: &str, policy: Policy) -> Result<Decoded> {
    let encoding = Encoding::named(encoding)?;
    let mut all = Decoded {
        ends: vec![0],
        points: Vec::new(),
        starts: Vec::new(),
    };
    for text in strings.as_strings()? {
        poll_cancellation();
        each_char(text, encoding, policy, |c, at| {
            push(&mut all.points, u32::from(c).cast_signed());
            push(&mut all.starts, at as i64);
        })?;
        push(&mut all.ends, all.points.len() as i64);
    }
    Ok(all)
}

/// The specs of row splits, code points and starts.
fn decoded_specs(inputs: &Inputs<'_>, tsplits: DType) -> [TensorSpec; 3] {
    let rows = inputs.shape(0).n_elements().map(|n| n + 1);
    let vector = |dtype, n: Dim| TensorSpec::new(dtype, PartialShape::new(&[n]));
    [
        vector(tsplits, Dim::from(rows)),
        vector(DType::Int32, Dim::UNKNOWN),
        vector(DType::Int64, Dim::UNKNOWN),
    ]
}

impl Op for UnicodeDecode {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let [rows, points, _] = decoded_specs(inputs, self.tsplits);
        Ok(smallvec![rows, points])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let controls = self.replace_control_characters;
        let policy = Policy::new(self.errors, self.replacement_char, controls)?;
        let all = decoded(&inputs[0], &self.input_encoding, policy)?;
        Ok(smallvec![
            splits(self.tsplits, &all.ends)?,
            Tensor::vector(&all.points)?
        ])
    }
}

impl Op for UnicodeDecodeWithOffsets {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(decoded_specs(inputs, self.tsplits).into_iter().collect())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let controls = self.replace_control_characters;
        let policy = Policy::new(self.errors, self.replacement_char, controls)?;
        let all = decoded(&inputs[0], &self.input_encoding, policy)?;
        Ok(smallvec![
            splits(self.tsplits, &all.ends)?,
            Tensor::vector(&all.points)?,
            Tensor::vector(&all.starts)?
        ])
    }
}

impl Op for UnicodeEncode {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let rows = inputs.shape(1).dims().and_then(|d| d[0].known());
        if rows == Some(0) {
            bail!(Shape, "input_splits must have one element at least");
        }
        let shape = PartialShape::new(&[Dim::from(rows.map(|n| n - 1))]);
        Ok(smallvec![TensorSpec::new(DType::String, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let policy = Policy::new(self.errors, self.replacement_char, false)?;
        let points = inputs[0].as_slice::<i32>()?;
        let ends = inputs[1].to_i64s()?;
        let rows = ends.windows(2).map(|w| {
            let row = usize::try_from(w[0]).ok().zip(usize::try_from(w[1]).ok());
            let row = row.and_then(|(from, to)| points.get(from..to));
            let Some(row) = row else {
                bail!(
                    InvalidArgument,
                    "input_splits must rise from 0 to the {} values, got {} before {}",
                    points.len(),
                    w[0],
                    w[1]
                );
            };
            string_of(&encoded(row, self.output_encoding, policy)?)
        });
        let strings = made(rows)?;
        if ends.first() != Some(&0) || ends.last() != Some(&(points.len() as i64)) {
            bail!(
                InvalidArgument,
                "input_splits must begin with 0 and end with the number of values, {}",
                points.len()
            );
        }
        Ok(smallvec![Tensor::from_strings(
            [strings.len()].into(),
            strings
        )?])
    }
}

fn encoded(points: &[i32], to: Written, policy: Policy) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for &point in points {
        poll_cancellation();
        let c = u32::try_from(point).ok().and_then(char::from_u32);
        let c = policy.apply(
            c,
            "Code point is out of range for Unicode, or is a surrogate.",
        )?;
        if let Some(c) = c {
            ferrograph_kernels::scratch::reserve(&mut out, 4);
            to.write(c, &mut out);
        }
    }
    Ok(out)
}

impl Op for UnicodeTranscode {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let controls = self.replace_control_characters;
        let policy = Policy::new(self.errors, self.replacement_char, controls)?;
        let encoding = Encoding::named(&self.input_encoding)?;
        let transcode = |text: &[u8]| {
            let mut out = Vec::new();
            each_char(text, encoding, policy, |c, _| {
                ferrograph_kernels::scratch::reserve(&mut out, 4);
                self.output_encoding.write(c, &mut out);
            })?;
            string_of(&out)
        };
        Ok(smallvec![map_strings(&inputs[0], transcode)?])
    }
}
