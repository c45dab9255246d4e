//! Command lines.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Help,
    Version,
    Inspect(Inspect),
    Run(Run),
}

/// To look at a model.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Inspect {
    pub path: PathBuf,
    pub graph: Option<String>,
    /// Whether a page is served, and at which port; 0 is any.
    pub serve: Option<u16>,
}

/// To run a signature of a model.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Run {
    pub path: PathBuf,
    pub signature: Option<String>,
    pub input: Vec<(String, PathBuf)>,
    pub inputs: Option<PathBuf>,
    pub output: Option<PathBuf>,
}

/// What the arguments ask for.
///
/// # Errors
/// A sentence that says what is wrong with them.
pub(super) fn parse(args: Vec<OsString>) -> Result<Action, String> {
    let mut args = Args {
        rest: args.into_iter(),
        path: None,
    };
    let Some(first) = args.rest.next() else {
        return Err("a command is missing: inspect or run".into());
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => Ok(Action::Help),
        Some("-V" | "--version") => Ok(Action::Version),
        Some("inspect") => args.inspect(),
        Some("run") => args.run(),
        _ => Err(format!(
            "there is no command {first:?}: inspect and run are the two"
        )),
    }
}

struct Args {
    rest: std::vec::IntoIter<OsString>,
    path: Option<PathBuf>,
}

impl Args {
    /// The next option with its value where that stands in the same argument; the path is taken on the way.
    fn option(&mut self) -> Result<Option<(String, Option<OsString>)>, String> {
        for arg in self.rest.by_ref() {
            let Some(text) = arg.to_str().filter(|t| t.starts_with('-')) else {
                if self.path.replace(PathBuf::from(&arg)).is_some() {
                    return Err(format!("one path is expected, {arg:?} is another one"));
                }
                continue;
            };
            return Ok(Some(match text.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.into())),
                None => (text.to_owned(), None),
            }));
        }
        Ok(None)
    }

    fn value(&mut self, option: &str, own: Option<OsString>) -> Result<OsString, String> {
        own.or_else(|| self.rest.next())
            .ok_or_else(|| format!("{option} needs a value"))
    }

    fn text(&mut self, option: &str, own: Option<OsString>) -> Result<String, String> {
        let value = self.value(option, own)?;
        let text = value.into_string();
        text.map_err(|v| format!("{option} is no text: {v:?}"))
    }

    fn path(self, command: &str) -> Result<PathBuf, String> {
        self.path
            .ok_or_else(|| format!("{command} needs the folder of a model"))
    }

    fn inspect(mut self) -> Result<Action, String> {
        let mut what = Inspect::default();
        while let Some((option, own)) = self.option()? {
            match &option[..] {
                "--graph" => what.graph = Some(self.text(&option, own)?),
                "--serve" => what.serve = Some(port(own)?),
                "-h" | "--help" => return Ok(Action::Help),
                _ => return Err(format!("inspect has no option {option}")),
            }
        }
        what.path = self.path("inspect")?;
        Ok(Action::Inspect(what))
    }

    fn run(mut self) -> Result<Action, String> {
        let mut what = Run::default();
        while let Some((option, own)) = self.option()? {
            match &option[..] {
                "--signature" => what.signature = Some(self.text(&option, own)?),
                "--input" => {
                    let value = self.value(&option, own)?;
                    what.input.push(named(&value)?);
                }
                "--inputs" => what.inputs = Some(self.value(&option, own)?.into()),
                "--output" => what.output = Some(self.value(&option, own)?.into()),
                "-h" | "--help" => return Ok(Action::Help),
                _ => return Err(format!("run has no option {option}")),
            }
        }
        what.path = self.path("run")?;
        Ok(Action::Run(what))
    }
}

/// The port behind `--serve=`, any where none is given.
fn port(own: Option<OsString>) -> Result<u16, String> {
    let Some(own) = own else { return Ok(0) };
    let port = own.to_str().and_then(|text| text.parse().ok());
    port.ok_or_else(|| format!("--serve=PORT needs a number up to 65535, got {own:?}"))
}

/// A name and the file behind it.
fn named(value: &OsStr) -> Result<(String, PathBuf), String> {
    let pair = value.to_str().and_then(|v| v.split_once('='));
    match pair {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.to_owned(), path.into()))
        }
        _ => Err(format!("--input is NAME=FILE.npy, got {value:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Action, String> {
        parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn options_stand_anywhere() {
        let run = parsed("run --input x=a=b.npy m --output=o.npz --input y=c.npy").unwrap();
        let want = Run {
            path: "m".into(),
            input: vec![("x".into(), "a=b.npy".into()), ("y".into(), "c.npy".into())],
            output: Some("o.npz".into()),
            ..Run::default()
        };
        assert_eq!(run, Action::Run(want));
        assert_eq!(parsed("inspect --help").unwrap(), Action::Help);
        for (line, port) in [("inspect --serve m", 0), ("inspect m --serve=8080", 8080)] {
            let inspect = Inspect {
                path: "m".into(),
                serve: Some(port),
                ..Inspect::default()
            };
            assert_eq!(parsed(line).unwrap(), Action::Inspect(inspect));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, said) in [
            ("", "a command is missing"),
            ("look m", "there is no command \"look\""),
            ("inspect", "needs the folder"),
            ("inspect m n", "\"n\" is another one"),
            ("inspect m --graph", "--graph needs a value"),
            ("inspect m --input x=y", "inspect has no option --input"),
            ("inspect m --serve=x", "--serve=PORT needs a number"),
            ("run m --input x", "--input is NAME=FILE.npy"),
        ] {
            let found = parsed(line).unwrap_err();
            assert!(found.contains(said), "{line}: {found}");
        }
    }
}
