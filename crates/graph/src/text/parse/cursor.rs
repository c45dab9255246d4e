//! Where a parser stands among the tokens.

use super::super::lex::{Token, at_line};
use super::Parser;
use ferrograph_tensor::{Error, Result};
use std::sync::Arc;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    pub(super) fn line(&self) -> usize {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        at_line(
            self.line(),
            &format!("expected {expected}, got {}", self.peek()),
        )
    }

    #[cold]
    pub(super) fn wrong(&self, text: &str) -> Error {
        at_line(self.line(), text)
    }

    pub(super) fn accept(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        self.at += usize::from(found);
        found
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<()> {
        if self.accept(mark) {
            return Ok(());
        }
        Err(self.unexpected(&format!("{mark:?}")))
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = *self.peek() == Token::Name(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("{word:?}")))
    }

    pub(super) fn name(&mut self) -> Result<&'a str> {
        match *self.peek() {
            Token::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>> {
        match self.peek() {
            Token::Str(_) => match self.next() {
                Token::Str(bytes) => Ok(bytes),
                _ => Ok(Vec::new()),
            },
            _ => Err(self.unexpected("a string")),
        }
    }

    pub(super) fn string(&mut self) -> Result<Arc<str>> {
        let bytes = self.bytes()?;
        let text = String::from_utf8(bytes).map_err(|_| self.wrong("a name is not UTF-8"))?;
        Ok(text.into())
    }

    /// Items up to a closing mark, which is taken.
    pub(super) fn until<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept(close) {
                return Ok(items);
            }
            self.mark(',')?;
        }
    }

    /// Items in brackets.
    pub(super) fn listed<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.mark('[')?;
        self.until(']', item)
    }

    pub(super) fn value(&mut self) -> Result<usize> {
        match *self.peek() {
            Token::Value(id) => {
                self.at += 1;
                Ok(id)
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Values separated by commas; none where the next token is no value.
    pub(super) fn values(&mut self) -> Result<Vec<usize>> {
        let mut values = Vec::new();
        if !matches!(self.peek(), Token::Value(_)) {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.accept(',') {
                return Ok(values);
            }
        }
    }
}
