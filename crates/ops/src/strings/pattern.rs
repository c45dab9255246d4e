//! Regular expressions.

use super::syntax::translated;
use super::{char_len, map_strings};
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_kernels::scratch::{collected, reserve, vec_for};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, Result, Tensor, err, string_of};
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

/// A pattern that is read and, if `whole`, matches nothing but a whole string.
fn compiled(pattern: &[u8], whole: bool) -> Result<Regex> {
    read(pattern, whole).map_err(|reason| {
        let pattern = pattern.escape_ascii();
        err!(
            InvalidArgument,
            "\"{pattern}\" is no regular expression: {reason}"
        )
    })
}

fn read(pattern: &[u8], whole: bool) -> std::result::Result<Regex, String> {
    let text = std::str::from_utf8(pattern).map_err(|_| "invalid UTF-8")?;
    let mut text = translated(text)?;
    if whole {
        text = format!("\\A(?:{text})\\z");
    }
    Regex::new(&text).map_err(|error| {
        let error = error.to_string();
        // A drawing of the translated pattern stands before the reason.
        error
            .rsplit_once("error: ")
            .map_or(error.as_str(), |(_, reason)| reason)
            .to_owned()
    })
}

/// The only string of a tensor.
fn single<'a>(t: &'a Tensor, what: &str) -> Result<&'a [u8]> {
    match t.as_strings()? {
        [s] => Ok(s),
        _ => Err(err!(Shape, "{what} must be a scalar, got {}", t.spec())),
    }
}

/// What stands in the place of a match.
#[derive(Debug, PartialEq)]
struct Rewrite<'a> {
    parts: Vec<Part<'a>>,
    /// Whether there was no backslash before anything but digits and backslashes. The text ends before the first such one.
    is_whole: bool,
}

#[derive(Debug, PartialEq)]
enum Part<'a> {
    Text(&'a [u8]),
    Group(usize),
}

impl<'a> Rewrite<'a> {
    fn of(text: &'a [u8]) -> Self {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(at) = rest.iter().position(|b| *b == b'\\') {
            parts.push(Part::Text(&rest[..at]));
            match rest.get(at + 1) {
                Some(d) if d.is_ascii_digit() => parts.push(Part::Group(usize::from(d - b'0'))),
                Some(b'\\') => parts.push(Part::Text(b"\\")),
                _ => {
                    return Self {
                        parts,
                        is_whole: false,
                    };
                }
            }
            rest = &rest[at + 2..];
        }
        parts.push(Part::Text(rest));
        Self {
            parts,
            is_whole: true,
        }
    }

    /// The highest number of a group in a rewrite, also behind an escape that is none.
    fn highest(mut text: &[u8]) -> usize {
        let mut highest = 0;
        while let Some(at) = text.iter().position(|b| *b == b'\\') {
            let digit = text.get(at + 1).filter(|b| b.is_ascii_digit());
            highest = highest.max(digit.map_or(0, |d| usize::from(d - b'0')));
            text = text.get(at + 2..).unwrap_or(&[]);
        }
        highest
    }

    /// Adds what stands in the place of one match. A group that took no part is empty.
    fn append(&self, out: &mut Vec<u8>, groups: &Captures<'_>) {
        for part in &self.parts {
            match part {
                Part::Text(text) => append(out, text),
                Part::Group(n) => append(out, groups.get(*n).map_or(&[], |g| g.as_bytes())),
            }
        }
    }
}

/// Each string with the matches of a pattern, all or the first, rewritten.
///
/// As in tensorflow 2.21, strings stay as they are where the rewrite names a group that the pattern does not have. Where a
/// backslash in it is followed by neither a digit nor a backslash, the first match stays; all matches are replaced by what
/// stands before that backslash.
fn replaced(strings: &Tensor, pattern: &[u8], rewrite: &[u8], global: bool) -> Result<Tensors> {
    let regex = compiled(pattern, false)?;
    let parts = Rewrite::of(rewrite);
    let limit = match global {
        _ if Rewrite::highest(rewrite) >= regex.captures_len() => 0,
        false if !parts.is_whole => 0,
        false => 1,
        true => usize::MAX,
    };
    let replace = |s: &[u8]| string_of(&replaced_in(s, &regex, &parts, limit));
    Ok(smallvec![map_strings(strings, replace)?])
}

fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    reserve(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// A string with that many matches rewritten at most. Empty matches inside of a character are none.
fn replaced_in(s: &[u8], regex: &Regex, rewrite: &Rewrite<'_>, limit: usize) -> Vec<u8> {
    let mut start = 0; // of a character, the last one that was asked for or one before
    let mut between = |at: usize| {
        while start < at {
            start += char_len(&s[start..]);
            poll_cancellation();
        }
        start == at
    };
    let (mut out, mut done) = (vec_for(s.len()), 0);
    let whole = regex.captures_iter(s).filter_map(|c| Some((c.get(0)?, c)));
    let matches = whole.filter(|(m, _)| !m.is_empty() || between(m.start()));
    for (all, groups) in matches.take(limit) {
        poll_cancellation();
        append(&mut out, &s[done..all.start()]);
        rewrite.append(&mut out, &groups);
        done = all.end();
    }
    append(&mut out, &s[done..]);
    out
}

/// Whether a pattern matches the whole of each string.
fn matched(strings: &Tensor, pattern: &[u8]) -> Result<Tensors> {
    let regex = compiled(pattern, true)?;
    let matches = |s: &Bytes| {
        poll_cancellation();
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
