//! Characters as bytes, read and written.

use ferrograph_ops::attr_enum;
use ferrograph_tensor::{Result, bail};

/// How text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16 { big: bool },
    Utf32 { big: bool },
    Ascii,
    Latin1,
}

impl Encoding {
    /// The encoding of that name, in which case, hyphens and underscores do not count.
    pub fn named(name: &str) -> Result<Encoding> {
        let mut plain = name.to_ascii_lowercase();
        plain.retain(|c| !matches!(c, '-' | '_' | ' '));
        Ok(match plain.as_str() {
            "utf8" => Encoding::Utf8,
            "utf16" | "utf16be" => Encoding::Utf16 { big: true },
            "utf16le" => Encoding::Utf16 { big: false },
            "utf32" | "utf32be" => Encoding::Utf32 { big: true },
            "utf32le" => Encoding::Utf32 { big: false },
            "usascii" | "ascii" => Encoding::Ascii,
            "iso88591" | "latin1" => Encoding::Latin1,
            _ => bail!(
                InvalidArgument,
                "input_encoding {name:?} is not known; known are UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, \
                 US-ASCII and ISO-8859-1"
            ),
        })
    }

    /// The first character of text that is not empty, `None` where its bytes are none, and how many bytes it takes.
    pub fn first(self, text: &[u8]) -> (Option<char>, usize) {
        match self {
            Encoding::Utf8 => utf8(text),
            Encoding::Utf16 { big } => utf16(text, big),
            Encoding::Utf32 { big } => match text.first_chunk::<4>() {
                None => (None, text.len()),
                Some(&bytes) if big => (char::from_u32(u32::from_be_bytes(bytes)), 4),
                Some(&bytes) => (char::from_u32(u32::from_le_bytes(bytes)), 4),
            },
            Encoding::Ascii => (Some(char::from(text[0])).filter(char::is_ascii), 1),
            Encoding::Latin1 => (Some(char::from(text[0])), 1),
        }
    }
}

/// What is no character takes as many bytes as one could begin with.
fn utf8(text: &[u8]) -> (Option<char>, usize) {
    let window = &text[..text.len().min(4)];
    match std::str::from_utf8(window) {
        Ok(valid) => first_of(valid),
        Err(e) if e.valid_up_to() > 0 => {
            // What stands before the error was found valid.
            first_of(std::str::from_utf8(&window[..e.valid_up_to()]).unwrap_or(""))
        }
        Err(e) => (None, e.error_len().unwrap_or(window.len())),
    }
}

fn first_of(text: &str) -> (Option<char>, usize) {
    let c = text.chars().next();
    (c, c.map_or(0, char::len_utf8))
}

fn utf16(text: &[u8], big: bool) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let bytes = text.get(at..at + 2)?;
        let bytes = [bytes[0], bytes[1]];
        Some(if big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        })
    };
    let Some(first) = unit(0) else {
        return (None, text.len());
    };
    let units = std::iter::once(first).chain(unit(2));
    match char::decode_utf16(units).next() {
        Some(Ok(c)) => (Some(c), 2 * c.len_utf16()),
        _ => (None, 2),
    }
}

attr_enum! {
    /// How text is written.
    Written {
        /// UTF-8.
        Utf8 = "UTF-8",
        /// UTF-16, the high byte first.
        Utf16 = "UTF-16-BE",
        /// UTF-32, the high byte first.
        Utf32 = "UTF-32-BE",
    }
}

impl Written {
    /// Writes a character at the end of the bytes.
    pub fn write(self, c: char, out: &mut Vec<u8>) {
        match self {
            Written::Utf8 => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Written::Utf16 => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(&unit.to_be_bytes());
                }
            }
            Written::Utf32 => out.extend_from_slice(&u32::from(c).to_be_bytes()),
        }
    }
}

attr_enum! {
    /// What becomes of bytes or numbers that are no character.
    Errors {
        /// They are refused.
        Strict = "strict",
        /// Another character takes their place.
        Replace = "replace",
        /// They are left out.
        Ignore = "ignore",
    }
}

/// How what is no character, and control characters where they are not wanted, are treated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    errors: Errors,
    replacement: char,
    controls: bool,
}

impl Policy {
    /// That policy, with `replacement` as a code point; `controls` are replaced as well where that is set.
    pub fn new(errors: Errors, replacement: i64, controls: bool) -> Result<Policy> {
        let replacement = u32::try_from(replacement).ok().and_then(char::from_u32);
        match replacement {
            Some(replacement) => Ok(Policy {
                errors,
                replacement,
                controls,
            }),
            None => bail!(
                InvalidArgument,
                "replacement_char out of unicode codepoint range"
            ),
        }
    }

    /// The character that is written for one that was read; `None` to leave it out.
    pub fn apply(self, read: Option<char>, wrong: &str) -> Result<Option<char>> {
        let wanted = read.filter(|&c| !(self.controls && c < ' '));
        match (wanted, self.errors) {
            (Some(c), _) => Ok(Some(c)),
            (None, Errors::Strict) => bail!(InvalidArgument, "{wrong}"),
            (None, Errors::Replace) => Ok(Some(self.replacement)),
            (None, Errors::Ignore) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(encoding: Encoding, mut text: &[u8]) -> Vec<(Option<char>, usize)> {
        let mut found = Vec::new();
        while !text.is_empty() {
            let one = encoding.first(text);
            text = &text[one.1..];
            found.push(one);
        }
        found
    }

    #[test]
    fn damaged_text_gives_what_is_whole() {
        assert_eq!(
            all(Encoding::Utf8, b"a\xff\xe6\x97b"),
            [(Some('a'), 1), (None, 1), (None, 2), (Some('b'), 1)]
        );
        assert_eq!(all(Encoding::Utf8, b"\xf0\x9f"), [(None, 2)]);
        let big = Encoding::Utf16 { big: true };
        assert_eq!(
            all(big, b"\xd8\x3d\xde\x00\xd8\x3d\x00a\x00"),
            [(Some('😀'), 4), (None, 2), (Some('a'), 2), (None, 1)]
        );
        assert_eq!(
            all(Encoding::Utf32 { big: false }, b"a\0\0\0\0\0\x11"),
            [(Some('a'), 4), (None, 3)]
        );
        assert_eq!(all(Encoding::Ascii, b"a\xe9"), [(Some('a'), 1), (None, 1)]);
        assert!(Encoding::named("utf_16-le").is_ok() && Encoding::named("?").is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        for (written, read) in [
            (Written::Utf8, Encoding::Utf8),
            (Written::Utf16, Encoding::Utf16 { big: true }),
            (Written::Utf32, Encoding::Utf32 { big: true }),
        ] {
            for c in ['\0', 'é', '日', '😀'] {
                let mut bytes = Vec::new();
                written.write(c, &mut bytes);
                assert_eq!(read.first(&bytes), (Some(c), bytes.len()));
            }
        }
    }
}
