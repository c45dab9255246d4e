//! Names of files that fit a pattern.

use ferrograph_formats::files::{failed, path_of};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::Result;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;

/// The names of the files and folders that fit a pattern, sorted. Between slashes, `*` matches any characters, `?`
/// for one, `[a-z]` for one of these, `[!a-z]` for one that is none of these, and `\` takes the next one as it is. Names
/// that such a pattern finds in the working folder begin with `./`.
///
/// # Errors
/// Those of reading a folder, but for what is not there, where nothing fits.
pub fn matching(pattern: &[u8]) -> Result<Vec<Vec<u8>>> {
    let absolute = pattern.first() == Some(&b'/');
    let mut found = vec![if absolute { b"/".to_vec() } else { Vec::new() }];
    for part in pattern.split(|b| *b == b'/').filter(|p| !p.is_empty()) {
        let mut deeper = Vec::new();
        for folder in &found {
            step(folder, part, &mut deeper)?;
        }
        found = deeper;
    }
    found.retain(|path| !path.is_empty() && path.as_slice() != b"/");
    found.sort_unstable();
    Ok(found)
}

/// Adds what fits a part of a pattern within a folder.
fn step(folder: &[u8], part: &[u8], found: &mut Vec<Vec<u8>>) -> Result<()> {
    if !part.iter().any(|b| b"*?[\\".contains(b)) {
        let path = joined(folder, part);
        if path_of(&path).symlink_metadata().is_ok() {
            found.push(path);
        }
        return Ok(());
    }
    let folder = if folder.is_empty() { b"." } else { folder };
    let at = path_of(folder);
    let entries = match std::fs::read_dir(&at) {
        Ok(entries) => entries,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(());
        }
        Err(e) => return Err(failed(&at, &e)),
    };
    for entry in entries {
        poll_cancellation();
        let name = entry.map_err(|e| failed(&at, &e))?.file_name();
        if fits(part, name.as_bytes()) {
            found.push(joined(folder, name.as_bytes()));
        }
    }
    Ok(())
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = match folder.last() {
        None | Some(b'/') => b"",
        Some(_) => b"/",
    };
    [folder, slash, name].concat()
}

/// Whether a name fits a pattern without slashes. Each star is tried at ever later places, and only the last one again.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    loop {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
            continue;
        }
        match (name.get(n), one(&pattern[p..], name.get(n))) {
            (None, _) if p == pattern.len() => return true,
            (Some(_), Some(used)) => {
                p += used;
                n += 1;
            }
            _ => match star {
                Some((at, from)) if from < name.len() => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                _ => return false,
            },
        }
    }
}

/// How much of a pattern matches that character, if it does.
fn one(pattern: &[u8], character: Option<&u8>) -> Option<usize> {
    let c = *character?;
    match pattern {
        [b'?', ..] => Some(1),
        [b'[', rest @ ..] => match set(rest, c) {
            Some((used, holds)) => holds.then_some(used + 1),
            None => (c == b'[').then_some(1),
        },
        [b'\\', escaped, ..] => (*escaped == c).then_some(2),
        [plain, ..] => (*plain == c).then_some(1),
        [] => None,
    }
}

/// How long a set is up to its closing bracket, and whether it holds a character; `None` where it is not closed.
fn set(pattern: &[u8], c: u8) -> Option<(usize, bool)> {
    let inverted = matches!(pattern.first(), Some(b'!' | b'^'));
    let first = usize::from(inverted);
    let (mut at, mut holds) = (first, false);
    while pattern.get(at)? != &b']' || at == first {
        let low = *pattern.get(at)?;
        let high = match pattern.get(at + 1..at + 3) {
            Some([b'-', high]) if *high != b']' => *high,
            _ => low,
        };
        holds |= (low..=high).contains(&c);
        at += if pattern.get(at + 1) == Some(&b'-') && high_follows(pattern, at) {
            3
        } else {
            1
        };
    }
    Some((at + 1, holds != inverted))
}

fn high_follows(pattern: &[u8], at: usize) -> bool {
    pattern.get(at + 2).is_some_and(|high| *high != b']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_one_name() {
        let yes = [
            ("*", "abc"),
            ("a*c", "abbc"),
            ("a*b*c", "axbxbxc"),
            ("?b?", "abc"),
            ("[a-c]x", "bx"),
            ("[!a-c]x", "dx"),
            ("[]x]", "]"),
            ("\\*", "*"),
            ("[", "["),
            ("*.txt", ".txt"),
            ("[a-]", "-"),
        ];
        let no = [
            ("a", "ab"),
            ("?", ""),
            ("a*c", "ab"),
            ("[a-c]", "d"),
            ("[^a]", "a"),
            ("\\*", "a"),
            ("", "a"),
        ];
        for (pattern, name) in yes {
            assert!(
                fits(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
        for (pattern, name) in no {
            assert!(
                !fits(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!fits(&b"*a".repeat(40), &[b'a'; 39]));
        assert!(!fits(
            &[b"*a".repeat(500), b"b".to_vec()].concat(),
            &[b'a'; 5000]
        ));
    }
}
