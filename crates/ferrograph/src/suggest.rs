//! What a misspelled name was meant to be.

/// The candidate that is spelled most like a name; none where all are spelled otherwise.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let name: Vec<char> = lower(name);
    let far = |candidate: &'c str| {
        let other = lower(candidate);
        let longest = name.len().max(other.len());
        // A word of another length is no misspelling, and need not be held against the name letter by letter.
        let fits = name.len().abs_diff(other.len()) <= longest / 3 && longest <= LONGEST;
        let far = if fits {
            distance(&name, &other)
        } else {
            longest
        };
        (far <= longest / 3).then_some((far, candidate))
    };
    let found = candidates.into_iter().filter_map(far);
    found.min_by_key(|(far, _)| *far).map(|(_, found)| found)
}

/// A remark that names the candidate, to stand behind a name that is none; empty where there is no such candidate.
pub(crate) fn remark<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    match nearest(name, candidates) {
        Some(found) => format!(" (did you mean {found:?}?)"),
        None => String::new(),
    }
}

/// Longer names are not compared: the time grows with the square.
const LONGEST: usize = 200;

fn lower(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters to insert, delete, replace or exchange with the next one make one word of the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_recognised() {
        let commands = ["inspect", "run", "help"];
        for (name, want) in [
            ("inspct", Some("inspect")),
            ("isnpect", Some("inspect")),
            ("Run", Some("run")),
            ("rnu", Some("run")),
            ("runs", Some("run")),
            ("look", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, commands), want, "{name}");
        }
        assert_eq!(nearest("X", ["x", "y"]), Some("x"));
        assert_eq!(nearest("image", ["imagee", "images"]), Some("imagee"));
        assert_eq!(nearest("größe", ["grösse", "große"]), Some("große"));
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [&long[..]]), None);
        assert_eq!(remark("imags", ["images"]), " (did you mean \"images\"?)");
    }
}
