//! Regular expressions.

use super::{like_input, map_strings};
use crate::args::{checked, expect_rank};
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Inputs, Op, Registry, Runner, Specs, Tensors, op_object,
};
use ferrograph_tensor::{Bytes, DType, Result, Tensor, bail, err};
use regex::bytes::{Captures, Regex};
use smallvec::smallvec;
use std::sync::Arc;

fn compiled(pattern: &[u8]) -> Result<Regex> {
    let text = std::str::from_utf8(pattern).ok();
    let regex = text.and_then(|t| Regex::new(t).ok());
    regex.ok_or_else(|| {
        err!(
            InvalidArgument,
            "\"{}\" is no regular expression",
            pattern.escape_ascii()
        )
    })
}

/// The only string of a tensor.
fn single<'a>(t: &'a Tensor, what: &str) -> Result<&'a [u8]> {
    match t.as_strings()? {
        [s] => Ok(s),
        _ => Err(err!(Shape, "{what} must be a scalar, got {}", t.spec())),
    }
}

/// Each string of input 0 with what matches a pattern rewritten; `\1` in the rewrite is the first group, `\0` all.
/// Pattern and rewrite are attributes, or else inputs 1 and 2.
#[derive(Debug)]
pub struct RegexReplace {
    /// Pattern and rewrite where they are fixed.
    pub fixed: Option<(String, String)>,
    /// Every match rather than the first.
    pub replace_global: bool,
}

/// The rewrite for one match.
fn rewritten(rewrite: &[u8], groups: &Captures<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(rewrite.len());
    let mut bytes = rewrite.iter();
    while let Some(&b) = bytes.next() {
        match (b, if b == b'\\' { bytes.next() } else { None }) {
            (b'\\', Some(d @ b'0'..=b'9')) => {
                let group = groups.get(usize::from(d - b'0'));
                out.extend_from_slice(group.map_or(&[], |g| g.as_bytes()));
            }
            (b'\\', Some(&other)) => out.push(other),
            (b, _) => out.push(b),
        }
    }
    out
}

impl Op for RegexReplace {
    op_object!();
    fn name(&self) -> &'static str {
        match self.fixed {
            Some(_) => "StaticRegexReplace",
            None => "RegexReplace",
        }
    }
    fn attrs(&self) -> Attrs {
        let attrs = match &self.fixed {
            Some((pattern, rewrite)) => Attrs::new()
                .with("pattern", Attr::str(pattern))
                .with("rewrite", Attr::str(rewrite)),
            None => Attrs::new(),
        };
        attrs.with("replace_global", Attr::Bool(self.replace_global))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        match self.fixed {
            Some(_) => inputs.expect(1)?,
            None => {
                inputs.expect(3)?;
                for (i, what) in [(1, "pattern"), (2, "rewrite")] {
                    inputs.expect_dtype(i, DType::String)?;
                    expect_rank(inputs, i, 0, what)?;
                }
            }
        }
        like_input(inputs, DType::String)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let (pattern, rewrite) = match &self.fixed {
            Some((pattern, rewrite)) => (pattern.as_bytes(), rewrite.as_bytes()),
            None => (
                single(&inputs[1], "pattern")?,
                single(&inputs[2], "rewrite")?,
            ),
        };
        let regex = compiled(pattern)?;
        let groups = regex.captures_len();
        let highest = rewrite
            .windows(2)
            .filter(|w| w[0] == b'\\' && w[1].is_ascii_digit())
            .map(|w| usize::from(w[1] - b'0'))
            .max();
        if highest.is_some_and(|h| h >= groups) {
            bail!(
                InvalidArgument,
                "the rewrite \"{}\" names a group that \"{}\" does not have",
                rewrite.escape_ascii(),
                pattern.escape_ascii()
            );
        }
        let limit = usize::from(!self.replace_global);
        let replace = |s: &[u8]| -> Result<Bytes> {
            let new = regex.replacen(s, limit, |c: &Captures<'_>| rewritten(rewrite, c));
            Ok(new.into_owned().into())
        };
        Ok(smallvec![map_strings(&inputs[0], replace)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Whether a pattern matches the whole of each string of input 0. The pattern is an attribute, or else input 1.
#[derive(Debug)]
pub struct RegexFullMatch {
    /// The pattern where it is fixed.
    pub fixed: Option<String>,
}

impl Op for RegexFullMatch {
    op_object!();
    fn name(&self) -> &'static str {
        match self.fixed {
            Some(_) => "StaticRegexFullMatch",
            None => "RegexFullMatch",
        }
    }
    fn attrs(&self) -> Attrs {
        match &self.fixed {
            Some(pattern) => Attrs::new().with("pattern", Attr::str(pattern)),
            None => Attrs::new(),
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if self.fixed.is_some() {
            inputs.expect(1)?;
        } else {
            inputs.expect(2)?;
            inputs.expect_dtype(1, DType::String)?;
            expect_rank(inputs, 1, 0, "pattern")?;
        }
        like_input(inputs, DType::Bool)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let pattern = match &self.fixed {
            Some(pattern) => pattern.as_bytes(),
            None => single(&inputs[1], "pattern")?,
        };
        compiled(pattern)?;
        let whole = [b"\\A(?:", pattern, b")\\z"].concat();
        let regex = compiled(&whole)?;
        let matches = |s: &Bytes| regex.is_match(s);
        let all: Vec<bool> = inputs[0].as_strings()?.iter().map(matches).collect();
        Ok(smallvec![Tensor::from_slice(
            inputs[0].shape().clone(),
            &all
        )?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add("RegexReplace", |a| {
        Ok(Arc::new(RegexReplace {
            fixed: None,
            replace_global: a.bool_or("replace_global", true)?,
        }))
    });
    r.add("StaticRegexReplace", |a| {
        Ok(Arc::new(RegexReplace {
            fixed: Some((a.str("pattern")?, a.str("rewrite")?)),
            replace_global: a.bool_or("replace_global", true)?,
        }))
    });
    r.add("RegexFullMatch", |_| {
        Ok(Arc::new(RegexFullMatch { fixed: None }))
    });
    r.add("StaticRegexFullMatch", |a| {
        Ok(Arc::new(RegexFullMatch {
            fixed: Some(a.str("pattern")?),
        }))
    });
}
