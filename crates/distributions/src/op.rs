//! The operations that draw: the parameters' shape is the end of the samples' shape.

use crate::binomial::binomial;
use crate::gamma::gamma;
use crate::numbers::Numbers;
use crate::poisson::poisson;
use crate::truncated::{Drawn, Truncated};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Operands, Specs, VjpCall, declare, declared,
};
use ferrograph_kernels::elementwise::Broadcast;
use ferrograph_kernels::pool::par_chunks_mut;
use ferrograph_kernels::random::{PhiloxState, stateless_key_counter};
use ferrograph_ops::emit::*;
use ferrograph_ops::seeded::{check_seed, keyed, read_seed};
use ferrograph_special::emit::EmitTwo;
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, Shape, TensorSpec, bail, err, vec_for, vec_of,
    with_element,
};
use num_traits::AsPrimitive;
use smallvec::smallvec;

declare! {
    trait EmitDistributions;

    /// Samples of shape `shape` of the gamma distributions with the shapes `alpha` and the rate 1, by a key and counter.
    StatelessRandomGammaV3: stateless_gamma(
        shape: shape_dtype in index rank 1, key: uint64 rank 1, counter: uint64 rank 1, alg: int32 rank 0,
        alpha: dtype in floating,
    ) -> (output: dtype), gradient Vjp;

    /// Samples of shape `shape` of the Poisson distributions with the rates `lam`, by `seed`.
    StatelessRandomPoisson: stateless_poisson(
        shape: T in index rank 1, seed: Tseed in seed, lam: Rtype in real
    ) -> (output: dtype in real), gradient Stops {
        /// The dtype of the samples.
        dtype: DType,
    };

    /// As `StatelessRandomPoisson`, by a key and counter.
    StatelessRandomPoissonV2: keyed_poisson(
        shape: T in index rank 1, key: uint64 rank 1, counter: uint64 rank 1, alg: int32 rank 0, lam: Rtype in real
    ) -> (output: dtype in real), gradient Stops {
        /// The dtype of the samples.
        dtype: DType,
    };

    /// Samples of shape `shape` of the normal distributions with these means and deviations, between these bounds, by
    /// `seed`.
    StatelessParameterizedTruncatedNormal: stateless_parameterized_truncated_normal(
        shape: S in index rank 1, seed: Tseed in seed, means: dtype in floating, stddevs: dtype, minvals: dtype,
        maxvals: dtype,
    ) -> (output: dtype), gradient Stops;

    /// How many of `counts` trials succeed with the probabilities `probs`, in samples of shape `shape`, by `seed`.
    StatelessRandomBinomial: stateless_binomial(
        shape: S in index rank 1, seed: Tseed in seed, counts: T in real, probs: T
    ) -> (output: dtype in real), gradient Stops {
        /// The dtype of the samples.
        dtype: DType = DType::Int64,
    };

    /// As `StatelessRandomBinomial`, by a key and counter.
    StatelessRandomBinomialV2: keyed_binomial(
        shape: S in index rank 1, key: uint64 rank 1, counter: uint64 rank 1, alg: int32 rank 0, counts: T in real,
        probs: T,
    ) -> (output: dtype in real), gradient Stops {
        /// The dtype of the samples.
        dtype: DType = DType::Int64,
    };
}

/// The spec of samples whose shape input 0 says and ends with that of the parameters.
fn samples(inputs: &Inputs<'_>, parameters: &PartialShape, dtype: DType) -> Result<TensorSpec> {
    if let Some(known) = inputs.known(0)
        && let Some(size) = known.iter().flatten().find(|d| **d < 0)
    {
        bail!(Shape, "shape holds {size}, which is no size");
    }
    let shape = inputs.shape_value(0);
    if let (Some(all), Some(end)) = (shape.dims(), parameters.dims()) {
        let tail = all.len().checked_sub(end.len()).map(|at| &all[at..]);
        let fits = |tail: &[Dim]| tail.iter().zip(end).all(|(a, b)| a.is_compatible(*b));
        if !tail.is_some_and(fits) {
            bail!(
                InvalidArgument,
                "shape must end with the shape of the parameters, {parameters}, got {shape}"
            );
        }
    }
    Ok(TensorSpec::new(dtype, shape))
}

fn fixed(spec: &TensorSpec) -> Result<Shape> {
    let shape = spec.shape.to_static();
    shape.ok_or_else(|| err!(Internal, "shape {} is open", spec.shape))
}

