//! Operations that draw a tensor of a given shape.

use super::fill::Distribution;
use super::key::{check_seed, read_seed};
use super::stream::Stream;
use crate::args::{expect_index, expect_rank};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Effect, Inputs, Kernel, Op, OpRef, Operands,
    Registry, Specs, op_object,
};
use ferrograph_kernels::random::{PhiloxState, stateless_key_counter};
use ferrograph_tensor::{DType, Result, TensorSpec, bail, err};
use smallvec::smallvec;
use std::sync::Arc;

/// Where the numbers come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A seed of two integers (input 1).
    Seed,
    /// A key and a counter (inputs 1 and 2) of the generator that input 3 names.
    Key,
    /// A stream that the operation keeps.
    Stream(Stream),
}

impl Source {
    /// Inputs before those of bounds.
    fn n_inputs(&self) -> usize {
        match self {
            Source::Seed => 2,
            Source::Key => 4,
            Source::Stream(_) => 1,
        }
    }

    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        match self {
            Source::Seed => check_seed(inputs, 1),
            Source::Key => {
                inputs.expect_dtype(1, DType::UInt64)?;
                inputs.expect_dtype(2, DType::UInt64)?;
                inputs.expect_dtype(3, DType::Int32)?;
                expect_rank(inputs, 1, 1, "key")?;
                expect_rank(inputs, 2, 1, "counter")?;
                expect_rank(inputs, 3, 0, "alg")
            }
            Source::Stream(_) => Ok(()),
        }
    }

    /// Where a draw of `n` numbers begins.
    fn start(&self, o: &Operands<'_>, seed: DType, n: usize) -> Result<PhiloxState> {
        match self {
            Source::Seed => Ok(stateless_key_counter(read_seed(o, 1, seed)?)),
            Source::Key => keyed(o),
            Source::Stream(stream) => Ok(stream.reserve(n)),
        }
    }
}

/// Philox, and the choice left to us, which is Philox.
const ALGORITHMS: [i32; 2] = [1, 3];

fn keyed(o: &Operands<'_>) -> Result<PhiloxState> {
    let (key, counter, alg) = (o.input::<u64>(1), o.input::<u64>(2), o.input::<i32>(3));
    if alg.iter().any(|a| !ALGORITHMS.contains(a)) {
        bail!(
            Unimplemented,
            "the only generator is Philox (alg 1), got alg {alg:?}"
        );
    }
    let (&[key, ..], &[low, high, ..]) = (key, counter) else {
        bail!(
            Shape,
            "key needs 1 element and counter 2, got {} and {}",
            key.len(),
            counter.len()
        );
    };
    Ok(PhiloxState::new(
        u128::from(high) << 64 | u128::from(low),
        key,
    ))
}

/// Random numbers of the shape that input 0 spells.
#[derive(Debug)]
pub struct Draw {
    /// The public name.
    pub name: &'static str,
    /// How they are distributed.
    pub distribution: Distribution,
    /// Their dtype; without one it is that of the bounds.
    pub dtype: Option<DType>,
    /// Where they come from.
    pub source: Source,
}

impl Draw {
    fn dtype(&self, inputs: &Inputs<'_>) -> Result<DType> {
        let bounds = self.source.n_inputs();
        if self.distribution != Distribution::Between {
            inputs.expect(bounds)?;
            return self
                .dtype
                .ok_or_else(|| err!(Internal, "{} has no dtype", self.name));
        }
        inputs.expect(bounds + 2)?;
        expect_rank(inputs, bounds, 0, "minval")?;
        expect_rank(inputs, bounds + 1, 0, "maxval")?;
        inputs.same_dtype(bounds, bounds + 1)
    }
}

impl Op for Draw {
    op_object!();
    fn name(&self) -> &'static str {
        self.name
    }
    fn attrs(&self) -> Attrs {
        let mut attrs = Attrs::new();
        if let Some(dtype) = self.dtype {
            attrs = attrs.with("dtype", Attr::DType(dtype));
        }
        if let Source::Stream(stream) = &self.source {
            let (seed, seed2) = stream.seeds;
            attrs = attrs
                .with("seed", Attr::Int(seed))
                .with("seed2", Attr::Int(seed2));
        }
        attrs
    }
    fn effect(&self) -> Effect {
        match self.source {
            Source::Stream(_) => Effect::World,
            _ => Effect::Pure,
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = self.dtype(inputs)?;
        if self.distribution.fill(dtype).is_none() {
            bail!(DType, "{} is not defined for {dtype}", self.name);
        }
        expect_index(inputs, 0, "shape")?;
        expect_rank(inputs, 0, 1, "shape")?;
        self.source.check(inputs)?;
        if let Some(known) = inputs.known(0)
            && let Some(size) = known.iter().flatten().find(|d| **d < 0)
        {
            bail!(Shape, "shape holds {size}, which is no size");
        }
        Ok(smallvec![TensorSpec::new(dtype, inputs.shape_value(0))])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let Some(n) = outputs[0].shape.n_elements() else {
            return Ok(None);
        };
        let Some(fill) = self.distribution.fill(outputs[0].dtype) else {
            return Ok(None);
        };
        let (source, bounds) = (self.source.clone(), self.source.n_inputs());
        let seed = match source {
            Source::Seed => inputs.dtype(1),
            _ => DType::Int64,
        };
        Ok(Some(Box::new(move |o| {
            let start = source.start(o, seed, n)?;
            fill(start, o, bounds)
        })))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// What the name of an operation says.
struct Kind {
    name: &'static str,
    distribution: Distribution,
    source: fn(&AttrReader<'_>) -> Result<Source>,
}

fn seed(_: &AttrReader<'_>) -> Result<Source> {
    Ok(Source::Seed)
}

fn key(_: &AttrReader<'_>) -> Result<Source> {
    Ok(Source::Key)
}

fn stream(a: &AttrReader<'_>) -> Result<Source> {
    let (seed, seed2) = (a.int_or("seed", 0)?, a.int_or("seed2", 0)?);
    Ok(Source::Stream(Stream::new(seed, seed2)))
}

fn make(kind: &Kind, a: &AttrReader<'_>) -> Result<OpRef> {
    let dtype = match kind.distribution {
        Distribution::Between => None,
        _ => Some(a.dtype("dtype")?),
    };
    Ok(Arc::new(Draw {
        name: kind.name,
        distribution: kind.distribution,
        dtype,
        source: (kind.source)(a)?,
    }))
}

macro_rules! table {
    ($($name:literal, $distribution:ident, $source:ident;)*) => {
        pub(super) fn register(r: &mut Registry) {
            $(r.add($name, |a| {
                make(&Kind { name: $name, distribution: Distribution::$distribution, source: $source }, a)
            });)*
        }
    };
}

table! {
    "StatelessRandomUniform", Uniform, seed;
    "StatelessRandomNormal", Normal, seed;
    "StatelessTruncatedNormal", TruncatedNormal, seed;
    "StatelessRandomUniformInt", Between, seed;
    "StatelessRandomUniformFullInt", AllIntegers, seed;
    "StatelessRandomUniformV2", Uniform, key;
    "StatelessRandomNormalV2", Normal, key;
    "StatelessTruncatedNormalV2", TruncatedNormal, key;
    "StatelessRandomUniformIntV2", Between, key;
    "StatelessRandomUniformFullIntV2", AllIntegers, key;
    "RandomUniform", Uniform, stream;
    "RandomStandardNormal", Normal, stream;
    "TruncatedNormal", TruncatedNormal, stream;
    "RandomUniformInt", Between, stream;
}
