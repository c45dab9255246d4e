//! The script that a character belongs to.

use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_kernels::scratch::collected;
use ferrograph_tensor::{Result, Tensor};
use regex_syntax::hir::{Class, HirKind};
use smallvec::smallvec;
use std::sync::LazyLock;

declare! {
    trait EmitScript;

    /// The number of the script of each code point, -1 for what is none.
    UnicodeScript: unicode_script(input: int32) -> (output: int32 like input), gradient Stops, batch Broadcasts;
}

/// The scripts by their numbers in ICU, as ISO 15924 calls them; `-` where none has that number.
const SCRIPTS: &str = "\
Zyyy Zinh Arab Armn Beng Bopo Cher Copt Cyrl Dsrt Deva Ethi Geor Goth Grek Gujr Guru Hani Hang Hebr \
Hira Knda Kana Khmr Laoo Latn Mlym Mong Mymr Ogam Ital Orya Runr Sinh Syrc Taml Telu Thaa Thai Tibt \
Cans Yiii Tglg Hano Buhd Tagb Brai Cprt Limb Linb Osma Shaw Tale Ugar - Bugi Glag Khar Sylo Talu \
Tfng Xpeo Bali Batk - Brah Cham - - - - Egyp - - - Hmng Hung - Java Kali - - Lepc Lina Mand - Mero \
Nkoo Orkh Perm Phag Phnx Miao - - - - - - Vaii - Xsux - - Cari - Lana Lyci Lydi Olck Rjng Saur Sgnw \
Sund - Mtei Armi Avst Cakm - Kthi Mani Phli Phlp - Prti Samr Tavt - - Bamu Lisu - Sarb Bass Dupl \
Elba Gran - - Mend Merc Narb Nbat Palm Sind Wara - - Mroo Nshu Shrd Sora Takr Tang - Hluw Khoj Tirh \
Aghb Mahj Ahom Hatr Modi Mult Pauc Sidd Adlm Bhks Marc Newa Osge - - - Gonm Soyo Zanb Dogr Gong Maka \
Medf Rohg Sogd Sogo Elym Hmnp Nand Wcho Chrs Diak Kits Yezi";

/// The number of characters without a script.
const UNKNOWN: i32 = 103;

/// Runs of characters of one script: first, last and number, in order.
static RUNS: LazyLock<Vec<(u32, u32, i32)>> = LazyLock::new(|| {
    let mut runs = Vec::new();
    for (number, name) in (0..).zip(SCRIPTS.split_ascii_whitespace()) {
        let class = regex_syntax::parse(&format!(r"\p{{Script={name}}}"));
        let class = class.ok().map(regex_syntax::hir::Hir::into_kind);
        if let Some(HirKind::Class(Class::Unicode(class))) = class {
            let ranges = class.ranges().iter();
            runs.extend(ranges.map(|r| (u32::from(r.start()), u32::from(r.end()), number)));
        }
    }
    runs.sort_unstable();
    runs
});

fn script(point: i32) -> i32 {
    let Ok(point) = u32::try_from(point) else {
        return -1;
    };
    if point > u32::from(char::MAX) {
        return -1;
    }
    let after = RUNS.partition_point(|run| run.0 <= point);
    match after.checked_sub(1).map(|i| RUNS[i]) {
        Some((_, last, number)) if point <= last => number,
        _ => UNKNOWN,
    }
}

impl Op for UnicodeScript {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let scripts = collected(inputs[0].as_slice::<i32>()?.iter().map(|&p| script(p)));
        let shape = inputs[0].shape().clone();
        Ok(smallvec![Tensor::from_slice(shape, &scripts)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_characters() {
        let of = |c: char| script(u32::from(c).cast_signed());
        assert_eq!(
            ['\u{1}', 'A', 'α', '日', '😀', 'ж', '\u{10e80}'].map(of),
            [0, 25, 14, 17, 0, 8, 192]
        );
        assert_eq!(
            [-1, 0x11_0000, 0xd800, 0x378].map(script),
            [-1, -1, 103, 103]
        );
    }

    #[test]
    fn every_name_is_known() {
        for name in SCRIPTS.split_ascii_whitespace().filter(|n| *n != "-") {
            assert!(
                regex_syntax::parse(&format!(r"\p{{Script={name}}}")).is_ok(),
                "{name}"
            );
        }
    }
}