/// Where a draw begins.
type Start = Box<dyn Fn(&Operands<'_>) -> Result<PhiloxState> + Send + Sync>;

fn seeded(inputs: &Inputs<'_>) -> Start {
    let dtype = inputs.dtype(1);
    Box::new(move |o| Ok(stateless_key_counter(read_seed(o, 1, dtype)?)))
}

/// Input `i`, of that dtype, in double precision.
fn doubles(o: &Operands<'_>, i: usize, dtype: DType) -> Result<Vec<f64>> {
    with_element!(dtype, real, T => {
        let all = o.input::<T>(i);
        let mut wide = vec_for(all.len())?;
        wide.extend(all.iter().map(|&x| -> f64 { x.as_() }));
        Ok(wide)
    }, else => Err(err!(DType, "{dtype} is no number")))
}

/// Roughly what a sample takes.
const COST_NS: f64 = 150.0;

/// Writes samples: `draw` makes one for the parameters of that place; those of one place follow each other in the stream.
fn fill<T>(
    out: &mut [T],
    places: usize,
    start: PhiloxState,
    draw: impl Fn(usize, &mut Numbers) -> f64 + Sync,
) where
    T: Element,
    f64: AsPrimitive<T>,
{
    let each = out.len() / places.max(1);
    par_chunks_mut(out, COST_NS, |first, out| {
        for (i, o) in out.iter_mut().enumerate() {
            let (sample, place) = ((first + i) / places, (first + i) % places);
            let mut numbers = Numbers::of_sample(start, (place * each + sample) as u64);
            *o = draw(place, &mut numbers).as_();
        }
    });
}

impl Op for StatelessRandomGammaV3 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![samples(
            inputs,
            inputs.shape(4),
            inputs.dtype(4)
        )?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let places = fixed(inputs.spec(4))?.n_elements();
        let kernel: Kernel = with_element!(inputs.dtype(4), floating, T => Box::new(move |o| {
            let (start, alpha) = (keyed(o)?, o.input::<T>(4));
            let draw = |place: usize, n: &mut Numbers| gamma(alpha[place].as_(), n);
            fill(o.output::<T>(0), places, start, draw);
            Ok(())
        }), else => return Ok(Lowered::Eval));
        Ok(Lowered::Kernel(kernel))
    }
    /// How a sample moves with its shape, at the probability that it has: `-(dP/da) / (dP/dx)`.
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (alpha, sample) = (&call.inputs[4], &call.outputs[0]);
        let wide = DType::Float64;
        let (a, x) = (e.cast(alpha, wide)?, e.cast(sample, wide)?);
        let slope = e.igamma_grad_a(&a, &x)?;
        let one = e.scalar(1.0, wide)?;
        let less = e.sub(&a, &one)?;
        let power = e.xlogy(&less, &x)?;
        let lgamma = e.lgamma(&a)?;
        let log = e.sub(&power, &x)?;
        let log = e.sub(&log, &lgamma)?;
        let density = e.exp(&log)?;
        let ratio = e.div_no_nan(&slope, &density)?;
        let ratio = e.neg(&ratio)?;
        let ratio = e.cast(&ratio, alpha.dtype())?;
        let grad = e.mul(&ratio, call.grad()?)?;
        let grad = e.unbroadcast(&grad, alpha, sample)?;
        Ok(smallvec![None, None, None, None, Some(grad.into())])
    }
}

impl Op for StatelessRandomPoisson {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_seed(inputs, 1)?;
        Ok(smallvec![samples(inputs, inputs.shape(2), self.dtype)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        draw_counts(inputs, 2, self.dtype, seeded(inputs))
    }
}

impl Op for StatelessRandomPoissonV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![samples(inputs, inputs.shape(4), self.dtype)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        draw_counts(inputs, 4, self.dtype, Box::new(keyed))
    }
}

/// How samples of Poisson distributions are drawn, whose rates are input `i`.
fn draw_counts(inputs: &Inputs<'_>, i: usize, dtype: DType, start: Start) -> Result<Lowered> {
    let (places, wide) = (fixed(inputs.spec(i))?.n_elements(), inputs.dtype(i));
    let kernel: Kernel = with_element!(dtype, real, T => Box::new(move |o| {
        let (start, rates) = (start(o)?, doubles(o, i, wide)?);
        let draw = |place: usize, n: &mut Numbers| poisson(rates[place], n);
        fill(o.output::<T>(0), places, start, draw);
        Ok(())
    }), else => return Ok(Lowered::Eval));
    Ok(Lowered::Kernel(kernel))
}

