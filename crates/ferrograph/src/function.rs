//! Functions of the program that saved a model.

use crate::argument::Argument;
use crate::call::{bind, choose, positional};
use crate::error::{Result, guarded};
use crate::output::Output;
use crate::trace::Trace;
use ferrograph_saved::Params;
use std::fmt;
use std::sync::Arc;

/// A function of a loaded model: the traces that were saved, and no more.
///
/// A call runs the first trace that it fits: whose plain values are equal, and whose tensors have dtypes and shapes like
/// the arguments'. A number or text may be given for a scalar tensor where no trace takes it as it is.
///
/// ```
/// use ferrograph::{Argument, Model};
/// use ndarray::array;
///
/// # fn main() -> ferrograph::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/saved/recorded/model");
/// let model = Model::load(folder)?;
/// let choose = model.function("choose")?;
/// let x = Argument::tensor(array![1.0f32, 2.0])?;
/// let plain = choose.call([x.clone()])?;
/// assert_eq!(plain.tensor()?.view::<f32>()?, array![2.0, 4.0].into_dyn());
/// let training = choose.call_with([x], [("training", true)])?;
/// assert_eq!(training.tensor()?.view::<f32>()?, array![2.0, 4.0].into_dyn());
/// # Ok(())
/// # }
/// ```
pub struct Function<'m> {
    name: String,
    params: Option<&'m Params>,
    traces: &'m [Arc<Trace>],
}

impl<'m> Function<'m> {
    pub(crate) fn new(
        name: String,
        params: Option<&'m Params>,
        traces: &'m [Arc<Trace>],
    ) -> Function<'m> {
        Function {
            name,
            params,
            traces,
        }
    }

    /// The way to it from the root of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its traces.
    pub fn traces(&self) -> impl ExactSizeIterator<Item = &'m Trace> + use<'m> {
        self.traces.iter().map(|t| &**t)
    }

    /// Calls it with arguments by position.
    ///
    /// # Errors
    /// `InvalidArgument` where no trace fits the call, with the closest one and what differs; otherwise what goes wrong
    /// when it runs.
    pub fn call(&self, args: impl IntoIterator<Item = Argument>) -> Result<Output> {
        self.call_with(args, std::iter::empty::<(String, Argument)>())
    }

    /// Calls it with arguments by position and by name.
    ///
    /// # Errors
    /// As [`Function::call`].
    pub fn call_with<K: Into<String>, A: Into<Argument>>(
        &self,
        args: impl IntoIterator<Item = Argument>,
        named: impl IntoIterator<Item = (K, A)>,
    ) -> Result<Output> {
        let args = args.into_iter().collect();
        let named = named
            .into_iter()
            .map(|(k, a)| (k.into(), a.into()))
            .collect();
        let any = Params {
            named: Vec::new(),
            rest: Some("args".into()),
            extra: Some("kwargs".into()),
        };
        let params = self.params.unwrap_or(&any);
        let names = positional(params);
        guarded(|| {
            let call = bind(&self.name, params, args, named)?;
            let (trace, tensors) = choose(&self.name, &names, self.traces, &call)?;
            let found = trace.compute(&tensors)?;
            let mut found = found.into_iter().map(crate::Value);
            Output::of(&trace.result, &mut found)
        })
    }

    /// How the calls look that its traces serve, a line each.
    pub fn signatures(&self) -> Vec<String> {
        let names = self.params.map(positional).unwrap_or_default();
        let shown = |t: &Arc<Trace>| format!("{} -> {}", t.shown(&self.name, &names), t.result);
        self.traces.iter().map(shown).collect()
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signatures().join("\n"))
    }
}
