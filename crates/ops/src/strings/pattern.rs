//! Regular expressions.

use super::syntax::translated;
use super::{char_len, map_strings};
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_kernels::scratch::{collected, reserve, vec_for};
use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{Bytes, Result, Tensor, bail, err, string_of};
use regex::bytes::{Captures, Regex};
use smallvec::smallvec;

declare! {
    trait EmitPattern;

    /// Each of `input` with what matches `pattern` rewritten; `\\1` in `rewrite` is the first group, `\\0` all.
    RegexReplace: regex_replace(input: string, pattern: string rank 0, rewrite: string rank 0) -> (output: string like input), gradient Stops, batch Leads(1) {
        /// Every match rather than the first.
        replace_global: bool = true,
    };

    /// As `RegexReplace`, by a pattern and a rewrite that are fixed.
    StaticRegexReplace: static_regex_replace(input: string) -> (output: string like input), gradient Stops, batch Broadcasts {
        /// What is looked for.
        pattern: String,
        /// What stands in its place.
        rewrite: String,
        /// Every match rather than the first.
        replace_global: bool = true,
    };

    /// Whether `pattern` matches the whole of each of `input`.
    RegexFullMatch: regex_full_match(input: string, pattern: string rank 0) -> (output: bool like input), gradient Stops, batch Leads(1);

    /// As `RegexFullMatch`, by a pattern that is fixed.
    StaticRegexFullMatch: static_regex_full_match(input: string) -> (output: bool like input), gradient Stops, batch Broadcasts {
        /// The pattern.
        pattern: String,
    };
}

fn compiled(pattern: &[u8]) -> Result<Regex> {
    let text = std::str::from_utf8(pattern).ok();
    let regex = text.and_then(|t| Regex::new(&translated(t)).ok());
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

/// The rewrite for one match.
fn rewritten(rewrite: &[u8], groups: &Captures<'_>) -> Vec<u8> {
    let mut out = vec_for(rewrite.len());
    let mut bytes = rewrite.iter();
    while let Some(&b) = bytes.next() {
        match (b, if b == b'\\' { bytes.next() } else { None }) {
            (b'\\', Some(d @ b'0'..=b'9')) => {
                let group = groups.get(usize::from(d - b'0'));
                append(&mut out, group.map_or(&[], |g| g.as_bytes()));
            }
            (b'\\', Some(&other)) => out.push(other),
            (b, _) => out.push(b),
        }
    }
    out
}

/// Each string with the matches of a pattern, all or the first, rewritten.
fn replaced(strings: &Tensor, pattern: &[u8], rewrite: &[u8], global: bool) -> Result<Tensors> {
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
    let limit = if global { usize::MAX } else { 1 };
    let replace = |s: &[u8]| string_of(&replaced_in(s, &regex, rewrite, limit));
    Ok(smallvec![map_strings(strings, replace)?])
}

fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    reserve(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// A string with that many matches rewritten at most. Empty matches inside of a character are none.
fn replaced_in(s: &[u8], regex: &Regex, rewrite: &[u8], limit: usize) -> Vec<u8> {
    let mut start = 0; // of a character, the last one that was asked for or one before
    let mut between = |at: usize| {
        while start < at {
            start += char_len(&s[start..]);
            breathe();
        }
        start == at
    };
    let (mut out, mut done) = (vec_for(s.len()), 0);
    let whole = regex.captures_iter(s).filter_map(|c| Some((c.get(0)?, c)));
    let matches = whole.filter(|(m, _)| !m.is_empty() || between(m.start()));
    for (all, groups) in matches.take(limit) {
        breathe();
        append(&mut out, &s[done..all.start()]);
        append(&mut out, &rewritten(rewrite, &groups));
        done = all.end();
    }
    append(&mut out, &s[done..]);
    out
}

/// Whether a pattern matches the whole of each string.
fn matched(strings: &Tensor, pattern: &[u8]) -> Result<Tensors> {
    compiled(pattern)?;
    let whole = [b"\\A(?:", pattern, b")\\z"].concat();
    let regex = compiled(&whole)?;
    let matches = |s: &Bytes| {
        breathe();
        regex.is_match(s)
    };
    let all = collected(strings.as_strings()?.iter().map(matches));
    Ok(smallvec![Tensor::from_slice(
        strings.shape().clone(),
        &all
    )?])
}

impl Op for RegexReplace {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (pattern, rewrite) = (
            single(&inputs[1], "pattern")?,
            single(&inputs[2], "rewrite")?,
        );
        replaced(&inputs[0], pattern, rewrite, self.replace_global)
    }
}

impl Op for StaticRegexReplace {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (pattern, rewrite) = (self.pattern.as_bytes(), self.rewrite.as_bytes());
        replaced(&inputs[0], pattern, rewrite, self.replace_global)
    }
}

impl Op for RegexFullMatch {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        matched(&inputs[0], single(&inputs[1], "pattern")?)
    }
}

impl Op for StaticRegexFullMatch {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        matched(&inputs[0], self.pattern.as_bytes())
    }
}
