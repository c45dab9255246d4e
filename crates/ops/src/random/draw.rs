//! Operations that draw a tensor of a given shape.

use super::fill::Distribution;
use super::key::{check_seed, read_seed};
use super::stream::{Drawing, Stream};
use crate::movement::static_shape;
use ferrograph_graph::{
    AttrDecl, AttrKind, AttrReader, AttrValue, Attrs, Batching, Decl, Effect, Inputs, Kind,
    Lowered, Op, OpRef, Operands, Port, Registry, Specs, op_object, sets,
};
use ferrograph_kernels::random::{PhiloxState, stateless_key_counter};
use ferrograph_tensor::{DType, Result, TensorSpec, bail, err};
use smallvec::smallvec;
use std::fmt;
use std::sync::Arc;

/// Where the numbers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A seed of two integers (input 1).
    Seed,
    /// A key and a counter (inputs 1 and 2) of the generator that input 3 names.
    Key,
    /// A stream that the operation keeps.
    Stream,
}

impl Source {
    /// Inputs before those of bounds.
    const fn n_inputs(self) -> usize {
        match self {
            Source::Seed => 2,
            Source::Key => 4,
            Source::Stream => 1,
        }
    }

    /// All inputs; the bounds of integers are the last two.
    const fn inputs(self, bounded: bool) -> &'static [Port] {
        let all = match self {
            Source::Seed => SEEDED,
            Source::Key => KEYED,
            Source::Stream => STREAMED,
        };
        match bounded {
            true => all,
            false => all.split_at(self.n_inputs()).0,
        }
    }

    /// The attributes, of which the dtype is that of the bounds where there are such.
    const fn attrs(self, bounded: bool) -> &'static [AttrDecl] {
        let (dtype, seeds) = ATTRS.split_at(1);
        match (self, bounded) {
            (Source::Stream, true) => seeds,
            (Source::Stream, false) => ATTRS,
            (_, true) => &[],
            (_, false) => dtype,
        }
    }
}

const MINVAL: Port = Port::new("minval", Kind::Var("dtype", sets::any)).of_rank(0);
const MAXVAL: Port = Port::new("maxval", Kind::Var("dtype", sets::any)).of_rank(0);
const SEEDED: &[Port] = &[
    Port::new("shape", Kind::Var("T", sets::index)).of_rank(1),
    Port::new("seed", Kind::Var("Tseed", sets::seed)),
    MINVAL,
    MAXVAL,
];
const KEYED: &[Port] = &[
    Port::new("shape", Kind::Var("Tshape", sets::index)).of_rank(1),
    Port::new("key", Kind::Is(DType::UInt64)).of_rank(1),
    Port::new("counter", Kind::Is(DType::UInt64)).of_rank(1),
    Port::new("alg", Kind::Is(DType::Int32)).of_rank(0),
    MINVAL,
    MAXVAL,
];
const STREAMED: &[Port] = &[
    Port::new("shape", Kind::Var("T", sets::index)).of_rank(1),
    Port::new("minval", Kind::Var("Tout", sets::any)).of_rank(0),
    Port::new("maxval", Kind::Var("Tout", sets::any)).of_rank(0),
];
const OUTPUT: &[Port] = &[Port::new("output", Kind::Var("dtype", sets::any))];
const ATTRS: &[AttrDecl] = &[
    AttrDecl {
        name: "dtype",
        kind: AttrKind::DType,
        default: None,
    },
    AttrDecl {
        name: "seed",
        kind: AttrKind::Int,
        default: Some(|| 0i64.to_attr()),
    },
    AttrDecl {
        name: "seed2",
        kind: AttrKind::Int,
        default: Some(|| 0i64.to_attr()),
    },
    AttrDecl {
        name: "shared",
        kind: AttrKind::Bool,
        default: Some(|| false.to_attr()),
    },
];

/// Philox, and the choice left to us, which is Philox.
const ALGORITHMS: [i32; 2] = [1, 3];

/// Where the key and the counter (inputs 1 and 2) of the generator that input 3 names begin.
///
/// # Errors
/// `Unimplemented` for another generator than Philox, `Shape` for other numbers of words.
pub fn keyed(o: &Operands<'_>) -> Result<PhiloxState> {
    keyed_by(o.input(1), o.input(2), o.input(3))
}

/// Where a draw begins that has this key, counter and generator.
pub(super) fn keyed_by(key: &[u64], counter: &[u64], alg: &[i32]) -> Result<PhiloxState> {
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

/// A row of the table: what a draw is.
pub(crate) struct DrawDef {
    decl: Decl,
    distribution: Distribution,
    source: Source,
}

impl DrawDef {
    const fn new(
        name: &'static str,
        doc: &'static str,
        distribution: Distribution,
        source: Source,
    ) -> DrawDef {
        let bounded = matches!(distribution, Distribution::Between);
        let (effect, batch) = match source {
            Source::Stream => (Effect::World, Batching::Rule),
            _ => (Effect::Pure, Batching::Loop),
        };
        let decl = Decl {
            doc,
            attrs: source.attrs(bounded),
            effect,
            batch,
            ..Decl::new(name, source.inputs(bounded), OUTPUT)
        };
        DrawDef {
            decl,
            distribution,
            source,
        }
    }
}

/// Random numbers of the shape that input 0 spells, out of the table of this family.
pub(crate) struct Draw {
    def: &'static DrawDef,
    /// Their dtype; without one it is that of the bounds.
    dtype: Option<DType>,
    /// What the numbers come from where no input says so.
    drawing: Drawing,
}

impl fmt::Debug for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.def.decl.name)
    }
}

