//! Escapes, classes and properties of characters.

use super::Reader;

/// The class of no character.
pub(super) const NONE: &str = "[^\\x{0}-\\x{10FFFF}]";

/// General categories, of which `C` does not hold what is not assigned, and `Cs`, half pairs, is in no text.
const CATEGORIES: &str = "\
C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

/// Scripts, as tensorflow 2.21 knows them.
const SCRIPTS: &str = "\
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali \
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma \
Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari \
Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic \
Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana \
Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana \
Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A \
Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi \
Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro \
Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong \
Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian \
Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa \
Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala \
Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet \
Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho \
Warang_Citi Yezidi Yi Zanabazar_Square";

/// Classes by their names in brackets.
const NAMED: &str =
    "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";

/// Writes a literal character.
pub(super) fn escaped(out: &mut String, c: char) {
    // Angle brackets behind a backslash are the ends of words.
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
        out.push('\\');
    }
    out.push(c);
}

/// The ASCII class of a letter behind a backslash.
fn ascii_class(c: char) -> Option<&'static str> {
    Some(match c {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => "[\\t\\n\\f\\r ]",
        'S' => "[^\\t\\n\\f\\r ]",
        _ => return None,
    })
}

/// The class of the characters with a property, or of all others.
fn property(name: &str, is_negated: bool) -> Option<String> {
    let has = |names: &str| names.split(' ').any(|known| known == name);
    let class = match name {
        "Any" => "\\x{0}-\\x{10FFFF}".to_owned(),
        "C" => "\\p{Cc}\\p{Cf}\\p{Co}".to_owned(),
        "Cs" => NONE.to_owned(),
        _ if has(CATEGORIES) => format!("\\p{{gc={name}}}"),
        _ if has(SCRIPTS) => format!("\\p{{sc={name}}}"),
        _ => return None,
    };
    Some(format!("[{}{class}]", if is_negated { "^" } else { "" }))
}

impl Reader<'_> {
    /// A class of letters behind a backslash, if there is one: `\\d`, `\\pL`, `\\p{Greek}`.
    pub(super) fn letters(&mut self, start: usize) -> Result<Option<String>, String> {
        let Some(c) = self.peek() else {
            return Ok(None);
        };
        if let Some(class) = ascii_class(c) {
            self.next();
            return Ok(Some(class.to_owned()));
        }
        if c != 'p' && c != 'P' {
            return Ok(None);
        }
        self.next();
        let name = match self.next() {
            Some('{') => self.rest().split_once('}').map(|(name, _)| {
                self.at += name.len() + 1;
                name
            }),
            Some(one) => Some(&self.pattern[self.at - one.len_utf8()..self.at]),
            None => None,
        };
        let found = name.and_then(|name| {
            let bare = name.strip_prefix('^').unwrap_or(name);
            property(bare, (c == 'P') != (bare.len() < name.len()))
        });
        let unknown = || format!("invalid character class range: {}", self.shown(start));
        found.map(Some).ok_or_else(unknown)
    }

    /// The text from there up to the rest.
    fn shown(&self, start: usize) -> &str {
        &self.pattern[start..self.at]
    }

    /// The character of an escape, by its number.
    pub(super) fn code(&mut self, start: usize) -> Result<u32, String> {
        let Some(c) = self.next() else {
            return Err("trailing \\".to_owned());
        };
        let next = self.peek();
        let code = match c {
            '1'..='7' if !next.is_some_and(|d| d.is_digit(8)) => None,
            '0'..='7' => Some(self.octal(c)),
            'x' => self.hexadecimal(),
            'n' => Some(0x0a),
            'r' => Some(0x0d),
            't' => Some(0x09),
            'a' => Some(0x07),
            'f' => Some(0x0c),
            'v' => Some(0x0b),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        code.ok_or_else(|| format!("invalid escape sequence: {}", self.shown(start)))
    }

    /// A number of up to three octal digits, of which the first is read.
    fn octal(&mut self, first: char) -> u32 {
        let mut code = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|d| d.to_digit(8)) else {
                break;
            };
            code = code * 8 + digit;
            self.next();
        }
        code
    }

    /// A number of two hexadecimal digits, or of any in braces.
    fn hexadecimal(&mut self) -> Option<u32> {
        let digits = if self.skip("{") {
            let (digits, _) = self.rest().split_once('}')?;
            self.at += digits.len() + 1;
            digits
        } else {
            let digits = self.rest().get(..2)?;
            self.at += 2;
            digits
        };
        let is_plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok()?;
        (is_plain && code <= u32::from(char::MAX)).then_some(code)
    }

    /// A class behind its bracket.
    pub(super) fn class(&mut self, start: usize) -> Result<String, String> {
        let is_negated = self.skip("^");
        let mut items = String::new();
        let mut is_first = true;
        while is_first || !self.skip("]") {
            if self.rest().is_empty() {
                return Err(format!("missing ]: {}", self.shown(start)));
            }
            is_first = false;
            let here = self.at;
            if self.rest().starts_with("[:") && self.rest().contains(":]") {
                items.push_str(&self.named()?);
                continue;
            }
            if self.skip("\\") {
                if let Some(class) = self.letters(here)? {
                    items.push_str(&class);
                    continue;
                }
                self.at = here;
            }
            self.range(&mut items)?;
        }
        if items.is_empty() {
            items.push_str(NONE);
        }
        Ok(format!("[{}{items}]", if is_negated { "^" } else { "" }))
    }

    /// A class by its name, `[:alpha:]` or `[:^alpha:]`.
    fn named(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let end = rest.find(":]").map_or(rest.len(), |end| end + 2);
        let whole = &rest[..end];
        self.at += end;
        let name = whole.trim_matches(['[', ':', ']']);
        let bare = name.strip_prefix('^').unwrap_or(name);
        let is_known = NAMED.split(' ').any(|known| known == bare);
        // Other letters around the name, as in `[::alpha:]`, are none of it.
        if is_known && whole == format!("[:{name}:]") {
            return Ok(whole.to_owned());
        }
        Err(format!("invalid character class range: {whole}"))
    }

    /// A character of a class, or those from one up to another.
    fn range(&mut self, items: &mut String) -> Result<(), String> {
        let start = self.at;
        let low = self.member()?;
        let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
        let high = if is_range && self.rest().len() > 1 {
            self.skip("-");
            self.member()?
        } else {
            low
        };
        if high < low {
            return Err(format!(
                "invalid character class range: {}",
                self.shown(start)
            ));
        }
        // What is no character, half of a pair, is left out.
        let first = (low..=high.min(low + 0x800)).find_map(char::from_u32);
        let last = (low.max(high.saturating_sub(0x800))..=high).rev();
        match first.zip(last.into_iter().find_map(char::from_u32)) {
            Some((first, last)) if first == last => escaped(items, first),
            Some((first, last)) => {
                escaped(items, first);
                items.push('-');
                escaped(items, last);
            }
            None => {}
        }
        Ok(())
    }

    /// One character of a class, by its number.
    fn member(&mut self) -> Result<u32, String> {
        let start = self.at;
        match self.next() {
            Some('\\') => self.code(start),
            c => Ok(c.map_or(0, u32::from)),
        }
    }
}

/// All names of properties.
#[cfg(test)]
pub(super) fn names() -> Vec<&'static str> {
    CATEGORIES.split(' ').chain(SCRIPTS.split(' ')).collect()
}
