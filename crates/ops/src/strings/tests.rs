//! Strings against recorded results.

use crate::tests::support::*;
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, Tensor};

fn list(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> Vec<String> {
    text(&one(name, attrs, inputs))
}

#[test]
fn case_space_and_length() {
    let a = words(&[3], &[" aB\t", "Éa", ""]);
    assert_eq!(list("StringUpper", &[], &[&a]), [" AB\t", "ÉA", ""]);
    let utf8 = [("encoding", Attr::str("utf-8"))];
    assert_eq!(list("StringLower", &utf8, &[&a]), [" ab\t", "éa", ""]);
    assert_eq!(list("StringStrip", &[], &[&a]), ["aB", "Éa", ""]);
    let b = words(&[2], &["héllo", "wörld"]);
    let chars = [("unit", Attr::str("UTF8_CHAR"))];
    assert_eq!(one("StringLength", &[], &[&b]).to_i64s().unwrap(), [6, 6]);
    assert_eq!(
        one("StringLength", &chars, &[&b]).to_i64s().unwrap(),
        [5, 5]
    );
    assert_eq!(list("Substr", &[], &[&b, &s(1), &s(2)]), ["é", "ö"]);
    assert_eq!(list("Substr", &chars, &[&b, &s(-2), &s(2)]), ["lo", "ld"]);
    assert_eq!(
        list("Substr", &[], &[&b, &v(&[3, 0]), &v(&[4, 1])]),
        ["llo", "w"]
    );
    assert_eq!(
        list("Substr", &[], &[&words(&[], &["ab"]), &s(2), &s(1)]),
        [""]
    );
    assert!(run("Substr", &[], &[&words(&[1], &["ab"]), &s(5), &s(1)]).is_err());
    assert!(run("Substr", &[], &[&words(&[1], &["ab"]), &s(-3), &s(1)]).is_err());
}

#[test]
fn joins() {
    let (a, c) = (words(&[2], &["a", "b"]), words(&[2], &["c", "d"]));
    let dash = [("separator", Attr::str("-"))];
    assert_eq!(list("StringJoin", &dash, &[&a, &c]), ["a-c", "b-d"]);
    assert_eq!(
        list("StringJoin", &[], &[&a, &words(&[], &["!"])]),
        ["a!", "b!"]
    );
    assert!(run("StringJoin", &[], &[&a, &words(&[3], &["x", "y", "z"])]).is_err());
    let m = words(&[2, 2], &["a", "b", "c", "d"]);
    assert_eq!(list("ReduceJoin", &[], &[&m, &s(0)]), ["ac", "bd"]);
    assert_eq!(list("ReduceJoin", &[], &[&m, &v(&[0, 1])]), ["acbd"]);
    assert_eq!(list("ReduceJoin", &[], &[&m, &v(&[1, 0])]), ["abcd"]);
    let keep = [("keep_dims", Attr::Bool(true))];
    assert_eq!(
        one("ReduceJoin", &keep, &[&m, &s(1)]).shape().dims(),
        [2, 1]
    );
    assert_eq!(list("ReduceJoin", &[], &[&words(&[0], &[]), &s(0)]), [""]);
    let ids = v(&[0, 3, 0, 1]);
    let flat = words(&[4], &["a", "b", "c", "d"]);
    assert_eq!(
        list("UnsortedSegmentJoin", &dash, &[&flat, &ids, &s(5)]),
        ["a-c", "d", "", "b", ""]
    );
}

#[test]
fn splits() {
    let a = words(&[4], &["a b  c", " x,y ,", "p,,q", ""]);
    let cut = |sep: &str, max: i64| {
        let attrs = [("maxsplit", Attr::Int(max))];
        let out = run("StringSplitV2", &attrs, &[&a, &words(&[], &[sep])]).unwrap();
        (text(&out[1]), out[2].to_i64s().unwrap())
    };
    assert_eq!(cut("", -1).0, ["a", "b", "c", "x,y", ",", "p,,q"]);
    assert_eq!(cut("", 0).0, ["a b  c", " x,y ,", "p,,q", ""]);
    assert_eq!(cut("", 1).0, ["a", "b  c", "x,y", ",", "p,,q", ""]);
    assert_eq!(cut("", 3).0, ["a", "b", "c", "", "x,y", ",", "p,,q"]);
    assert_eq!(cut(",", -1).0, ["a b  c", " x", "y ", "", "p", "", "q", ""]);
    assert_eq!(
        cut(",", 1),
        (
            ["a b  c", " x", "y ,", "p", ",q", ""]
                .map(String::from)
                .to_vec(),
            vec![4, 2]
        )
    );
}

#[test]
fn numbers_to_text_and_back() {
    let i = v(&[1, -22]);
    let x = v(&[1.5f32, -0.25, 1e10]);
    assert_eq!(list("AsString", &[], &[&i]), ["1", "-22"]);
    let wide = ("width", Attr::Int(5));
    assert_eq!(
        list("AsString", std::slice::from_ref(&wide), &[&i]),
        ["    1", "  -22"]
    );
    assert_eq!(
        list("AsString", &[wide, ("fill", Attr::str("0"))], &[&i]),
        ["00001", "-0022"]
    );
    assert_eq!(
        list("AsString", &[], &[&x]),
        ["1.500000", "-0.250000", "10000000000.000000"]
    );
    assert_eq!(
        list("AsString", &[("precision", Attr::Int(2))], &[&x]),
        ["1.50", "-0.25", "10000000000.00"]
    );
    assert_eq!(
        list("AsString", &[("scientific", Attr::Bool(true))], &[&x]),
        ["1.500000e+00", "-2.500000e-01", "1.000000e+10"]
    );
    assert_eq!(
        list("AsString", &[("shortest", Attr::Bool(true))], &[&x]),
        ["1.5", "-0.25", "1e+10"]
    );
    assert_eq!(
        list("AsString", &[], &[&v(&[true, false])]),
        ["true", "false"]
    );
    let n = words(&[4], &["1.5", "-2", "1e3", " 7 "]);
    let read = one("StringToNumber", &[], &[&n]);
    assert_eq!(read.as_slice::<f32>().unwrap(), [1.5, -2.0, 1000.0, 7.0]);
    let int = [("out_type", Attr::DType(DType::Int32))];
    assert!(run("StringToNumber", &int, &[&n]).is_err());
    assert!(run("StringToNumber", &[], &[&words(&[], &[""])]).is_err());
}

/// tensorflow 2.21.
#[test]
fn rewrites_that_are_none() {
    let a = words(&[2], &["abc", "a1b22b"]);
    let fixed = |p: &str, r: &str, all: bool| {
        let attrs = [
            ("pattern", Attr::str(p)),
            ("rewrite", Attr::str(r)),
            ("replace_global", Attr::Bool(all)),
        ];
        list("StaticRegexReplace", &attrs, &[&a])
    };
    assert_eq!(fixed("a|(b)", r"<\1>", true), ["<><b>c", "<>1<b>22<b>"]);
    for all in [true, false] {
        assert_eq!(fixed("(b)", r"<\2>", all), ["abc", "a1b22b"]);
        assert_eq!(fixed("(b)", r"\x\2", all), ["abc", "a1b22b"]);
    }
    for wrong in [r"<\1\x>", "<\\1\\", r"<\1\->"] {
        assert_eq!(fixed("(b)", wrong, true), ["a<bc", "a1<b22<b"]);
        assert_eq!(fixed("(b)", wrong, false), ["abc", "a1b22b"]);
    }
    assert_eq!(fixed("b", r"\\1", true), [r"a\1c", r"a1\122\1"]);
}

#[test]
fn patterns() {
    let a = words(&[3], &["a1b22b", "abc", ""]);
    let fixed = |p: &str, r: &str, all: bool| {
        let attrs = [
            ("pattern", Attr::str(p)),
            ("rewrite", Attr::str(r)),
            ("replace_global", Attr::Bool(all)),
        ];
        list("StaticRegexReplace", &attrs, &[&a])
    };
    assert_eq!(fixed("[0-9]+", r"<\0>", true), ["a<1>b<22>b", "abc", ""]);
    assert_eq!(fixed("b", "B", false), ["a1B22b", "aBc", ""]);
    assert_eq!(fixed("(a)(.)", r"\2\1", true), ["1ab22b", "bac", ""]);
    let matches = |p: &str| one("RegexFullMatch", &[], &[&a, &words(&[], &[p])]);
    assert_eq!(
        matches("[a-z]+").as_slice::<bool>().unwrap(),
        [false, true, false]
    );
    assert_eq!(
        matches(".*1.*").as_slice::<bool>().unwrap(),
        [true, false, false]
    );
    let w = |t: &str| words(&[], &[t]);
    assert!(run("RegexReplace", &[], &[&a, &w("("), &w("b")]).is_err());
    let refused = run("RegexFullMatch", &[], &[&a, &w("b**")]).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("\"b**\" is no regular expression: bad repetition operator")
    );
}
