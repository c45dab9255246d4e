//! Classes drawn by their probabilities, and the operations that draw them.

use super::stream::{Drawing, Stream};
use crate::args::scalar;
use crate::movement::static_shape;
use ferrograph_graph::{Inputs, Lowered, Op, Operands, Specs, declare_family, of_family};
use ferrograph_kernels::elementwise::CastTo;
use ferrograph_kernels::random::{PhiloxState, RESERVED_PER_NUMBER, Uniform};
use ferrograph_kernels::scratch;
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, TensorSpec, bail, vec_of, with_element,
};
use smallvec::smallvec;

declare_family! {
    trait EmitCategorical;

    /// `num_samples` classes for each row of `logits`, with probabilities in proportion to `exp(logits)`.
    Categorical {
        /// Where the numbers come from.
        stream: Stream,
    } (logits: T in real rank 2, num_samples: int32 rank 0) -> (output: output_dtype in index) {
        /// What the stream begins from; two zeros take a seed from the program's.
        seed: i64 = 0,
        /// The second part of that.
        seed2: i64 = 0,
        /// The second seed is the operation's, beside the program's at the time.
        shared: bool = false,
        /// The dtype of classes.
        output_dtype: DType = DType::Int64,
    };

    /// `num_samples` classes for each row of `logits`, with probabilities in proportion to `exp(logits)`.
    Multinomial: multinomial, gradient Stops, effect World { stream: Stream::default() };
}

/// The spec of classes drawn by logits (input 0), so many as input 1 says.
pub(super) fn infer(inputs: &Inputs<'_>, dtype: DType) -> Result<Specs> {
    let samples = match scalar(inputs, 1) {
        Some(n) if n < 0 => bail!(Shape, "num_samples must not be negative, got {n}"),
        n => Dim::from(n.and_then(|n| usize::try_from(n).ok())),
    };
    let rows = inputs.shape(0).dims().map_or(Dim::UNKNOWN, |d| d[0]);
    let shape: PartialShape = [rows, samples].into_iter().collect();
    Ok(smallvec![TensorSpec::new(dtype, shape)])
}

/// Where a draw of that many numbers begins.
pub(super) type Start = Box<dyn Fn(&Operands<'_>, u64) -> Result<PhiloxState> + Send + Sync>;

/// The kernel of a draw that begins there.
pub(super) fn lower(inputs: &Inputs<'_>, outputs: &[TensorSpec], start: Start) -> Result<Lowered> {
    let [rows, classes] = static_shape(inputs.spec(0))?[..] else {
        bail!(Internal, "logits are no matrix");
    };
    let samples = static_shape(&outputs[0])?[1];
    if classes == 0 && rows > 0 && samples > 0 {
        bail!(InvalidArgument, "logits need one class at least");
    }
    // Each class takes a double, two words; so many are set aside for rows of a multiple of four.
    let per_row = samples.checked_next_multiple_of(4).unwrap_or(usize::MAX);
    let reserved = rows.saturating_mul(per_row) as u64;
    let reserved = reserved.saturating_mul(2 * RESERVED_PER_NUMBER);
    let wide = outputs[0].dtype == DType::Int64;
    with_element!(inputs.dtype(0), real, T => Ok(Lowered::Kernel(Box::new(move |o| {
        let state = start(o, reserved)?;
        let n = (2 * rows).saturating_mul(samples);
        let mut words = vec_of(0u32, n)?;
        state.words(&mut words);
        let drawn = classes_of::<T>(o.input(0), classes, samples, &words);
        if wide {
            o.output::<i64>(0).copy_from_slice(&drawn);
        } else {
            let out = o.output::<i32>(0);
            out.iter_mut().zip(drawn).for_each(|(o, class)| *o = class as i32);
        }
        Ok(())
    }))), else => Ok(Lowered::Eval))
}

/// For each row as many classes as samples: the first at which the sum of the probabilities exceeds a part of all.
/// Logits that are not finite have no part.
fn classes_of<T: Element + CastTo<f64>>(
    logits: &[T],
    classes: usize,
    samples: usize,
    words: &[u32],
) -> Vec<i64> {
    let mut sums = scratch::vec_of(0.0, classes);
    let mut drawn = scratch::vec_for(words.len() / 2);
    let rows = logits.chunks_exact(classes.max(1));
    for (row, words) in rows.zip(words.chunks_exact((2 * samples).max(1))) {
        let wide = || row.iter().map(|x| x.cast_to());
        let greatest = wide()
            .filter(|x: &f64| x.is_finite())
            .fold(f64::MIN, f64::max);
        let mut sum = 0.0;
        for (at, x) in sums.iter_mut().zip(wide()) {
            sum += if x.is_finite() {
                (x - greatest).exp()
            } else {
                0.0
            };
            *at = sum;
        }
        drawn.extend(words.chunks_exact(2).map(|words| {
            let part = f64::from_words(words) * sum;
            sums.partition_point(|&s| s <= part) as i64
        }));
    }
    drawn
}

impl Op for Categorical {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer(inputs, self.output_dtype)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let drawing = Drawing {
            name: "Multinomial".into(),
            seeds: (self.seed, self.seed2),
            shared: self.shared,
            own: self.stream.clone(),
        };
        let dtype = inputs.dtype(0);
        lower(
            inputs,
            outputs,
            Box::new(move |_, n| Ok(drawing.stream(dtype).reserve_blocks(n))),
        )
    }
}
