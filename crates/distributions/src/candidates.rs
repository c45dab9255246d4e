//! Classes drawn as negatives beside true ones, and how often each is expected among them.

use crate::numbers::Words;
use crate::sampler::{Batch, ClassDistribution};
use ferrograph_graph::{Inputs, Lowered, Op, Specs, declare, declared};
use ferrograph_ops::seeded::keyed;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, err};
use smallvec::smallvec;

declare! {
    trait EmitCandidates;

    /// So many classes drawn by a key and counter, and how often each of `true_classes` and of those drawn is expected in a batch.
    CandidateSampler: candidate_sampler(
        true_classes: int64 rank 2, key: uint64 rank 1, counter: uint64 rank 1, alg: int32 rank 0,
        weights: float32 rank 1,
    ) -> (sampled_candidates: int64, true_expected_count: float32, sampled_expected_count: float32),
    gradient Stops {
        /// How many are drawn.
        num_sampled: i64,
        /// Whether a class is drawn once at most; the counts are then of what it took to draw as many different ones.
        unique: bool = false,
        /// Classes are below it; the number of weights where those say how likely each is.
        range_max: i64,
        /// "uniform", "log_uniform" for probabilities that fall with the class, or "weights".
        distribution: String = String::from("uniform"),
    };
}

impl CandidateSampler {
    /// How many classes there are, and how many are drawn.
    fn sizes(&self) -> Result<(usize, usize)> {
        let range = usize::try_from(self.range_max).ok().filter(|n| *n > 0);
        let range = range.ok_or_else(|| {
            err!(
                InvalidArgument,
                "range_max must be above 0, got {}",
                self.range_max
            )
        })?;
        let n = usize::try_from(self.num_sampled).ok().filter(|n| *n > 0);
        let n = n.ok_or_else(|| {
            err!(
                InvalidArgument,
                "num_sampled must be above 0, got {}",
                self.num_sampled
            )
        })?;
        if self.unique && n > range {
            bail!(
                InvalidArgument,
                "{n} different classes cannot be drawn from {range}"
            );
        }
        Ok((range, n))
    }
}

impl Op for CandidateSampler {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (range, n) = self.sizes()?;
        match &self.distribution[..] {
            "uniform" | "log_uniform" => {}
            "weights" => {
                let weights = inputs.shape(4);
                if !weights.is_compatible(&PartialShape::new(&[Dim::new(range)])) {
                    bail!(Shape, "there must be {range} weights, got shape {weights}");
                }
            }
            other => bail!(
                InvalidArgument,
                "distribution must be \"uniform\", \"log_uniform\" or \"weights\", got {other:?}"
            ),
        }
        let counts = TensorSpec::new(DType::Float32, inputs.shape(0).clone());
        let drawn = PartialShape::new(&[Dim::new(n)]);
        Ok(smallvec![
            TensorSpec::new(DType::Int64, drawn.clone()),
            counts,
            TensorSpec::new(DType::Float32, drawn)
        ])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let ((range, n), unique) = (self.sizes()?, self.unique);
        let distribution = self.distribution.clone();
        Ok(Lowered::Kernel(Box::new(move |o| {
            let mut words = Words::from(keyed(o)?);
            let distribution = match &distribution[..] {
                "uniform" => ClassDistribution::uniform(range),
                "log_uniform" => ClassDistribution::log_uniform(range),
                _ => ClassDistribution::weighted(o.input::<f32>(4), if unique { n } else { 1 })?,
            };
            let batch = Batch::draw(&distribution, n, unique, &mut words)?;
            let known: Vec<usize> = o
                .input::<i64>(0)
                .iter()
                .map(|&k| class(k, range))
                .collect::<Result<_>>()?;
            for (to, from) in o.output::<i64>(0).iter_mut().zip(&batch.classes) {
                *to = i64::try_from(*from).unwrap_or(i64::MAX);
            }
            for (i, classes) in [(1, &known), (2, &batch.classes)] {
                for (to, class) in o.output::<f32>(i).iter_mut().zip(classes) {
                    *to = batch.expected(distribution.probability(*class));
                }
            }
            Ok(())
        })))
    }
}

fn class(k: i64, range: usize) -> Result<usize> {
    let found = usize::try_from(k).ok().filter(|k| *k < range);
    found.ok_or_else(|| {
        err!(
            InvalidArgument,
            "true_classes holds {k}, which is not in [0, {range})"
        )
    })
}
