//! Text to tokens.

use ferrograph_tensor::{Error, Result, bail, err};

/// A token; numbers stay text until it is known what they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(&'a str),
    Str(Vec<u8>),
    Value(usize),
    Mark(char),
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name(x) | Token::Number(x) => write!(f, "{x:?}"),
            Token::Str(x) => write!(f, "the string \"{}\"", x.escape_ascii()),
            Token::Value(x) => write!(f, "%{x}"),
            Token::Mark(x) => write!(f, "{x:?}"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// An error at a line.
#[cold]
pub(super) fn at_line(line: usize, text: &str) -> Error {
    err!(InvalidArgument, "line {line}: {text}")
}

/// The tokens with their lines, ended by [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, usize)>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
    };
    let mut all = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token == Token::End;
        all.push((token, lexer.line));
        if end {
            return Ok(all);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take_while(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !f(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn skip_blank(&mut self) {
        loop {
            let blank = self.take_while(char::is_whitespace);
            self.line += blank.matches('\n').count();
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn next(&mut self) -> Result<Token<'a>> {
        self.skip_blank();
        let Some(c) = self.rest().chars().next() else {
            return Ok(Token::End);
        };
        if c.is_ascii_alphabetic() || c == '_' {
            return Ok(Token::Name(
                self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'),
            ));
        }
        if c.is_ascii_digit() || c == '-' {
            return Ok(Token::Number(self.number()));
        }
        self.at += c.len_utf8();
        match c {
            '"' => self.string(),
            '%' => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                let id = digits.parse::<u32>();
                let id =
                    id.map_err(|_| at_line(self.line, "expected the number of a value after %"));
                Ok(Token::Value(id? as usize))
            }
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ':' | ';' | '=' | '?' => {
                Ok(Token::Mark(c))
            }
            c => Err(at_line(self.line, &format!("unexpected character {c:?}"))),
        }
    }

    fn number(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        loop {
            self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
            let so_far = &self.text[start..self.at];
            let hex = so_far.starts_with("0x");
            if !hex && so_far.ends_with(['e', 'E']) && self.rest().starts_with(['-', '+']) {
                self.at += 1;
            } else {
                return so_far;
            }
        }
    }

    fn string(&mut self) -> Result<Token<'a>> {
        let mut bytes = Vec::new();
        loop {
            let plain = self.take_while(|c| !matches!(c, '"' | '\\' | '\n'));
            bytes.extend_from_slice(plain.as_bytes());
            let mut rest = self.rest().chars();
            match (rest.next(), rest.next()) {
                (Some('"'), _) => {
                    self.at += 1;
                    return Ok(Token::Str(bytes));
                }
                (Some('\\'), Some(c)) => {
                    self.at += 1 + c.len_utf8();
                    bytes.push(self.escape(c)?);
                }
                _ => bail!(
                    InvalidArgument,
                    "line {}: a string is not closed",
                    self.line
                ),
            }
        }
    }

    fn escape(&mut self, c: char) -> Result<u8> {
        Ok(match c {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '\\' | '"' | '\'' => c as u8,
            'x' => {
                let code = self
                    .rest()
                    .get(..2)
                    .and_then(|h| u8::from_str_radix(h, 16).ok());
                self.at += 2;
                code.ok_or_else(|| at_line(self.line, "expected two hexadecimal digits after \\x"))?
            }
            c => bail!(InvalidArgument, "line {}: unknown escape \\{c}", self.line),
        })
    }
}
