"""Record what patterns and rewrites do in tensorflow 2.21: run it with tensorflow-cpu installed."""

import json
import pathlib

import tensorflow as tf

PATH = pathlib.Path(__file__).parent / "patterns.json"
TEXTS = ["", "abc", "a1b22b", "aXbQ.E", "a\nb\n", "é ßx١٢", "a.b*c", "--]]^^", "$ ab$", "xay\0z"]
# Those that RE2 refuses stand among the others.
PATTERNS = r"""
a|(b)|c (a)|(b) (x)?b ((a)|b)+ (|a)+ () (?:) (?P<n>a) (?P<1é>a) (?P<n>a)(?P<n>b) (?<n>a)
(?P<a-b>a) (?P<n (?P=n) (?P>n) (?#c) ( ) (a a) (?=a) (?!a) (?<=a)b (?>a) (?|a)
\Qa.b\E \Qa.b* \Q\E \Qa\E+ \QaE \E a\Eb \C a\C \C\C
\pN \pL+ \PL \p{N} \p{^L} \P{^L} \p{Greek} \p{Latin}+ \p{Lu} \p{Foo} \p{L \p \pX \p{alpha}
\p{greek} \p{Letter} \p{Script=Latin} \p{gc=Lu} \p{Any}+ \p{Cs} \p{Cn} [\pL] [^\pL] [\PL\d]
[\p{Greek}]
[[:^alpha:]] [[:word:]] [[:foo:]] [[:alpha:] [:alpha:] []a] [^]a] [] [^] [ ] [a a] [a-] [-a]
[a-c-e] [a-\d] [\d-a] [\d-] [c-a] [--] []-a] [^-] [a&&b] [a--b] [[a]] [a[b]c] [^^] [.] [$] [\b]
[\C] [\z] [\Qab\E] [\x{61}-\x{63}] [\141] [^\x00-\x{10FFFF}] [\w-] [\s\S] [^\n] [^\D]
[[:alpha:]-z] [a-[:digit:]]
b\z b\Z \Ab \Aa \Ga ^a b$ (?m)b$ (?m)^b $ ^ (?m)$ \bfoo\b \b \b{start} \< \> \K \R \X
\101 \0 \141 \08 \1 \8 \12 \377 \400 \777 \x41 \x4 \x{41} \x{110000} \x{} \xg \x{D800} \x61b
\u0041 \a \f \v \e \cA \t \r\n \h \_ \- \é \y \/ \.
a{1000} a{1001} a{0,1000} a{2,1} a{,2} a{2} a{2,} a{1,2}{2} a{2}{2} (a{100}){10} (a{100}){11}
((a{10}){10}){11} (a{2,}){2,} a{ a{1 a{x} a{1, {1} a{-1} a{01} a{9999999999} x{0} a{0}b a** a*+
a+* a?? a??? a*? a+?+ * + ? a|* (*) ^* $* \b+ a| |a (a*)* (a|b)* b* x*
(?i)abc (?i:A)b (?s). . .+ (?U)a+ (?U)a+? (?x)a (?u)a (?-i)A (?i-s)A (?)a (?-)a (?i-)a (?i (?ii)a
(?i)(?-i)A (?i-i:A) (?z)a (?R:a) (?-u)a (?mi-s:^A.) (?i)É (?i)ß
\d+ \D \w+ \W \s \S+ é [é] [^é]+ \\ # & ~ a-b a.c [a|b]
"""
REWRITES = [
    r"<\1>",
    r"[\1|\2]",
    r"\x",
    r"\\",
    r"\\1",
    r"\9",
    r"a\1\x",
    "a\\",
    r"$1",
    r"\10",
    r"\-",
    "",
]
REWRITTEN = [r"a|(b)|c", r"(a)|(b)", r"(x)?b", "b", "zzz", "b*"]


def outcome(call):
    """Strings or bools, or null for an error."""
    try:
        found = call().numpy().tolist()
    except tf.errors.InvalidArgumentError:
        return None
    return [x.decode("latin-1") if isinstance(x, bytes) else int(x) for x in found]


def main():
    """Write one file."""
    texts = tf.constant(TEXTS)
    patterns, rewrites = [], []
    for pattern in PATTERNS.split():
        whole = outcome(lambda p=pattern: tf.strings.regex_full_match(texts, p))
        put = outcome(lambda p=pattern: tf.strings.regex_replace(texts, p, r"<\0>"))
        patterns.append([pattern, whole, put])
    for pattern in REWRITTEN:
        for rewrite in REWRITES:
            for every in (True, False):
                put = outcome(
                    lambda p=pattern, r=rewrite, e=every: tf.strings.regex_replace(texts, p, r, e)
                )
                rewrites.append([pattern, rewrite, every, put])
    dumps = json.JSONEncoder(separators=(",", ":")).encode
    rows = [f'"texts":{dumps(TEXTS)}']
    for name, all_ in (("patterns", patterns), ("rewrites", rewrites)):
        rows.append(f'"{name}":[\n' + ",\n".join(map(dumps, all_)) + "\n]")
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print(len(patterns), "patterns,", len(rewrites), "rewrites")


if __name__ == "__main__":
    main()
