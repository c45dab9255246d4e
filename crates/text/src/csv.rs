//! Lines of comma-separated values, RFC 4180.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, Element, Result, Shape, Tensor, TensorSpec, bail, err};
use std::str::FromStr;

declare! {
    trait EmitCsv;

    /// A column for each of `record_defaults` out of the fields of each of `records`; an empty field takes the default,
    /// and is refused where that is empty.
    DecodeCSV: decode_csv(records: string, record_defaults: [OUT_TYPE]) -> (output: [OUT_TYPE]), gradient Stops {
        /// What stands between fields: one byte.
        field_delim: String = ",".to_owned(),
        /// Whether quotes enclose fields.
        use_quote_delim: bool = true,
        /// What is a missing field besides nothing.
        na_value: String = String::new(),
        /// The numbers of the fields that are taken, in order; all where empty.
        select_cols: Vec<i64> = Vec::new(),
    };
}

impl DecodeCSV {
    fn delimiter(&self) -> Result<u8> {
        match self.field_delim.as_bytes() {
            [b'"' | b'\n' | b'\r'] => bail!(
                InvalidArgument,
                "field_delim cannot be {:?}",
                self.field_delim
            ),
            [one] => Ok(*one),
            _ => bail!(
                InvalidArgument,
                "field_delim should be only 1 char, got {:?}",
                self.field_delim
            ),
        }
    }

    /// The fields of a record.
    fn fields(&self, record: &[u8]) -> Result<Vec<Vec<u8>>> {
        let delimiter = self.delimiter()?;
        let mut fields = Vec::new();
        let mut rest = Some(record).filter(|r| !r.is_empty());
        while let Some(text) = rest {
            poll_cancellation();
            let quoted = self.use_quote_delim && text.first() == Some(&b'"');
            let (field, behind) = match quoted {
                true => quoted_field(text, delimiter)?,
                false => self.plain_field(text, delimiter)?,
            };
            push(&mut fields, field);
            rest = behind;
        }
        Ok(fields)
    }

    fn plain_field<'a>(&self, text: &'a [u8], delimiter: u8) -> Result<Field<'a>> {
        let end = text.iter().position(|b| *b == delimiter);
        let field = &text[..end.unwrap_or(text.len())];
        let odd = |b: &u8| matches!(b, b'\n' | b'\r') || (*b == b'"' && self.use_quote_delim);
        if field.iter().any(odd) {
            bail!(
                InvalidArgument,
                "Unquoted fields cannot have quotes/CRLFs inside"
            );
        }
        Ok((field.to_vec(), end.map(|end| &text[end + 1..])))
    }

    /// The values of one record, as scalars; one without a byte has one field without a byte.
    ///
    /// # Errors
    /// `InvalidArgument` where fields are malformed, missing, or too many.
    pub fn values(&self, record: &[u8], defaults: &[Tensor]) -> Result<Tensors> {
        let fields = match record {
            [] => vec![Vec::new()],
            record => self.fields(record)?,
        };
        let mut columns = self.columns(defaults);
        for (column, field) in columns
            .iter_mut()
            .zip(self.selected(fields, defaults.len(), 0)?)
        {
            column.fields.push(field);
        }
        let scalar = Shape::scalar();
        columns
            .iter()
            .map(|column| column.tensor(&scalar))
            .collect()
    }

    /// The columns that records with these defaults have, without fields yet.
    fn columns<'a>(&'a self, defaults: &'a [Tensor]) -> Vec<Column<'a>> {
        let column = |(number, default)| Column {
            number,
            fields: Vec::new(),
            default,
            missing: self.na_value.as_bytes(),
        };
        defaults.iter().enumerate().map(column).collect()
    }

    /// The fields of record `i` that are taken.
    fn selected(&self, mut fields: Vec<Vec<u8>>, n: usize, i: usize) -> Result<Vec<Vec<u8>>> {
        if !self.select_cols.is_empty() {
            let all = fields.len();
            let take = |c: &i64| {
                let field = usize::try_from(*c).ok().and_then(|c| fields.get_mut(c));
                let field = field.map(std::mem::take);
                field.ok_or_else(|| {
                    err!(
                        InvalidArgument,
                        "select_cols asks for field {c}, record {i} has {all}"
                    )
                })
            };
            return self.select_cols.iter().map(take).collect();
        }
        if fields.len() != n {
            bail!(
                InvalidArgument,
                "Expect {n} fields but have {} in record {i}",
                fields.len()
            );
        }
        Ok(fields)
    }
}

/// A field, and what stands behind its delimiter if there is one.
type Field<'a> = (Vec<u8>, Option<&'a [u8]>);