impl Draw {
    fn make(def: &'static DrawDef, a: &AttrReader<'_>) -> Result<OpRef> {
        let bounded = def.distribution == Distribution::Between;
        Ok(Arc::new(Draw {
            def,
            dtype: (!bounded).then(|| a.dtype("dtype")).transpose()?,
            drawing: Drawing {
                name: def.decl.name.into(),
                seeds: (a.int_or("seed", 0)?, a.int_or("seed2", 0)?),
                shared: a.bool_or("shared", false)?,
                own: Stream::default(),
            },
        }))
    }

    /// The seeds and the stream of an operation that draws from one.
    pub(super) fn own_stream(&self) -> Option<((i64, i64), &Stream)> {
        let drawing = &self.drawing;
        matches!(self.def.source, Source::Stream).then_some((drawing.seeds, &drawing.own))
    }

    fn dtype(&self, inputs: &Inputs<'_>) -> Result<DType> {
        if let Some(dtype) = self.dtype {
            return Ok(dtype);
        }
        Ok(inputs.dtype(self.def.source.n_inputs()))
    }

    /// Where a draw of `n` numbers of that dtype begins.
    fn start(
        &self,
        seed: DType,
        dtype: DType,
    ) -> impl Fn(&Operands<'_>, usize) -> Result<PhiloxState> + use<> {
        let (source, drawing) = (self.def.source, self.drawing.clone());
        move |o, n| match source {
            Source::Seed => Ok(stateless_key_counter(read_seed(o, 1, seed)?)),
            Source::Key => keyed(o),
            Source::Stream => Ok(drawing.stream(dtype).reserve(n)),
        }
    }
}

impl Op for Draw {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &self.def.decl
    }
    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new().with_value("dtype", &self.dtype);
        match self.def.source {
            Source::Stream => attrs
                .with_value("seed", &self.drawing.seeds.0)
                .with_value("seed2", &self.drawing.seeds.1)
                .with_value("shared", &self.drawing.shared),
            _ => attrs,
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = self.dtype(inputs)?;
        if self.def.distribution.fill(dtype).is_none() {
            bail!(DType, "{} is not defined for {dtype}", self.def.decl.name);
        }
        if matches!(self.def.source, Source::Seed) {
            check_seed(inputs, 1)?;
        }
        if let Some(known) = inputs.known(0)
            && let Some(size) = known.iter().flatten().find(|d| **d < 0)
        {
            bail!(Shape, "shape holds {size}, which is no size");
        }
        Ok(smallvec![TensorSpec::new(dtype, inputs.shape_value(0))])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let n = static_shape(&outputs[0])?.n_elements();
        let fill = self
            .def
            .distribution
            .fill(outputs[0].dtype)
            .ok_or_else(|| err!(Internal, "{} has no numbers to draw", self.def.decl.name))?;
        let seed = match self.def.source {
            Source::Seed => inputs.dtype(1),
            _ => DType::Int64,
        };
        let start = self.start(seed, outputs[0].dtype);
        let bounds = self.def.source.n_inputs();
        Ok(Lowered::Kernel(Box::new(move |o| {
            let start = start(o, n)?;
            fill(start, o, bounds)
        })))
    }
}

macro_rules! table {
    ($($(#[doc = $doc:literal])* $name:literal: $distribution:ident, $source:ident;)*) => {
        pub(super) fn register(r: &mut Registry) {
            $({
                static DEF: DrawDef = DrawDef::new(
                    $name,
                    concat!($($doc, "\n"),*),
                    Distribution::$distribution,
                    Source::$source,
                );
                r.row(&DEF.decl, |a| Draw::make(&DEF, a));
            })*
        }
    };
}

table! {
    /// Numbers of shape `shape` even over `[0, 1)`, by `seed`.
    "StatelessRandomUniform": Uniform, Seed;
    /// Numbers of shape `shape`, normal with mean 0 and deviation 1, by `seed`.
    "StatelessRandomNormal": Normal, Seed;
    /// Numbers of shape `shape`, normal but of magnitude below 2, by `seed`.
    "StatelessTruncatedNormal": TruncatedNormal, Seed;
    /// Integers of shape `shape` even over `[minval, maxval)`, by `seed`.
    "StatelessRandomUniformInt": Between, Seed;
    /// Integers of shape `shape` even over all of their dtype, by `seed`.
    "StatelessRandomUniformFullInt": AllIntegers, Seed;
    /// Numbers of shape `shape` even over `[0, 1)`, by `key` and `counter`.
    "StatelessRandomUniformV2": Uniform, Key;
    /// Numbers of shape `shape`, normal with mean 0 and deviation 1, by `key` and `counter`.
    "StatelessRandomNormalV2": Normal, Key;
    /// Numbers of shape `shape`, normal but of magnitude below 2, by `key` and `counter`.
    "StatelessTruncatedNormalV2": TruncatedNormal, Key;
    /// Integers of shape `shape` even over `[minval, maxval)`, by `key` and `counter`.
    "StatelessRandomUniformIntV2": Between, Key;
    /// Integers of shape `shape` even over all of their dtype, by `key` and `counter`.
    "StatelessRandomUniformFullIntV2": AllIntegers, Key;
    /// Numbers of shape `shape` even over `[0, 1)`, other ones at each run.
    "RandomUniform": Uniform, Stream;
    /// Numbers of shape `shape`, normal with mean 0 and deviation 1, other ones at each run.
    "RandomStandardNormal": Normal, Stream;
    /// Numbers of shape `shape`, normal but of magnitude below 2, other ones at each run.
    "TruncatedNormal": TruncatedNormal, Stream;
    /// Integers of shape `shape` even over `[minval, maxval)`, other ones at each run.
    "RandomUniformInt": Between, Stream;
}
