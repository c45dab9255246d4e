//! Event files: framed records of what a program says about its run.

use ferrograph_formats::files::failed;
use ferrograph_formats::messages::{Event, Summary};
use ferrograph_formats::record::Writer;
use ferrograph_tensor::{DType, Object, Result, Tensor, bail, err};
use parking_lot::Mutex;
use prost::Message;
use std::any::Any;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of the layout that the first record names.
const VERSION: &str = "brain.Event:2";

/// What waits to be written, and where to.
struct Open {
    file: File,
    path: PathBuf,
    waiting: Writer<Vec<u8>>,
    n_waiting: usize,
    flushed: Instant,
    most_waiting: usize,
    longest_wait: Duration,
}

impl Open {
    fn create(path: PathBuf, most_waiting: usize, longest_wait: Duration) -> Result<Open> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
        }
        let options = OpenOptions::new().create(true).append(true).open(&path);
        let mut open = Open {
            file: options.map_err(|e| failed(&path, &e))?,
            path,
            waiting: Writer::new(Vec::new()),
            n_waiting: 0,
            flushed: Instant::now(),
            most_waiting,
            longest_wait,
        };
        open.push(&Event {
            wall_time: now(),
            file_version: Some(VERSION.to_owned()),
            ..Event::default()
        })?;
        open.flush()?;
        Ok(open)
    }

    fn push(&mut self, event: &Event) -> Result<()> {
        let written = self.waiting.write(&event.encode_to_vec());
        written.map_err(|e| failed(&self.path, &e))?;
        self.n_waiting += 1;
        if self.n_waiting > self.most_waiting || self.flushed.elapsed() > self.longest_wait {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what waits, whole records at once.
    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::replace(&mut self.waiting, Writer::new(Vec::new()));
        (self.n_waiting, self.flushed) = (0, Instant::now());
        let written = self.file.write_all(&waiting.into_inner());
        written.map_err(|e| failed(&self.path, &e))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.flush();
    }
}

/// A handle of an event file: closed before the file is made and after it was closed.
#[derive(Default)]
pub(super) struct EventFile(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Unmade,
    Open(Open),
    Closed,
}

impl fmt::Debug for EventFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventFile")
    }
}

impl Object for EventFile {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl EventFile {
    pub(super) fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Resource, Arc::new(self))
    }

    /// The event file behind a handle.
    pub(super) fn of(handle: &Tensor) -> Result<&EventFile> {
        let object = handle.as_object()?;
        let file = object.as_any().downcast_ref();
        file.ok_or_else(|| err!(InvalidArgument, "the resource is no writer of summaries"))
    }

    /// Makes the file, unless that was done.
    pub(super) fn create(
        &self,
        folder: &Path,
        suffix: &str,
        most_waiting: usize,
        longest_wait: Duration,
    ) -> Result<()> {
        let mut state = self.0.lock();
        if matches!(*state, State::Unmade) {
            let name = format!(
                "events.out.tfevents.{:010}.{}{suffix}",
                now() as u64,
                host()
            );
            *state = State::Open(Open::create(folder.join(name), most_waiting, longest_wait)?);
        }
        Ok(())
    }

    /// Appends an event of now.
    pub(super) fn write(&self, mut event: Event) -> Result<()> {
        event.wall_time = now();
        match &mut *self.0.lock() {
            State::Open(open) => open.push(&event),
            _ => bail!(FailedPrecondition, "the writer of summaries is closed"),
        }
    }

    /// Appends values of a step.
    pub(super) fn write_summary(&self, step: i64, summary: Summary) -> Result<()> {
        self.write(Event {
            step,
            summary: Some(summary),
            ..Event::default()
        })
    }

    /// Writes what waits.
    pub(super) fn flush(&self) -> Result<()> {
        match &mut *self.0.lock() {
            State::Open(open) => open.flush(),
            _ => Ok(()),
        }
    }

    /// Writes what waits; nothing more can be written.
    pub(super) fn close(&self) -> Result<()> {
        let mut state = self.0.lock();
        let flushed = match &mut *state {
            State::Open(open) => open.flush(),
            _ => Ok(()),
        };
        *state = State::Closed;
        flushed
    }
}

/// Seconds since 1970.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

/// What this machine is called.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = name.ok().or_else(|| std::env::var("HOSTNAME").ok());
    let name: String = name.unwrap_or_default().trim().replace(['/', '\0'], "_");
    if name.is_empty() {
        "localhost".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_formats::messages::{SummaryValue, TensorProto};
    use ferrograph_formats::record::Reader;

    fn events(folder: &Path) -> Vec<Event> {
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
        let (bytes, mut all) = (std::fs::read(file.path()).unwrap(), Vec::new());
        let mut reader = Reader::new(&bytes[..]);
        while let Some(record) = reader.next_record().unwrap() {
            all.push(Event::decode(record).unwrap());
        }
        all
    }

    fn value() -> Summary {
        let tensor = TensorProto::of(&Tensor::scalar(2.5f32).unwrap()).unwrap();
        Summary {
            value: vec![SummaryValue {
                tag: "loss".to_owned(),
                tensor: Some(tensor),
                metadata: None,
            }],
        }
    }

    #[test]
    fn records_are_whole_at_any_time() {
        let folder = std::env::temp_dir().join(format!("ferrograph-events-{}", std::process::id()));
        let writer = EventFile::default();
        assert!(writer.write_summary(1, value()).is_err());
        writer
            .create(&folder, ".v2", 1, Duration::from_secs(100))
            .unwrap();
        assert_eq!(events(&folder)[0].file_version.as_deref(), Some(VERSION));
        writer.write_summary(1, value()).unwrap();
        assert_eq!(events(&folder).len(), 1);
        writer.write_summary(2, value()).unwrap();
        assert_eq!(events(&folder).len(), 3);
        writer.write_summary(3, value()).unwrap();
        writer.close().unwrap();
        let all = events(&folder);
        assert_eq!(all.iter().map(|e| e.step).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(all[3].summary, Some(value()));
        assert!(writer.write_summary(4, value()).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn damaged_events_are_read_or_refused() {
        let whole = Event {
            step: 3,
            summary: Some(value()),
            ..Event::default()
        }
        .encode_to_vec();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            drop(Event::decode(&damaged[..]));
        }
        for end in 0..whole.len() {
            drop(Event::decode(&whole[..end]));
        }
    }
}
