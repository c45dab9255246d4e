//! What is refused, and why, is what tensorflow 2.21 refuses.

use super::translated;

#[track_caller]
fn reads(pattern: &str, as_: &str) {
    let found = translated(pattern).unwrap();
    assert_eq!(found, as_);
    regex::bytes::Regex::new(&found).unwrap();
}

#[track_caller]
fn refuses(pattern: &str, reason: &str) {
    let found = translated(pattern).unwrap_err();
    assert!(found.starts_with(reason), "{pattern}: {found}");
}

#[test]
fn classes_are_those_of_ascii() {
    reads(r"\w+\b", r"[0-9A-Za-z_]+(?-u:\b)");
    reads(r"[\d.]", r"[[0-9]\.]");
    reads(r"[^\s]", r"[^[\t\n\f\r ]]");
    reads(r"\\w", r"\\w");
}

#[test]
fn brackets_and_operators_in_a_class_stand_for_themselves() {
    reads("[[a]", r"[\[a]");
    reads("[]a]", r"[\]a]");
    reads("[^]a]", r"[^\]a]");
    reads("[a&&b]", r"[a\&\&b]");
    reads("[a-c--]", r"[a-c\-\-]");
    reads("[-a]", r"[\-a]");
    reads("[a-]", r"[a\-]");
    reads("[+--]", r"[\+-\-]");
    reads(r"[\d-z]", r"[[0-9]\-z]");
    reads("[[:alpha:]_]", r"[[:alpha:]\_]");
    reads("[[:^alpha:]-z]", r"[[:^alpha:]\-z]");
    reads("[[:alpha]", r"[\[\:alpha]");
    refuses("[[:foo:]]", "invalid character class range: [:foo:]");
    refuses("[b-a]", "invalid character class range: b-a");
    refuses(r"[a-\d]", r"invalid escape sequence: \d");
    refuses(r"[\b]", r"invalid escape sequence: \b");
    for open in ["[", "[a", "[]", "[^]", "[[:alpha:]"] {
        refuses(open, "missing ]");
    }
}

#[test]
fn quotes_and_numbers() {
    reads(r"\Qa.b\E+", r"a\.b+");
    reads(r"\Q[x", r"\[x");
    reads(r"\101\0\x41\x{263a}", "A\0A\u{263a}");
    reads(r"[\101-\x{43}\n]", "[A-C\n]");
    reads(r"[<>]\<\Q<\E", "[<>]<<");
    reads(r"\_\-\ \v", "\\_\\- \u{b}");
    for wrong in [
        r"\1",
        r"\8",
        r"\y",
        r"\é",
        r"\u0041",
        r"\x4",
        r"\x{}",
        r"\x{110000}",
        r"\E",
        r"\Z",
    ] {
        refuses(wrong, "invalid escape sequence: \\");
    }
    refuses("a\\", "trailing \\");
}

#[test]
fn half_pairs_are_in_no_text() {
    reads(r"\x{D800}", "[^\\x{0}-\\x{10FFFF}]");
    reads(r"[\x{D800}]", "[[^\\x{0}-\\x{10FFFF}]]");
    reads(r"[\x{D7FE}-\x{E001}]", "[\u{d7fe}-\u{e001}]");
    reads(r"[\x{D800}-\x{E001}]", "[\u{e000}-\u{e001}]");
    reads(r"[\x{D7FE}-\x{DFFF}]", "[\u{d7fe}-\u{d7ff}]");
}

#[test]
fn properties_go_by_their_exact_names() {
    reads(r"\pN\PL", r"[\p{gc=N}][^\p{gc=L}]");
    reads(r"\p{Greek}[\p{^Lu}]", r"[\p{sc=Greek}][[^\p{gc=Lu}]]");
    reads(r"\P{^Cs}\pC", r"[[^\x{0}-\x{10FFFF}]][\p{Cc}\p{Cf}\p{Co}]");
    for name in [
        r"\p{greek}",
        r"\p{Letter}",
        r"\p{gc=Lu}",
        r"\p{Latn}",
        r"\pX",
        r"\p{L",
        r"\p",
    ] {
        refuses(name, "invalid character class range: \\p");
    }
    let names = super::letters::names();
    assert!(names.len() > 190);
    names.iter().for_each(|name| {
        let found = translated(&format!("\\p{{{name}}}")).unwrap();
        assert!(regex::bytes::Regex::new(&found).is_ok(), "{found}");
    });
}

#[test]
fn groups_and_flags() {
    reads("(?P<n>a)(?P<n>b)(?P<1é>c)", "(a)(b)(c)");
    reads("(?:a)(?)(?ii)(?i-i:b)", "(?:a)(?i)(?-i:b)");
    reads("(?is-mU:a|b)", "(?is-Um:a|b)");
    refuses("(a", "missing )");
    refuses("a)", "unexpected )");
    refuses("(?P<a-b>c)", "invalid named capture group: (?P<a-b>");
    refuses("(?P<a", "invalid named capture group: (?P<a");
    for wrong in [
        "(?<n>a)", "(?=a)", "(?!a)", "(?<=a)", "(?P=n)", "(?x)a", "(?u)a", "(?-)a", "(?i-)a",
        "(?#c)", "(?>a)", "(?i",
    ] {
        refuses(wrong, "invalid or unsupported Perl syntax: (?");
    }
}

#[test]
fn repetitions() {
    reads("a{2}b{2,}c{0,3}?d*?", "a{2}b{2,}c{0,3}?d*?");
    reads(
        "a{b{1c{,2}d{ 1}e{01}f{9999999999}",
        r"a\{b\{1c\{\,2\}d\{ 1\}e\{01\}f\{9999999999\}",
    );
    reads("^*(?:a{100}){10}|b{1000}", "^*(?:a{100}){10}|b{1000}");
    for wrong in [
        "a{1001}",
        "a{2,1}",
        "(a{100}){11}",
        "(?:(a{10}|b){10}){11}",
        "(a{100,}){0,11}",
    ] {
        refuses(wrong, "invalid repetition size: {");
    }
    for wrong in ["a**", "a*+", "a???", "a{2}{2}", "a+?+"] {
        refuses(wrong, "bad repetition operator: ");
    }
    for wrong in ["*", "a|*", "(+)", "{1}", "(?i)?"] {
        refuses(wrong, "no argument for repetition operator: ");
    }
}
