//! The language of patterns is RE2's, as tensorflow 2.21 reads it. What the crate `regex` reads differently is translated; what
//! RE2 refuses is refused: stacked repetitions, counts above 1000, look-around, back references, flags and escapes that it
//! does not have.

mod letters;

use letters::escaped;
use std::collections::BTreeSet;

/// How often a part may be repeated, also by repetitions within one another.
const MOST: u32 = 1000;

/// A pattern in the language of `regex`, or why it is no pattern.
pub(super) fn translated(pattern: &str) -> Result<String, String> {
    let mut reader = Reader {
        pattern,
        at: 0,
        out: String::with_capacity(pattern.len() + 8),
        open: vec![1],
        part: None,
        is_repeated: false,
    };
    while let Some(c) = reader.next() {
        reader.read(c)?;
    }
    match reader.open.len() {
        1 => Ok(reader.out),
        _ => Err(format!("missing ): {pattern}")),
    }
}

struct Reader<'a> {
    pattern: &'a str,
    /// Where the rest begins.
    at: usize,
    out: String,
    /// For the whole and each open group how often what is in it is repeated at most.
    open: Vec<u32>,
    /// How often the last part, which a repetition would take, is repeated within; none where there is nothing to repeat.
    part: Option<u32>,
    /// Whether the last thing was a repetition.
    is_repeated: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.pattern[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Goes past a text if it is next.
    fn skip(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn read(&mut self, c: char) -> Result<(), String> {
        let start = self.at - c.len_utf8();
        if matches!(c, '*' | '+' | '?') {
            return self.repeated(start, None);
        }
        if c == '{'
            && let Some(counts) = self.counts()
        {
            return self.repeated(start, Some(counts));
        }
        self.is_repeated = false;
        match c {
            '(' => return self.group(start),
            ')' => return self.closed(),
            '|' => {
                self.out.push(c);
                self.part = None;
                return Ok(());
            }
            '\\' => return self.escape(start),
            '[' => {
                let class = self.class(start)?;
                self.out.push_str(&class);
            }
            '.' | '^' | '$' => self.out.push(c),
            _ => self.literal(c),
        }
        self.part = Some(1);
        Ok(())
    }

    /// A part that may be repeated, and how often it is repeated within.
    fn found(&mut self, within: u32) {
        self.part = Some(within);
        if let Some(around) = self.open.last_mut() {
            *around = within.max(*around);
        }
    }

    /// A literal character.
    fn literal(&mut self, c: char) {
        escaped(&mut self.out, c);
    }

    /// A repetition behind its first character: `*`, `+`, `?`, or with those counts.
    fn repeated(&mut self, start: usize, counts: Option<(u32, Option<u32>)>) -> Result<(), String> {
        let operator = &self.pattern[start..self.at];
        self.skip("?");
        let shown = &self.pattern[start..self.at];
        if self.is_repeated {
            return Err(format!(
                "bad repetition operator: {shown} behind another one"
            ));
        }
        let Some(within) = self.part else {
            return Err(format!("no argument for repetition operator: {shown}"));
        };
        let most = match counts {
            Some((low, high)) => {
                let is_high = high.is_some_and(|high| high < low || high > MOST);
                // RE2 counts what has no upper bound by its lower one.
                let most = within.saturating_mul(high.unwrap_or(low).max(1));
                if is_high || low > MOST || most > MOST {
                    return Err(format!("invalid repetition size: {operator}"));
                }
                most
            }
            None => within,
        };
        match counts {
            Some((low, None)) => self.out.push_str(&format!("{{{low},}}")),
            Some((low, Some(high))) if low == high => self.out.push_str(&format!("{{{low}}}")),
            Some((low, Some(high))) => self.out.push_str(&format!("{{{low},{high}}}")),
            None => self.out.push_str(operator),
        }
        if shown.len() > operator.len() {
            self.out.push('?');
        }
        self.found(most);
        self.is_repeated = true;
        Ok(())
    }

    /// The counts behind a brace, and the brace that closes them; other text stays, and the brace is a literal.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, _) = self.rest().split_once('}')?;
        let counts = match inside.split_once(',') {
            None => count(inside).map(|n| (n, Some(n))),
            Some((low, "")) => count(low).map(|low| (low, None)),
            Some((low, high)) => count(low).zip(count(high).map(Some)),
        }?;
        self.at += inside.len() + 1;
        Some(counts)
    }

    /// A group behind its parenthesis, or flags.
    fn group(&mut self, start: usize) -> Result<(), String> {
        if self.skip("?P<") {
            let unnamed = || format!("invalid named capture group: {}", &self.pattern[start..]);
            let (name, _) = self.rest().split_once('>').ok_or_else(unnamed)?;
            let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if name.is_empty() || !is_name(name) {
                return Err(format!("invalid named capture group: (?P<{name}>"));
            }
            self.at += name.len() + 1;
            self.out.push('(');
        } else if self.skip("?") {
            return self.flags(start);
        } else {
            self.out.push('(');
        }
        self.opened();
        Ok(())
    }

    fn opened(&mut self) {
        self.open.push(1);
        self.part = None;
    }

    /// Flags behind `(?`, of the group that they begin or of the rest of the one around them.
    fn flags(&mut self, start: usize) -> Result<(), String> {
        let (mut on, mut off) = (BTreeSet::new(), BTreeSet::new());
        let (mut is_negated, mut is_seen) = (false, false);
        loop {
            let next = self.next();
            match next {
                Some(flag @ ('i' | 'm' | 's' | 'U')) => {
                    let (to, from) = match is_negated {
                        true => (&mut off, &mut on),
                        false => (&mut on, &mut off),
                    };
                    to.insert(flag);
                    from.remove(&flag);
                    is_seen = true;
                }
                Some('-') if !is_negated => (is_negated, is_seen) = (true, false),
                Some(':' | ')') if !is_negated || is_seen => {
                    self.written_flags(&on, &off, next == Some(':'));
                    return Ok(());
                }
                _ => {
                    let shown = &self.pattern[start..self.at];
                    return Err(format!("invalid or unsupported Perl syntax: {shown}"));
                }
            }
        }
    }

    fn written_flags(&mut self, on: &BTreeSet<char>, off: &BTreeSet<char>, begins_group: bool) {
        if begins_group || !(on.is_empty() && off.is_empty()) {
            self.out.push_str("(?");
            self.out.extend(on);
            self.out.extend((!off.is_empty()).then_some('-'));
            self.out.extend(off);
            self.out.push(if begins_group { ':' } else { ')' });
        }
        match begins_group {
            true => self.opened(),
            false => self.part = None,
        }
    }

    /// The end of a group.
    fn closed(&mut self) -> Result<(), String> {
        if self.open.len() == 1 {
            return Err(format!("unexpected ): {}", self.pattern));
        }
        let within = self.open.pop().unwrap_or(1);
        self.out.push(')');
        self.found(within);
        Ok(())
    }

    /// What follows a backslash outside of a class.
    fn escape(&mut self, start: usize) -> Result<(), String> {
        let plain = [
            ("b", "(?-u:\\b)"),
            ("B", "(?-u:\\B)"),
            ("A", "\\A"),
            ("z", "\\z"),
            ("C", "(?s-u:.)"),
        ];
        if self.skip("Q") {
            self.quoted();
            return Ok(());
        }
        let found = plain.iter().find(|(name, _)| self.skip(name));
        if let Some((_, same)) = found {
            self.out.push_str(same);
        } else if let Some(class) = self.letters(start)? {
            self.out.push_str(&class);
        } else {
            let code = self.code(start)?;
            match char::from_u32(code) {
                Some(c) => self.literal(c),
                // No text has half of a pair.
                None => self.out.push_str(letters::NONE),
            }
        }
        self.part = Some(1);
        Ok(())
    }

    /// Literal text, up to `\\E` or the end.
    fn quoted(&mut self) {
        while !self.skip("\\E") {
            let Some(c) = self.next() else {
                return;
            };
            self.literal(c);
            self.part = Some(1);
        }
    }
}

/// A count of repetitions in digits: without a leading zero and below RE2's bound for numbers.
fn count(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|b| b.is_ascii_digit());
    let has_zero = digits.len() > 1 && digits.starts_with('0');
    let number = digits.parse().ok().filter(|n| *n < 1_000_000_000);
    number.filter(|_| is_plain && !has_zero)
}

#[cfg(test)]
mod tests;
