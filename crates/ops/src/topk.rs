//! Order: the greatest elements, places in sorted rows, distinct elements, counts.

use crate::args::{checked, expect_index, expect_numbers, expect_rank, scalar};
use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry,
    Runner, Specs, Tensors, VjpCall, op_object,
};
use ferrograph_kernels::movement::top_k;
use ferrograph_tensor::{
    Bytes, DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, bail, err, with_element,
};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The input 1 greatest elements along the last axis of input 0, the greatest first, and their places.
#[derive(Debug)]
pub struct TopKV2 {
    /// Whether they must come in order; they do in any case.
    pub sorted: bool,
}

impl Op for TopKV2 {
    op_object!();
    fn name(&self) -> &'static str {
        "TopKV2"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("sorted", Attr::Bool(self.sorted))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_index(inputs, 1, "k")?;
        expect_rank(inputs, 1, 0, "k")?;
        let dtype = inputs.dtype(0);
        if !(dtype.is_integer() || dtype.is_floating()) {
            bail!(
                DType,
                "input must hold real numbers, got {}",
                inputs.spec(0)
            );
        }
        let k = match scalar(inputs, 1) {
            Some(k) if k < 0 => bail!(Shape, "k must not be negative, got {k}"),
            k => Dim::from(k.and_then(|k| usize::try_from(k).ok())),
        };
        let shape = match inputs.shape(0).dims() {
            None => PartialShape::UNKNOWN,
            Some([]) => bail!(Shape, "input must have rank 1 at least, got a scalar"),
            Some([lead @ .., last]) => {
                if let (Some(k), Some(n)) = (k.known(), last.known())
                    && k > n
                {
                    bail!(
                        Shape,
                        "k is {k}, the last axis of shape {} has {n} elements",
                        inputs.shape(0)
                    );
                }
                lead.iter().copied().chain([k]).collect()
            }
        };
        let places = TensorSpec::new(DType::Int32, shape.clone());
        Ok(smallvec![TensorSpec::new(dtype, shape), places])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        if !outputs[0].shape.is_static() {
            return Ok(None);
        }
        let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
        let (Some(&n), Some(&k)) = (from.last(), to.last()) else {
            return Ok(None);
        };
        if k > n {
            bail!(Shape, "k is {k}, the last axis has {n} elements");
        }
        with_element!(inputs.dtype(0), real, T => Ok(Some(Box::new(move |operands| {
            let x = operands.input::<T>(0);
            if k > 0 && !x.is_empty() {
                let (values, places) = operands.two_outputs::<T, i32>();
                top_k(x, n, k, values, places);
            }
            Ok(())
        }))), else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(Some(grad)) = call.grads.first() else {
            return Ok(smallvec![None, None]);
        };
        let (x, places) = (&call.inputs[0], &call.outputs[1]);
        let shape = e.shape_of(x)?;
        let minus_one = e.int_vector(&[-1])?;
        // Rows of the input one after another: place p of row r is r * n + p.
        let last = [
            e.int_vector(&[-1])?,
            e.int_vector(&[0])?,
            e.int_vector(&[1])?,
        ];
        let attrs = vec![("shrink_axis_mask", Attr::Int(1))];
        let n = e.op(
            "StridedSlice",
            &[&shape, &last[0], &last[1], &last[2]],
            attrs.clone(),
        )?;
        let kept = e.shape_of(places)?;
        let k = e.op(
            "StridedSlice",
            &[&kept, &last[0], &last[1], &last[2]],
            attrs,
        )?;
        let size = e.op("Size", &[x], vec![])?;
        let any = e.scalar(-1.0, DType::Int32)?;
        let rows = e.op("Pack", &[&any, &k], vec![("axis", Attr::Int(0))])?;
        let by_row = e.reshape(places, &rows)?;
        let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
        let n_or_one = e.op("Maximum", &[&n, &one], vec![])?;
        let starts = e.op("Range", &[&zero, &size, &n_or_one], vec![])?;
        let column = e.op("ExpandDims", &[&starts, &one], vec![])?;
        let ids = e.add(&by_row, &column)?;
        let ids = e.reshape(&ids, &minus_one)?;
        let flat = e.reshape(grad, &minus_one)?;
        let summed = e.op("UnsortedSegmentSum", &[&flat, &ids, &size], vec![])?;
        let grad = e.reshape(&summed, &shape)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

/// The distinct elements of a vector in order of appearance, which of them each element is, and with `counts` how
/// often each appears.
#[derive(Debug)]
pub struct Unique {
    /// Whether counts are an output.
    pub counts: bool,
    /// int32 or int64: the dtype of places and counts.
    pub out_idx: DType,
}

/// Places of first appearance, which distinct element each is, counts.
struct Distinct {
    first: Vec<usize>,
    which: Vec<i64>,
    counts: Vec<i64>,
}

fn distinct<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Distinct {
    let mut found: HashMap<K, usize> = HashMap::new();
    let mut all = Distinct {
        first: Vec::new(),
        which: Vec::new(),
        counts: Vec::new(),
    };
    for (i, key) in keys.enumerate() {
        let next = all.first.len();
        let id = *found.entry(key).or_insert(next);
        if id == next {
            all.first.push(i);
            all.counts.push(0);
        }
        all.which.push(id as i64);
        all.counts[id] += 1;
    }
    all
}

/// The bytes of each element, those of zero for negative zero too.
fn element_keys<T: Element>(t: &Tensor) -> Result<Vec<SmallVec<[u8; 16]>>> {
    let zero = T::default();
    let bytes = t.bytes().chunks_exact(t.dtype().size());
    let keys = t.as_slice::<T>()?.iter().zip(bytes).map(|(x, bytes)| {
        if *x == zero {
            smallvec![0; bytes.len()]
        } else {
            SmallVec::from_slice(bytes)
        }
    });
    Ok(keys.collect())
}

impl Op for Unique {
    op_object!();
    fn name(&self) -> &'static str {
        if self.counts {
            "UniqueWithCounts"
        } else {
            "Unique"
        }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_idx", Attr::DType(self.out_idx))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        expect_rank(inputs, 0, 1, "x")?;
        let open = PartialShape::of_rank(1);
        let which = inputs.shape(0).merge(&open)?;
        let mut specs: Specs = smallvec![
            TensorSpec::new(inputs.dtype(0), open.clone()),
            TensorSpec::new(self.out_idx, which)
        ];
        if self.counts {
            specs.push(TensorSpec::new(self.out_idx, open));
        }
        Ok(specs)
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let t = &inputs[0];
        let found = if t.dtype() == DType::String {
            distinct(t.as_strings()?.iter().map(Bytes::clone))
        } else {
            with_element!(t.dtype(), dense, T => distinct(element_keys::<T>(t)?.into_iter()),
                else => bail!(DType, "x has dtype {}, which cannot be compared", t.dtype()))
        };
        let first: Vec<i64> = found.first.iter().map(|&i| i as i64).collect();
        let gather = crate::GatherV2 { batch_dims: 0 };
        let axis = Tensor::scalar(0i32)?;
        let mut outputs = gather.eval(runner, &[t.clone(), Tensor::vector(&first)?, axis])?;
        let ints = |x: &[i64]| crate::shape_info::ints_tensor(self.out_idx, &[x.len()], x);
        outputs.push(ints(&found.which)?);
        if self.counts {
            outputs.push(ints(&found.counts)?);
        }
        Ok(outputs)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// For each row of values (input 1) the first place in the same sorted row of input 0 at which they could stand: before
/// those that are equal, or behind them with `upper`.
#[derive(Debug)]
pub struct SearchSorted {
    /// Behind equal elements.
    pub upper: bool,
    /// int32 or int64.
    pub out_type: DType,
}

impl Op for SearchSorted {
    op_object!();
    fn name(&self) -> &'static str {
        if self.upper {
            "UpperBound"
        } else {
            "LowerBound"
        }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_type", Attr::DType(self.out_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        inputs.same_dtype(0, 1)?;
        expect_numbers(inputs, 0, "sorted_inputs", true)?;
        let (rows, values) = (inputs.shape(0), inputs.shape(1));
        for (i, what) in ["sorted_inputs", "values"].iter().enumerate() {
            expect_rank(inputs, i, 2, what)?;
        }
        if !rows.dim(0).is_compatible(values.dim(0)) {
            bail!(
                Shape,
                "sorted_inputs of shape {rows} and values of shape {values} have different numbers of rows"
            );
        }
        Ok(smallvec![TensorSpec::new(self.out_type, values.clone())])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (rows, values) = (static_shape(inputs.spec(0))?, static_shape(inputs.spec(1))?);
        let (upper, out_type, n, m) = (self.upper, outputs[0].dtype, rows[1], values[1].max(1));
        with_element!(inputs.dtype(0), real, T => Ok(Some(Box::new(move |operands| {
            let (sorted, values) = (operands.input::<T>(0), operands.input::<T>(1));
            let place = |(i, v): (usize, &T)| {
                let row = &sorted[i / m * n..(i / m + 1) * n];
                row.partition_point(|x| if upper { x <= v } else { x < v }) as i64
            };
            let places = values.iter().enumerate().map(place);
            crate::shape_info::write_ints(operands, 0, out_type, places);
            Ok(())
        }))), else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn index_type(a: &AttrReader<'_>, name: &str) -> Result<DType> {
    match a.find(name) {
        None => Ok(DType::Int32),
        Some(_) => match a.dtype(name)? {
            d @ (DType::Int32 | DType::Int64) => Ok(d),
            d => Err(err!(DType, "{name} must be int32 or int64, got {d}")),
        },
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("TopKV2", |a| {
        Ok(Arc::new(TopKV2 {
            sorted: a.bool_or("sorted", true)?,
        }))
    });
    r.add("Unique", |a| {
        Ok(Arc::new(Unique {
            counts: false,
            out_idx: index_type(a, "out_idx")?,
        }))
    });
    r.add("UniqueWithCounts", |a| {
        Ok(Arc::new(Unique {
            counts: true,
            out_idx: index_type(a, "out_idx")?,
        }))
    });
    r.add("LowerBound", |a| {
        Ok(Arc::new(SearchSorted {
            upper: false,
            out_type: index_type(a, "out_type")?,
        }))
    });
    r.add("UpperBound", |a| {
        Ok(Arc::new(SearchSorted {
            upper: true,
            out_type: index_type(a, "out_type")?,
        }))
    });
}