impl Op for StatelessParameterizedTruncatedNormal {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_seed(inputs, 1)?;
        let mut parameters = inputs.shape(2).clone();
        for i in 3..6 {
            parameters = parameters.broadcast(inputs.shape(i))?;
        }
        Ok(smallvec![samples(inputs, &parameters, inputs.dtype(2))?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let start = seeded(inputs);
        if inputs.dtype(2) == DType::Float32 {
            return draw_truncated::<f32, f32>(inputs, start);
        }
        with_element!(inputs.dtype(2), floating, T => draw_truncated::<T, f64>(inputs, start), else => Ok(Lowered::Eval))
    }
}

/// How truncated normal numbers of type `T` are drawn, which are computed in `C`.
fn draw_truncated<T, C>(inputs: &Inputs<'_>, start: Start) -> Result<Lowered>
where
    T: Element + AsPrimitive<C>,
    C: Drawn + AsPrimitive<T>,
{
    let shapes: Vec<Shape> = (2..6)
        .map(|i| fixed(inputs.spec(i)))
        .collect::<Result<_>>()?;
    let mut both = inputs.shape(2).clone();
    for i in 3..6 {
        both = both.broadcast(inputs.shape(i))?;
    }
    let both = fixed(&TensorSpec::new(inputs.dtype(2), both))?;
    let plans: Vec<_> = shapes
        .iter()
        .map(|shape| Broadcast::new([shape], &both))
        .collect();
    let places = both.n_elements();
    Ok(Lowered::Kernel(Box::new(move |o| {
        let mut state = start(o)?;
        let mut parameters = vec_of([C::zero(); 4], places)?;
        for (i, plan) in plans.iter().enumerate() {
            let mut wide = vec_of(C::zero(), places)?;
            plan.map([o.input::<T>(i + 2)], &mut wide, 1.0, |[x]| x.as_());
            parameters
                .iter_mut()
                .zip(wide)
                .for_each(|(truncated, x)| truncated[i] = x);
        }
        let out = o.output::<T>(0);
        let mut drawn = vec_of(C::zero(), out.len() / places.max(1))?;
        for (place, [mean, deviation, low, high]) in parameters.into_iter().enumerate() {
            let truncated = Truncated {
                mean,
                deviation,
                low,
                high,
            };
            truncated.check()?;
            state = truncated.fill(state, drawn.iter_mut());
            for (to, x) in out.iter_mut().skip(place).step_by(places).zip(&drawn) {
                *to = x.as_();
            }
        }
        Ok(())
    })))
}

/// The samples of binomial distributions whose counts are input `i`, and whose probabilities stand behind it.
fn binomials(inputs: &Inputs<'_>, i: usize, dtype: DType) -> Result<TensorSpec> {
    let parameters = inputs.shape(i).broadcast(inputs.shape(i + 1))?;
    samples(inputs, &parameters, dtype)
}

/// How they are drawn.
fn draw_binomials(inputs: &Inputs<'_>, i: usize, dtype: DType, start: Start) -> Result<Lowered> {
    let shape = inputs.shape(i).broadcast(inputs.shape(i + 1))?;
    let wide = inputs.dtype(i);
    let both = fixed(&TensorSpec::new(wide, shape))?;
    let (counts, probs) = (fixed(inputs.spec(i))?, fixed(inputs.spec(i + 1))?);
    let plan = Broadcast::new([&counts, &probs], &both);
    let places = both.n_elements();
    let kernel: Kernel = with_element!(dtype, real, T => Box::new(move |o| {
        let start = start(o)?;
        let (counts, probs) = (doubles(o, i, wide)?, doubles(o, i + 1, wide)?);
        let mut pairs = vec_of((0.0, 0.0), places)?;
        plan.map([&counts, &probs], &mut pairs, 1.0, |[n, p]| (n, p));
        let draw = |place: usize, numbers: &mut Numbers| {
            let (count, probability) = pairs[place];
            binomial(count, probability, numbers)
        };
        fill(o.output::<T>(0), places, start, draw);
        Ok(())
    }), else => return Ok(Lowered::Eval));
    Ok(Lowered::Kernel(kernel))
}

impl Op for StatelessRandomBinomial {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_seed(inputs, 1)?;
        Ok(smallvec![binomials(inputs, 2, self.dtype)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        draw_binomials(inputs, 2, self.dtype, seeded(inputs))
    }
}

impl Op for StatelessRandomBinomialV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![binomials(inputs, 4, self.dtype)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        draw_binomials(inputs, 4, self.dtype, Box::new(keyed))
    }
}
