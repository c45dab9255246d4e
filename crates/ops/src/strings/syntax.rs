//! The language of patterns, where it differs from that of the crate `regex`: classes of letters, digits and blanks, and
//! boundaries of words, are those of ASCII; a class holds no classes but named ones and has no operators; `\\Q…\\E` quotes;
//! characters may be written by octal numbers.

use std::iter::Peekable;
use std::str::Chars;

/// A pattern in the language of `regex`.
pub(super) fn translated(pattern: &str) -> String {
    let mut reader = Reader {
        rest: pattern.chars().peekable(),
        out: String::with_capacity(pattern.len() + 8),
    };
    while let Some(c) = reader.rest.next() {
        match c {
            '\\' => reader.escape(false),
            '[' => reader.class(),
            _ => reader.out.push(c),
        }
    }
    reader.out
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
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

impl Reader<'_> {
    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) {
        let Some(c) = self.rest.next() else {
            return self.out.push('\\');
        };
        let next = self.rest.peek().copied();
        match c {
            'b' if !in_class => self.out.push_str("(?-u:\\b)"),
            'B' if !in_class => self.out.push_str("(?-u:\\B)"),
            'C' if !in_class => self.out.push_str("(?s-u:.)"),
            'Q' if !in_class => self.quoted(),
            '<' | '>' => self.literal(c),
            '0' => self.octal(0),
            '1'..='7' if next.is_some_and(|d| d.is_digit(8)) => {
                self.octal(c.to_digit(8).unwrap_or(0));
            }
            _ => match ascii_class(c) {
                Some(class) => self.out.push_str(class),
                None => self.out.extend(['\\', c]),
            },
        }
    }

    /// A character by its number, of which a digit is read and two more may follow.
    fn octal(&mut self, mut code: u32) {
        for _ in 0..2 {
            let Some(digit) = self.rest.peek().and_then(|d| d.to_digit(8)) else {
                break;
            };
            code = code * 8 + digit;
            self.rest.next();
        }
        self.out.push_str(&format!("\\x{{{code:X}}}"));
    }

    /// Text that stands for itself, up to `\\E`.
    fn quoted(&mut self) {
        while let Some(c) = self.rest.next() {
            if c == '\\' && self.rest.peek() == Some(&'E') {
                self.rest.next();
                return;
            }
            self.literal(c);
        }
    }

    fn literal(&mut self, c: char) {
        // Angle brackets behind a backslash are the ends of words.
        if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// A class behind its bracket.
    fn class(&mut self) {
        self.out.push('[');
        if self.rest.peek() == Some(&'^') {
            self.rest.next();
            self.out.push('^');
        }
        let mut is_first = true;
        while let Some(c) = self.rest.next() {
            match c {
                ']' if !is_first => return self.out.push(']'),
                '[' if self.rest.peek() == Some(&':') => self.named(),
                '\\' => self.escape(true),
                '-' if !is_first && !self.out.ends_with('-') => self.out.push('-'),
                _ => self.literal(c),
            }
            is_first = false;
        }
    }

    /// A named class in a class, `[:alpha:]`, behind its bracket; a bracket where there is none.
    fn named(&mut self) {
        let name: String = self
            .rest
            .clone()
            .skip(1)
            .take_while(|c| *c != ':')
            .collect();
        let mut behind = self.rest.clone().skip(name.chars().count() + 2);
        if behind.next() != Some(']') {
            return self.literal('[');
        }
        self.out.push_str(&format!("[:{name}:]"));
        self.rest.nth(name.chars().count() + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn classes_are_those_of_ascii() {
        assert_eq!(translated(r"\w+\b"), r"[0-9A-Za-z_]+(?-u:\b)");
        assert_eq!(translated(r"[\d.]"), r"[[0-9]\.]");
        assert_eq!(translated(r"[^\s]"), r"[^[\t\n\f\r ]]");
        assert_eq!(translated(r"\\w"), r"\\w");
    }

    #[test]
    fn brackets_and_operators_in_a_class_stand_for_themselves() {
        assert_eq!(translated("[[a]"), r"[\[a]");
        assert_eq!(translated("[]a]"), r"[\]a]");
        assert_eq!(translated("[^]a]"), r"[^\]a]");
        assert_eq!(translated("[a&&b]"), r"[a\&\&b]");
        assert_eq!(translated("[a-c--]"), r"[a-c-\-]");
        assert_eq!(translated("[-a]"), r"[\-a]");
        assert_eq!(translated("[[:alpha:]_]"), r"[[:alpha:]\_]");
        assert_eq!(translated("[[:alpha]"), r"[\[:alpha]".replace(":", r"\:"));
    }

    #[test]
    fn quotes_and_numbers() {
        assert_eq!(translated(r"\Qa.b\E+"), r"a\.b+");
        assert_eq!(translated(r"\Q[x"), r"\[x");
        assert_eq!(translated(r"\101\0"), r"\x{41}\x{0}");
        assert_eq!(translated(r"\1"), r"\1");
        assert_eq!(translated(r"[<>]\<\Q<\E"), "[<>]<<");
    }
}