/// A field in quotes, in which two quotes are one.
fn quoted_field(text: &[u8], delimiter: u8) -> Result<Field<'_>> {
    let mut field = Vec::new();
    let mut at = 1;
    loop {
        match (text.get(at), text.get(at + 1)) {
            (Some(b'"'), Some(b'"')) => {
                push(&mut field, b'"');
                at += 2;
            }
            (Some(b'"'), None) => return Ok((field, None)),
            (Some(b'"'), Some(b)) if *b == delimiter => {
                return Ok((field, Some(&text[at + 2..])));
            }
            (Some(b'"'), Some(_)) => bail!(
                InvalidArgument,
                "Quote inside a string has to be escaped by another quote"
            ),
            (Some(&b), _) => {
                push(&mut field, b);
                at += 1;
            }
            (None, _) => bail!(
                InvalidArgument,
                "Quoted field has to end with quote followed by delim or end"
            ),
        }
    }
}

/// The numbers of a column, `default` where a field is missing.
fn parsed<T: Element + FromStr>(column: &Column<'_>, shape: &Shape) -> Result<Tensor> {
    let default = match column.default.as_slice::<T>()? {
        [] => None,
        all => Some(all[0]),
    };
    let mut values = ferrograph_kernels::scratch::vec_for(column.fields.len());
    for (i, field) in column.fields.iter().enumerate() {
        if column.is_missing(field) {
            values.push(default.ok_or_else(|| column.required(i))?);
            continue;
        }
        let text = std::str::from_utf8(field.trim_ascii()).ok();
        let value = text.and_then(|t| t.parse().ok()).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Field {} in record {i} is not a valid {}: {}",
                column.number,
                column.default.dtype(),
                field.escape_ascii()
            )
        });
        values.push(value?);
    }
    Tensor::from_slice(shape.clone(), &values)
}

/// The strings of a column.
fn strings(column: &Column<'_>, shape: &Shape) -> Result<Tensor> {
    let default = column.default.as_strings()?.first();
    let one = |(i, field): (usize, &Vec<u8>)| -> Result<Bytes> {
        match column.is_missing(field) {
            false => ferrograph_tensor::string_of(field),
            true => default.cloned().ok_or_else(|| column.required(i)),
        }
    };
    let all = ferrograph_ops::text::made(column.fields.iter().enumerate().map(one))?;
    Tensor::from_strings(shape.clone(), all)
}

/// The fields of one number in all records.
struct Column<'a> {
    number: usize,
    fields: Vec<Vec<u8>>,
    default: &'a Tensor,
    missing: &'a [u8],
}

impl Column<'_> {
    /// The values of the fields.
    fn tensor(&self, shape: &Shape) -> Result<Tensor> {
        match self.default.dtype() {
            DType::Float32 => parsed::<f32>(self, shape),
            DType::Float64 => parsed::<f64>(self, shape),
            DType::Int32 => parsed::<i32>(self, shape),
            DType::Int64 => parsed::<i64>(self, shape),
            _ => strings(self, shape),
        }
    }

    fn is_missing(&self, field: &[u8]) -> bool {
        field.is_empty() || field == self.missing
    }

    fn required(&self, record: usize) -> ferrograph_tensor::Error {
        err!(
            InvalidArgument,
            "Field {} is required but missing in record {record}!",
            self.number
        )
    }
}

impl Op for DecodeCSV {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.delimiter()?;
        let n = inputs.len() - 1;
        if !self.select_cols.is_empty() && self.select_cols.len() != n {
            bail!(
                InvalidArgument,
                "select_cols names {} fields, there are {n} defaults",
                self.select_cols.len()
            );
        }
        let mut specs = Specs::new();
        for i in 1..inputs.len() {
            let dtype = inputs.dtype(i);
            use DType::{Float32, Float64, Int32, Int64, String};
            if !matches!(dtype, Float32 | Float64 | Int32 | Int64 | String) {
                bail!(
                    InvalidArgument,
                    "record_defaults[{}] must be float32, float64, int32, int64 or string, got {dtype}",
                    i - 1
                );
            }
            if inputs.shape(i).n_elements().is_some_and(|n| n > 1) {
                bail!(
                    InvalidArgument,
                    "There should only be 1 default per field but field {} has shape {}",
                    i - 1,
                    inputs.shape(i)
                );
            }
            specs.push(TensorSpec::new(dtype, inputs.shape(0).clone()));
        }
        Ok(specs)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (records, defaults) = (&inputs[0], &inputs[1..]);
        let mut columns = self.columns(defaults);
        for (i, record) in records.as_strings()?.iter().enumerate() {
            let fields = self.selected(self.fields(record)?, defaults.len(), i)?;
            for (column, field) in columns.iter_mut().zip(fields) {
                push(&mut column.fields, field);
            }
        }
        let shape = records.shape();
        columns.iter().map(|column| column.tensor(shape)).collect()
    }
}
